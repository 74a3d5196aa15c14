internal import Synchronization
internal import TesseraNet
internal import TesseraSystem

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
