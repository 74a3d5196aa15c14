internal import Synchronization
internal import TesseraImageHeader
internal import TesseraJSON
internal import TesseraManifest
internal import TesseraNet
internal import TesseraPipeline
internal import TesseraPipelineFile
internal import TesseraSystem
internal import TesseraText

/// Probes URLs and files that a person names, with settings of its own instead of a pipeline's.
struct ProbeSession: Sendable {
  /// Further attempts after the first, for errors that can pass.
  private static let retries = 2
  /// The deadline of one source is this many timeouts: connecting, the answer, and both retries.
  private static let timeoutsPerSource = 4

  private let settings: FetchSettings

  /// - Parameters:
  ///   - concurrency: sources probed at a time.
  ///   - timeout: to connect, and to the first byte; one source takes four times as long at most.
  ///   - maximumBytes: read from one source at most.
  ///   - allow: networks besides the public internet, as ``understands(_:)`` accepts them.
  init(concurrency: Int, timeout: Duration, maximumBytes: Int, allow: [String]) {
    // The person who lists the sources decides how many requests one host gets.
    var settings = FetchSettings(
      concurrency: concurrency, perHost: concurrency, timeout: timeout, maximumBytes: maximumBytes,
      addresses: AddressPolicy(allow: allow))
    // As by its path: the person has named it.
    settings.folders = ["/"]
    settings.takeEnvironment()
    settings.permissionHint = { permission in "say --allow \(permission.filter { $0 != "\"" })" }
    self.settings = settings
  }

  /// Whether `allow` may have an entry: `loopback`, `private`, or an address block in CIDR
  /// notation.
  static func understands(_ entry: String) -> Bool { AddressPolicy.understands(entry) }

  /// Probes sources, and hands out the answers in their order.
  ///
  /// - Parameters:
  ///   - sources: URLs and paths; "-" stands for a list of them on standard input, one a line.
  ///   - answer: returns false to stop, because its results are no longer read.
  /// - Returns: whether all sources have a size.
  /// - Throws: an error of the network's library or of standard input, or `CancellationError`.
  func run(
    _ sources: [String], answer: @escaping @Sendable (ProbeReport) -> Bool
  ) async throws -> Bool {
    let fetcher = try Fetcher(settings)
    defer { fetcher.close() }
    let prober = Prober(
      fetcher: fetcher,
      RetryPolicy(
        retries: Self.retries, deadline: settings.timeout * Self.timeoutsPerSource),
      maximumBytes: settings.maximumBytes, concurrency: settings.concurrency)
    let progress = Mutex((hasFailures: false, isStopped: false))
    let list = SourceList(try File.standardInput())
    let stopList = list.stopper()
    var queue = SourceQueue(sources, list: list)
    try await withTaskCancellationHandler {
      try await prober.probe(
        { progress.withLock { $0.isStopped } ? nil : try await queue.next() },
        answer: { answered in
          let result = ProbeReport(answered)
          if result.problem != nil { progress.withLock { $0.hasFailures = true } }
          if !answer(result) {
            progress.withLock { $0.isStopped = true }
            stopList()
          }
        })
    } onCancel: {
      stopList()
    }
    try Task.checkCancellation()
    return !progress.withLock { $0.hasFailures }
  }

  /// The sources in their order, with the list in the place of each "-".
  private struct SourceQueue {
    private var rest: ArraySlice<String>
    private let list: SourceList

    init(_ sources: [String], list: SourceList) {
      rest = sources[...]
      self.list = list
    }

    mutating func next() async throws -> Result<String, Prober.Failure>? {
      while let source = rest.first {
        if source == "-", let listed = try await list.next() { return listed }
        rest.removeFirst()
        if source != "-" { return .success(source) }
      }
      return nil
    }
  }
}

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

/// The answer for one probed source, as `probe --json` prints it on a line.
struct ProbeReport: Sendable, Encodable {
  let schema = "tessera-probe/1"
  /// The source as it was named, without the user and password of a URL.
  let source: String
  private var width, height, pixelWidth, pixelHeight, orientation: Int?
  private var format: String?
  private var alpha, animated: Bool?
  private var frames, bitsPerChannel: Int?
  private var iccProfile: Bool?
  private var error: Failure?
  private let bytesRead, requests: Int

  private struct Failure: Encodable {
    let code, message: String
    let retryable: Bool
  }

  init(_ answer: Prober.Answer) {
    (source, bytesRead, requests) = (answer.source, answer.bytesRead, answer.requests)
    switch answer.result {
    case .success(let header):
      (width, height) = (header.width, header.height)
      (pixelWidth, pixelHeight) = (header.pixelWidth, header.pixelHeight)
      (orientation, format) = (header.orientation.rawValue, header.format.rawValue)
      (alpha, animated, frames) = (header.hasAlpha, header.isAnimated, header.frames)
      (bitsPerChannel, iccProfile) = (header.bitsPerChannel, header.hasICCProfile)
    case .failure(let failure):
      error = Failure(
        code: failure.code, message: failure.message, retryable: failure.isRetryable)
    }
  }

  /// The displayed size in pixels, and the name of the format; nil if probing failed.
  var image: (width: Int, height: Int, format: String)? {
    guard let width, let height, let format else { return nil }
    return (width, height, format)
  }

  /// Why probing failed; nil if it did not.
  var problem: (code: String, message: String)? { error.map { ($0.code, $0.message) } }

  var json: [UInt8] { JSONCoding.text(self) }
}
