internal import TesseraBytes
internal import TesseraImageHeader
internal import TesseraOutput
internal import TesseraPlan
internal import TesseraState
internal import TesseraSystem
internal import TesseraWorkers

/// Publishes the files that a worker made, under the names that they were planned with.
///
/// Files are published before a record names them: a kill in between leaves files that nothing names,
/// and never a name without a file.
final class Publish: Sendable {
  private let output: any Output
  private let workspace: Workspace
  private let run: Int
  private let recorder: RunRecorder
  private let planner: FilePlanner
  private let state: StateStore

  init(_ runContext: RunContext) {
    output = runContext.output
    workspace = runContext.workspace
    run = runContext.run
    recorder = runContext.recorder
    planner = runContext.planner
    state = runContext.state
  }

  @inline(never)
  func perform(
    _ planned: Planned, _ made: MadeFiles, _ context: ItemContext
  ) async throws -> Stage {
    let bytes = planned.bytes
    guard var filePlan = planner.resolved(planned.filePlan, made.result.qualities) else {
      return Self.distrust("the worker did not report the qualities that it was to find", planned)
    }
    var records: [VariantRecord] = []
    for (order, index) in filePlan.missing.enumerated() {
      let file = filePlan.plan.files[index]
      let name = "\(context.item.position)-\(order)"
      let path = filePlan.source.path(of: file)
      guard let record = try await publish(file, as: path, made, order, name) else {
        return Self.distrust("the worker did not make the file that it reported", planned)
      }
      records.append(record)
    }
    let missing = filePlan.missing
    let content = bytes.content.decoded(
      made.result.facts, made.result.warnings, bytes: bytes.count)
    context.change.made = StateStore.Made(
      digest: bytes.digest, content: content,
      variants: zip(missing, records).map { (key: filePlan.keys[$0], record: $1) },
      placeholder: (key: filePlan.placeholderKey, record: made.result.placeholders), run: run)
    let searched = Set(planned.filePlan.searches.filter { $0.found == nil }.map(\.key))
    context.change.made?.qualities = filePlan.searches.compactMap { known in
      guard let found = known.found, searched.contains(known.key) else { return nil }
      return (
        known.key, QualityRecord(recipe: known.search.recipe, found: found, run: run)
      )
    }
    for (index, record) in zip(missing, records) { filePlan.records[index] = record }
    filePlan.placeholder = made.result.placeholders
    context.made = (records.count, records.reduce(0) { $0 + $1.bytes })
    context.reasons.append(
      .decoded(made: records.count, reused: filePlan.keys.count - records.count))
    recorder.addDecode(
      records, of: bytes.count, made.result.warnings,
      context.item.wantsUpgrade
        ? ViewCost() : planner.viewCost(filePlan, bytes.content.format, for: context.item))
    return .complete(Complete(planned.received, content, filePlan))
  }

  private static func distrust(_ sentence: String, _ planned: Planned) -> Stage {
    let image = ImageFacts(
      format: planned.bytes.content.format, size: planned.filePlan.facts.size)
    return .done(
      planned.known.source,
      .failed(.undecodable(TranscodeFailure(.workerProtocol, sentence), image)))
  }

  /// Reads a file's size from its own header and publishes it. Nil if it is not what it should be.
  private func publish(
    _ file: PlannedFile, as path: String, _ made: MadeFiles, _ order: Int, _ name: String
  ) async throws -> VariantRecord? {
    let bytes = try made.bytes(of: order)
    // The file itself is measured: a worker has decoded hostile bytes, so its report is not
    // trusted.
    guard Self.isOne(file, bytes) else { return nil }
    let digest = SHA256.of(bytes)
    let staged = workspace.staging(name)
    try staged.open(.create).write(bytes)
    let record = VariantRecord(
      path: path, width: file.size.width, height: file.size.height, bytes: bytes.count,
      sha256: digest)
    if try await output.publish(staged: staged.path, as: path) { return record }
    if let standing = try await standing(record, file) {
      try staged.remove()
      if standing != record { recorder.update { $0.variantsStanding += 1 } }
      return standing
    }
    try await output.write(path, staged: staged)
    return record
  }

  /// The record of the file that has a name already; nil if it is to be replaced.
  private func standing(
    _ new: VariantRecord, _ file: PlannedFile
  ) async throws(SystemError) -> VariantRecord? {
    let known = try? await state.file(at: new.path)
    let found = try await output.standing(
      new.path, sha256: new.sha256, recorded: known?.sha256
    ) { bytes in
      guard let format = ImageFormat(rawValue: file.encoding.format.rawValue) else { return false }
      return Self.isOne(file, bytes) && FileEnd.isThere(bytes.span, format)
    }
    guard let found else { return nil }
    var standing = new
    (standing.bytes, standing.sha256) = found
    return standing
  }

  private static func isOne(_ file: PlannedFile, _ bytes: [UInt8]) -> Bool {
    guard case .header(let header) = ImageHeader.read(bytes.span, isWhole: true) else {
      return false
    }
    return header.format.rawValue == file.encoding.format.rawValue
      && header.width == file.size.width && header.height == file.size.height
  }
}
