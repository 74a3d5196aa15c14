internal import Synchronization
internal import TesseraFetch
internal import TesseraImageHeader
internal import TesseraManifest
internal import TesseraPipelineFile
internal import TesseraProbe
internal import TesseraText

/// Asks the network for the sizes of a manifest's pictures, as a run of the pipeline would ask, and
/// lets in what a run would let in.
final class EntryProber {
  /// So many entries are asked for together.
  static let batch = 256

  private let file: PipelineFile
  private let fetcher: Fetcher
  private let prober: Prober
  private var entries: [ManifestEntry] = []

  init(_ file: PipelineFile) throws(PipelineError) {
    self.file = file
    fetcher = try PipelineError.wrap { try Fetcher(file.fetch.fetchSettings) }
    prober = Prober(
      fetcher: fetcher, headers: file.fetch.headers.map { ($0.name, $0.value) },
      retries: file.fetch.retries, deadline: file.fetch.deadline,
      maximumBytes: file.fetch.maximumBytes, concurrency: file.fetch.concurrency)
  }

  deinit { fetcher.close() }

  /// Probes one URL, or one file.
  func probe(_ source: String) async throws -> Prober.Answer { try await prober.probe(source) }

  /// Takes an entry, and hands out the answers of a batch when there is a whole one.
  func add(
    _ entry: ManifestEntry
  ) async throws -> [(ManifestEntry, Result<ImageHeader, Prober.Failure>)] {
    entries.append(entry)
    return entries.count < Self.batch ? [] : try await flush()
  }

  /// The answers for the entries that are left, in their order.
  func flush() async throws -> [(ManifestEntry, Result<ImageHeader, Prober.Failure>)] {
    defer { entries = [] }
    let answers = Mutex<[Prober.Answer]>([])
    var rest = entries.map { file.requestURL(for: $0) }[...]
    try await prober.probe(
      { rest.popFirst().map { .success($0) } },
      answer: { answer in answers.withLock { $0.append(answer) } })
    let limits = Intake.Limits(accept: file.accept, pixels: file.limits.pixels)
    return zip(entries, answers.withLock(\.self)).map { entry, answer in
      let result = answer.result.flatMap { header in
        limits.refusal(of: .header(header)).map {
          .failure(Prober.Failure(code: $0.code, message: $0.message.asSentence))
        } ?? Result<ImageHeader, Prober.Failure>.success(header)
      }
      return (entry, result)
    }
  }
}
