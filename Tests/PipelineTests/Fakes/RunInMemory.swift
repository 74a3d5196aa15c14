import Foundation
import Synchronization
import TesseraBytes
import TesseraCatalog
import TesseraJSON
import TesseraManifest
import TesseraMemoryOutput
import TesseraPipelineFile
import TesseraPlan
import TesseraState
import TesseraSystem
import TesseraTestSupport

@testable import TesseraOutput
@testable import TesseraPipeline

/// Runs items through all steps, with every effect replaced but the files in a temporary folder.
/// The state and the output last from one run to the next.
struct RunInMemory: Sendable {
  let folder: TemporaryFolder
  let clock = FakeClock()
  let fetcher = FakeFetcher()
  var transcoder = FakeTranscoder()
  let output = MemoryOutput()
  var state: StateStore
  var workspace: Workspace
  var file: PipelineFile
  /// What a worker has, in bytes.
  var workerMemory = 1 << 30
  /// The lines of the last run, as a catalog has them.
  private let document = Document()

  private final class Document: Sendable {
    let bytes = Mutex([UInt8]())
  }

  /// Two slots, two files for an image of 300 by 200 pixels. Failures are not retried, because
  /// retries wait.
  init() throws {
    folder = try TemporaryFolder()
    let path = try folder.write(
      """
      manifest: manifest.jsonl
      output: output
      slots: {card: {size: 60x}, hero: {size: 120x}}
      scales: [1]
      fetch: {retries: 0}
      """, to: "pipeline.yaml")
    file = try PipelineFile.load(path)
    state = try StateStore(path: "")
    workspace = Workspace(
      try Directory(folder.path("workspace"), creates: true), of: "the output")
    try workspace.clear()
  }

  /// The URL of a source's name.
  static func url(_ name: String) -> String { "https://images.example/\(name)" }

  /// Places an answer at a name's URL.
  func serve(_ name: String, _ answer: FakeFetcher.Answer) { fetcher[Self.url(name)] = answer }

  // MARK: Runs

  /// What a run did.
  struct Outcome {
    /// Lines of the catalog.
    var lines: [String]
    /// An item each: its id, its status, and the code of its error.
    var items: [String]
    var reasons: [String: [Reason]]
    /// A request each, see ``FakeFetcher/takeLog()``.
    var requests: [String]
    /// A decode each: how many files it had to make.
    var decodes: [Int]
    var report: RunReport
    /// Of the catalog.
    var formats: [CatalogFormat]

    func image(_ index: Int) throws -> JSONValue { try JSONParser.parse(Array(lines[index].utf8)) }

    /// Paths of the files that an item's line names.
    func paths(_ index: Int) throws -> [String] {
      (CatalogLine(try image(index)).files(formats) ?? []).map(\.path)
    }
  }

