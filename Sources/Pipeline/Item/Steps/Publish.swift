internal import TesseraBytes
internal import TesseraImageHeader
internal import TesseraOutput
internal import TesseraPlan
internal import TesseraState
internal import TesseraSystem
internal import TesseraWire

/// Gives staged files their permanent names, which contain the digest of their bytes.
///
/// Files are published before a record names them: a kill in between leaves files that nothing names,
/// and never a name without a file.
struct Publish: Step {
  private let output: any Output
  private let run: Int
  private let recorder: RunRecorder

  init(_ parts: RunParts) {
    output = parts.output
    run = parts.run
    recorder = parts.recorder
  }

  func perform(_ work: Work) async throws -> StepDecision {
    guard var blueprint = work.blueprint, let staged = work.staged, let bytes = work.bytes else {
      throw PipelineError.local("the item \"\(work.item.id)\" has no files to publish")
    }
    var records: [VariantRecord] = []
    for file in staged.files {
      guard let record = try publish(file) else {
        // What is left in staging is removed with the run.
        for file in staged.files { try? FileSystem.remove(file.path) }
        let failure = TranscodeFailure(
          .workerProtocol, "the worker did not make the file that it reported")
        return .done(
          .failed(
            .undecodable(
              failure, ImageFacts(format: bytes.header.format, size: blueprint.facts.size))))
      }
      records.append(record)
    }
    let missing = blueprint.missing
    let content = bytes.header.content(
      staged.facts, warnings: staged.warnings, bytes: FileSystem.size(ofFile: bytes.path))
    work.change.made = StateStore.Made(
      digest: bytes.digest, content: content,
      variants: zip(missing, records).map { (key: blueprint.keys[$0], record: $1) },
      placeholder: (key: blueprint.placeholderKey, record: staged.placeholders), run: run)
    for (index, record) in zip(missing, records) { blueprint.records[index] = record }
    blueprint.placeholder = staged.placeholders
    work.blueprint = blueprint
    work.source.content = content
    work.madeCount = records.count
    work.reasons.append(
      .decoded(made: records.count, reused: blueprint.keys.count - records.count))
    recorder.addDecode(records)
    return .next
  }

  /// Reads the size of a staged file from its own header and publishes it. Nil if the file is missing
  /// or not what it should be.
  private func publish(_ staged: TranscodeJob.Output) throws(PipelineError) -> VariantRecord? {
    do throws(SystemError) {
      guard FileSystem.size(ofFile: staged.path) != nil else { return nil }
      // No format that is written has files of 2 GiB.
      let bytes = try FileSystem.read(staged.path, limit: 1 << 31)
      // The file itself is measured: a worker has decoded hostile bytes, so its report is not
      // trusted.
      guard case .header(let header) = ImageHeader.read(bytes.span, isWhole: true),
        header.format.rawValue == staged.file.encoding.format.rawValue,
        header.width == staged.file.size.width, header.height == staged.file.size.height
      else { return nil }
      let digest = SHA256.of(bytes)
      let path = PublishedFile.path(
        digest: digest, width: header.width, height: header.height,
        fileExtension: staged.file.encoding.format.fileExtension)
      try output.publish(staged: staged.path, as: path)
      return VariantRecord(
        path: path, width: header.width, height: header.height, bytes: bytes.count, sha256: digest)
    } catch {
      throw .local(error.description)
    }
  }
}
