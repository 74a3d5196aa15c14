internal import Synchronization
internal import TesseraImageHeader
internal import TesseraManifest
internal import TesseraNet
internal import TesseraPipeline
internal import TesseraPipelineFile
internal import TesseraText

/// Probes the images of a manifest, with the requests that a run of the pipeline would make, and
/// accepts what a run would accept.
final class ManifestProber {
  /// What the probe of an item found.
  typealias Answer = (Item, Result<ImageHeader, Prober.Failure>)

  /// Items that are probed together: up to this many, and about this many bytes of their entries.
  static let batch = 256
  private static let batchBytes = 16 << 20

  private let file: PipelineFile
  private let fetcher: Fetcher
  private let prober: Prober
  private var items: [Item] = []
  private var weight = 0

  init(_ file: PipelineFile) throws {
    self.file = file
    var settings = file.fetch.fetchSettings
    settings.store = StoreClient(file.store.settings)
    fetcher = try Fetcher(settings)
    // The fetcher limits the transfers. Items that wait for the rate of their host must not keep others from starting.
    prober = Prober(
      fetcher: fetcher, file.fetch.retryPolicy, maximumBytes: file.fetch.maximumBytes,
      concurrency: max(Self.batch, file.fetch.concurrency))
  }

  deinit { fetcher.close() }

  /// Probes one URL or one file.
  func probe(_ source: String) async throws -> Prober.Answer { try await prober.probe(source) }

  /// Adds an item. Returns the answers of a batch when it is full.
  func add(
    _ item: Item
  ) async throws -> [Answer] {
    items.append(item)
    weight += item.weight
    return items.count < Self.batch && weight < Self.batchBytes ? [] : try await flush()
  }

  /// The answers for the items that are left, in their order.
  func flush() async throws -> [Answer] {
    defer { (items, weight) = ([], 0) }
    let answers = Mutex<[Prober.Answer]>([])
    var rest = items.map(\.requestURL)[...]
    try await prober.probe(
      {
        rest.popFirst().map { url in
          // Only a person names a path; `rewrite` can make one of a manifest's URL, and a run rejects it.
          SourceURL.isSource(url) ? .success(url) : .failure(.badURL)
        }
      },
      answer: { answer in answers.withLock { $0.append(answer) } })
    let acceptance = Acceptance(file)
    return zip(items, answers.withLock(\.self)).map { item, answer in
      let result = answer.result.flatMap { header in
        acceptance.rejection(of: .header(header)).map {
          .failure(Prober.Failure(code: $0.code, message: $0.sentence.asSentence))
        } ?? Result<ImageHeader, Prober.Failure>.success(header)
      }
      return (item, result)
    }
  }
}