  /// Runs items, each an id with the name of its source.
  func run(
    _ items: KeyValuePairs<String, String>, _ extent: RunExtent = .everything,
    onlyFailed: Bool = false
  ) async throws -> Outcome {
    try await run(
      lines: items.map { #"{"id":"\#($0)","url":"\#(Self.url($1))"}"# }, extent,
      onlyFailed: onlyFailed)
  }

  /// - Parameters:
  ///   - lines: of the manifest.
  ///   - awaited: a source that is only answered once a second item waits for it.
  func run(
    lines: [String], _ extent: RunExtent = .everything, onlyFailed: Bool = false,
    awaited: String? = nil
  ) async throws -> Outcome {
    try workspace.clear()
    fetcher.open()
    transcoder.open()
    _ = (fetcher.takeLog(), transcoder.takeDecodes())
    try folder.write(lines.map { $0 + "\n" }.joined(), to: "manifest.jsonl")
    let runContext = try await runContext(extent, onlyFailed: onlyFailed)
    let (fetcher, transcoder) = (fetcher, transcoder)
    fetcher.beforeAnswers(
      awaited.map { name in
        let (queue, key) = (runContext.turns.queue, RecordKey.of(Self.url(name)))
        return {
          while !queue.isAwaited(key), !Task.isCancelled { await Task.yield() }
          // Only the first request waits: a second one would have no item behind it.
          fetcher.beforeAnswers(nil)
        }
      })
    let loop = ItemLoop(
      Pipeline.itemPipeline(extent, runContext),
      ManifestReading(runContext: runContext, checks: RunChecks(), shard: nil, selection: nil),
      meter: ProgressMeter(runContext.recorder, Silence()),
      stop: {
        transcoder.close()
        fetcher.close()
      })
    let manifest = try await ManifestStream.open(file, in: folder.url.path)
    return try await outcome(of: runContext, count: try await loop.run(manifest))
  }

  /// The runContext of the next run.
  func runContext(
    _ extent: RunExtent = .everything, onlyFailed: Bool = false
  ) async throws -> RunContext {
    let cache = try file.fetch.cache.map { try SourceCache(in: workspace, limit: $0) }
    let bytes = document.bytes.withLock(\.self)
    let parent = ParentLines(
      try await state.chunkIndex(),
      in: OpenDocument(size: bytes.count) { count, offset in
        Array(bytes.dropFirst(offset).prefix(count))
      })
    return RunContext(
      file, extent, run: try await state.beginRun(boot: "test"), onlyFailed: onlyFailed,
      clock: clock.wallClock, state: state, fetcher: fetcher, transcoder: transcoder,
      memory: workerMemory, output: output, workspace: workspace, cache: cache,
      recorder: RunRecorder(),
      lines: try RunLines(parent, in: workspace.spoolDirectory))
  }

  private func outcome(of runContext: RunContext, count: Int) async throws -> Outcome {
    var (lines, bytes) = ([String](), [UInt8]())
    let chunks = try await runContext.lines.writeChunks { text, _ in
      lines += CatalogDocument.lines(text).map { String(decoding: $0, as: UTF8.self) }
      if !bytes.isEmpty { bytes += Array(",\n".utf8) }
      defer { bytes += text }
      return (bytes.count..<bytes.count + text.count, nil)
    }
    document.bytes.withLock { [bytes] in $0 = bytes }
    try await state.endRun(
      runContext.run, .init(pipeline: file.name, items: count), chunks, runContext.claims,
      settings: Fingerprint.line(file))
    var outcome = Outcome(
      lines: lines, items: [], reasons: [:], requests: fetcher.takeLog(),
      decodes: transcoder.takeDecodes(), report: runContext.recorder.current,
      formats: runContext.names.formats)
    for index in lines.indices {
      let image = try outcome.image(index)
      let id = image["id"]?.stringValue ?? ""
      let words = [id, image["status"]?.stringValue, image["error"]?["code"]?.stringValue]
      outcome.items.append(words.compactMap(\.self).joined(separator: " "))
      outcome.reasons[id] = try await state.history(of: id)?.reasons
    }
    return outcome
  }
}

extension RunInMemory {
  /// Publishes a file of an image of its own, and records it as made of these bytes.
  ///
  /// - Parameter text: of the file; its bytes are those of `content` if that is given.
  func publish(
    _ text: String, width: Int = 3, height: Int = 2, has content: String? = nil
  ) async throws -> VariantRecord {
    let (digest, format) = (SHA256.of(text), FileNames(file).formats[0])
    let path = FileName.path(
      source: String(digest.prefix(32)), width: width, height: height, crop: nil,
      recipe: format.recipe ?? "", fileExtension: format.fileExtension ?? "")
    try output.write(path, Array((content ?? text).utf8))
    let record = VariantRecord(
      path: path, width: width, height: height, bytes: text.utf8.count, sha256: digest)
    var change = StateStore.SourceChange()
    change.made = StateStore.Made(
      digest: digest, content: .example(), variants: [(VariantRecord.key(path: path), record)],
      placeholder: (RecordKey.of(text), Placeholders()), run: 1)
    try await state.save(change, key: RecordKey.of(path), url: path)
    return record
  }
}

// MARK: Whole runs

extension RunInMemory {
  /// What a whole run left.
  struct WholeRun {
    var report: RunReport
    var warnings: [String]
    /// The text of `catalog.json`.
    var catalog: String
    /// An item of the catalog each: its id, its status, and the code of its error.
    var items: [String]
  }

  /// A whole run, from the look at the output's last run to `run.json`. Its state is in the workspace.
  ///
  /// - Parameters:
  ///   - lines: of the manifest.
  ///   - other: the output in its place, which writes to it.
  func wholeRun(
    _ lines: [String], to other: (any Output)? = nil,
    _ options: (inout RunOptions) -> Void = { _ in }
  ) async throws -> WholeRun {
    try folder.write(lines.map { $0 + "\n" }.joined(), to: "manifest.jsonl")
    var choices = RunOptions(workerPath: "")
    options(&choices)
    let target: any Output = other ?? output
    let held = try await HeldOutput(target, workspace, choices.shard)
    let warnings = Warnings()
    let result = await Pipeline(file, .everything, choices).runHolding(
      held,
      RunServices(
        clock: clock.wallClock,
        // Anew, as for a run that begins again after its state was set aside.
        startFetcher: { _ in
          fetcher.open()
          return fetcher
        },
        startWorkers: { _ in
          transcoder.open()
          return transcoder
        }),
      warnings)
    await held.release()
    let report = try result.get()
    let catalog =
      choices.shard == nil
      ? String(decoding: try await target.read("catalog.json", 1 << 30, at: 0), as: UTF8.self)
      : "{}"
    let images = try JSONParser.parse(Array(catalog.utf8))["images"]?.arrayValue ?? []
    return WholeRun(
      report: report, warnings: warnings.texts, catalog: catalog,
      items: images.map { image in
        [
          image["id"]?.stringValue, image["status"]?.stringValue,
          image["error"]?["code"]?.stringValue,
        ].compactMap(\.self).joined(separator: " ")
      })
  }
}

/// Keeps the warnings of a run.
private final class Warnings: RunObserving {
  private let kept = Mutex<[String]>([])

  var texts: [String] { kept.withLock(\.self) }

  func began(_ progress: @escaping @Sendable () -> RunProgress) {}
  func happened(_ event: RunEvent) {
    if case .warning(let text) = event { kept.withLock { $0.append(text) } }
  }
}

/// Observes nothing.
private struct Silence: RunObserving {
  func began(_ progress: @escaping @Sendable () -> RunProgress) {}
  func happened(_ event: RunEvent) {}
}
