internal import Synchronization
private import TesseraCCurl

/// Runs libcurl's multi handle on one thread: starts the requests that may start, collects those
/// that have ended, and ends those that are overdue.
final class FetchLoop {
  let settings: FetchSettings
  private let multi: UnsafeMutableRawPointer
  /// The connections to the object store, which may be where no other request may go.
  private let storeConnections = ConnectionPool()
  private var queue = RequestQueue<FetchJob>()
  var running: [Int: (transfer: Transfer, job: FetchJob)] = [:]
  private var hops = WaitingHops()
  /// Files that are being read, by their requests.
  var reading: [Int: FetchJob] = [:]
  let fileReads: FileReads
  var hosts: HostLimits

  /// While true, no new source starts: fetched sources wait to be processed.
  var isHeld = false

  static let cancelled = FetchError(.cancelled, "the run was stopped")

  /// - Parameters:
  ///   - multi: libcurl's multi handle; the loop becomes its owner.
  ///   - wake: ends a sleep of the loop; may be called from any thread.
  init(
    settings: FetchSettings, multi: UnsafeMutableRawPointer, wake: @escaping @Sendable () -> Void
  ) {
    self.settings = settings
    self.multi = multi
    fileReads = FileReads(settings, wake: wake)
    hosts = HostLimits(
      perHost: settings.perHost, patience: settings.patience, rules: settings.hosts,
      rate: settings.rate)
    // HostLimits counts a request for the host that it was queued for, or that a redirect leads to if that has settings of
    // its own. libcurl's own limits also cover the other hosts that redirects lead to.
    tessera_curl_multi_set_long(multi, CURLMOPT_MAX_TOTAL_CONNECTIONS, settings.concurrency)
    // Requests of HTTP/2 share a connection, so only the number of requests can follow the host.
    tessera_curl_multi_set_long(
      multi, CURLMOPT_MAX_HOST_CONNECTIONS, settings.mostPerHost ?? settings.concurrency)
    // Idle connections to keep: twice the active ones, so that a redirect's target stays open, too.
    tessera_curl_multi_set_long(multi, CURLMOPT_MAXCONNECTS, settings.concurrency * 2)
  }

  // libcurl requires that all transfers are removed first; ``endAll(_:)`` has done so.
  deinit { curl_multi_cleanup(multi) }

  func add(_ jobs: [FetchJob]) {
    let now = ContinuousClock.now
    for var job in jobs {
      job.queued = now
      // Files have turns of their own, as a host has: each occupies a thread.
      if LocalSource.isFile(job.request.url) {
        job.host = HostLimits.files
      } else if let name = settings.hosts.name(at: job.request.url) {
        job.host = name
      }
      queue.add(
        job, identifier: job.identifier, host: job.host, turn: job.request.turn,
        isContinued: job.request.end != nil)
    }
  }

  /// Ends a request, queued or in flight.
  func cancel(_ identifier: Int) {
    if let job = queue.remove(identifier) {
      job.finish(.failure(Self.cancelled))
    } else if let (transfer, job) = remove(identifier) ?? hops.remove(identifier) {
      job.finish(.failure(Self.cancelled), transfer)
    } else {
      giveUpReading(identifier, Self.cancelled)
    }
  }

  /// Ends all requests.
  func endAll(_ error: FetchError = cancelled) {
    for job in queue.takeAll() { job.finish(.failure(error)) }
    let removed = Array(running.keys).compactMap { remove($0) }
    for (transfer, job) in removed + hops.takeAll() { job.finish(.failure(error), transfer) }
    for identifier in Array(reading.keys) { giveUpReading(identifier, error) }
  }

  /// With more queued requests than this while transfers are free, their hosts are the cause: fewer
  /// may just have arrived.
  private static let manyQueued = 500

  /// Starts, moves and ends transfers, then sleeps until the network, a new request or a time limit
  /// needs attention.
  ///
  /// - Parameter report: called before the sleep; see ``Fetching/isBlocked``.
  func turn(_ report: (_ isBlocked: Bool) -> Void) {
    // In every turn, because requests may still be added after the run's end.
    if let end = settings.end, end <= .now { endAll(.runDeadline) }
    giveUp()
    startQueued(readsLocally: true)
    let hasRead = isReading
    var count: Int32 = 0
    curl_multi_perform(multi, &count)
    // Before the time limits: a transfer that has just ended has a result, and is not overdue.
    collect()
    collectReads()
    endOverdue()
    // A transfer may have ended, so another one may start.
    startQueued(readsLocally: false)
    report(!isHeld && hasRoom && queue.count > Self.manyQueued)
    // A new request wakes the loop, but a time limit does not: they are checked every 200 ms.
    let isIdle = running.isEmpty && reading.isEmpty && queue.isEmpty && hops.isEmpty
    let pause: Int32 = hasRead ? 0 : isIdle ? 10_000 : min(200, timeToPace)
    curl_multi_poll(multi, nil, 0, pause, nil)
  }

  /// Milliseconds until a host that had to wait for its pace or a rate may get a request.
  private var timeToPace: Int32 {
    if queue.isEmpty && hops.isEmpty { return .max }
    let next = hosts.nextStart(now: lastStart) { queue.hasEntries($0) || hops.has(target: $0) }
    let left = next.map { ContinuousClock.now.duration(to: $0).milliseconds + 1 }
    return Int32(clamping: max(0, left ?? .max))
  }

  // MARK: Hosts that fail

  /// How often the circuit breakers are inspected.
  private static let giveUpInterval = Duration.milliseconds(100)
  private var lastGiveUp = ContinuousClock.now

  /// Ends the queued requests of hosts that have failed for too long.
  private func giveUp() {
    let now = ContinuousClock.now
    // Not in every turn: turns follow the network's events, and this inspects all failing hosts.
    guard lastGiveUp.duration(to: now) >= Self.giveUpInterval else { return }
    lastGiveUp = now
    for (host, error) in hosts.hostsToGiveUp(now: now, isQueued: { queue.hasEntries($0) }) {
      for job in queue.takeAll(of: host) { job.finish(.failure(error)) }
    }
  }

  // MARK: Starting

  /// Whether this turn has read a `data:` URL, and when it began to start requests.
  private var (isReading, lastStart) = (false, ContinuousClock.now)

  private var hasRoom: Bool { running.count + reading.count < settings.concurrency }

  /// - Parameter readsLocally: whether a `data:` URL may be read. That blocks the loop, so there is
  ///   one in a turn, and transfers move in between.
  private func startQueued(readsLocally: Bool) {
    let now = ContinuousClock.now
    lastStart = now
    var mayRead = readsLocally
    // First, as all that was begun.
    while hasRoom,
      let (transfer, job) = hops.takeNext(
        now: now, where: { hosts.mayContinue(to: $0, now: now) })
    {
      go(on: transfer, job)
    }
    while hasRoom,
      let job = queue.takeNext(
        onlyContinued: isHeld,
        where: { ($0 != HostLimits.noHost || mayRead) && hosts.mayStart($0, now: now) },
        isProbed: { hosts.isProbed($0, now: now) })
    {
      if job.host == HostLimits.noHost { mayRead = false }
      start(job)
    }
    isReading = readsLocally && !mayRead
  }

  private func start(_ job: FetchJob) {
    var job = job
    let now = ContinuousClock.now
    job.started = now
    var request = job.request
    // A retry, or the rest of a download, shares the deadline of its item's earlier requests. What it waited for a rate is
    // not the item's time: with one request a minute, each retry would come too late.
    if let end = request.end {
      if hosts.hasRate(job.host) { job.queuedForRate = job.queued?.duration(to: now) ?? .zero }
      request.deadline = min(request.deadline, now.duration(to: end) + job.queuedForRate)
    }
    if let source = LocalSource(request.url) {
      if job.host == HostLimits.files { return startReading(source, job, request) }
      let (result, bytes) = source.read(request, settings, into: job.receiver)
      return job.finish(result, bytes: bytes)
    }
    let transfer = Transfer(
      job.identifier, request, settings: settings, receiver: job.receiver)
    guard let transfer else {
      return job.finish(.failure(FetchError(.local, "libcurl could not create a handle")))
    }
    if let error = transfer.prepare() { return job.finish(.failure(error)) }
    if let error = register(transfer, job) { job.finish(.failure(error)) }
  }

  /// Sends the request that a redirect leads to.
  private func go(on transfer: Transfer, _ job: FetchJob) {
    if let error = register(transfer, job) { job.finish(.failure(error), transfer) }
  }

  // MARK: Running

  private func register(_ transfer: Transfer, _ job: FetchJob) -> FetchError? {
    transfer.handle.setPool(transfer.right == .store ? storeConnections : nil)
    guard transfer.handle.takeFailure() == nil,
      curl_multi_add_handle(multi, transfer.handle.pointer) == CURLM_OK
    else {
      return FetchError(.local, "libcurl could not start the request")
    }
    running[job.identifier] = (transfer, job)
    let now = ContinuousClock.now
    hosts.started(job.countedHost, now: now, isContinued: transfer.isRedirected)
    hosts.sent(to: transfer.isRedirected ? job.target : job.host, now: now)
    return nil
  }

  private func remove(_ identifier: Int) -> (transfer: Transfer, job: FetchJob)? {
    guard let entry = running.removeValue(forKey: identifier) else { return nil }
    curl_multi_remove_handle(multi, entry.transfer.handle.pointer)
    hosts.ended(entry.job.countedHost)
    return entry
  }

  private func collect() {
    var count: Int32 = 0
    while let message = curl_multi_info_read(multi, &count) {
      guard message.pointee.msg == CURLMSG_DONE, let handle = message.pointee.easy_handle,
        let transfer = Transfer.behind(handle)
      else { continue }
      // Before the removal, which frees the message.
      let code = tessera_curl_message_result(message).rawValue
      // Also before a redirect: libcurl starts a handle again only if it is removed and added
      // again.
      guard let (_, job) = remove(transfer.identifier) else { continue }
      conclude(transfer, job, rawCode: code)
    }
  }

  private func conclude(_ transfer: Transfer, _ job: FetchJob, rawCode: UInt32) {
    switch transfer.next(rawCode: rawCode) {
    case .done(let result): finish(job, result, transfer)
    case .again:
      // The same handle, with another URL and the rest of the deadline.
      var job = job
      job.target = settings.hosts.name(at: transfer.url)
      let now = ContinuousClock.now
      if hosts.mayContinue(to: job.target, now: now) {
        go(on: transfer, job)
      } else {
        hops.add(transfer, job, now: now)
      }
    }
  }

  private func finish(
    _ job: FetchJob, _ result: Result<FetchResponse, FetchError>, _ transfer: Transfer
  ) {
    // A redirect is a response of the host that the request was queued for, wherever it led.
    let signal =
      transfer.isRedirected
      ? .success
      : CircuitBreaker.Signal(
        result, wasSent: transfer.requests > 0, wasAnswered: transfer.isAnswered)
    let now = ContinuousClock.now
    hosts.answered(
      transfer.answer(result), of: job.host, started: job.started ?? now, now: now)
    if let signal {
      let pause = hosts.record(
        signal, of: job.host, url: job.request.url, started: job.started ?? now, now: now,
        chance: .random(in: 0...1))
      if let pause, case .failure(let error) = result {
        settings.hostSlowed(job.host, error, pause)
      }
    }
    job.finish(result, transfer)
  }

  // MARK: Time limits

  private func endOverdue() {
    let now = ContinuousClock.now
    for (identifier, entry) in running {
      if entry.transfer.isDrainOver(now: now), let job = remove(identifier)?.job {
        // As if the transfer had been ended at the end of the headers.
        conclude(entry.transfer, job, rawCode: CURLE_WRITE_ERROR.rawValue)
        continue
      }
      guard let error = entry.transfer.overdue(now: now), let job = remove(identifier)?.job else {
        continue
      }
      finish(job, .failure(error), entry.transfer)
    }
    endOverdueReads(now: now)
    // Only continued requests can be overdue here: for all others, the time starts when they leave
    // the queue.
    for (identifier, job) in queue.allContinued {
      guard let end = job.request.end, end <= now, !hosts.hasRate(job.host) else { continue }
      _ = queue.remove(identifier)
      job.finish(.failure(hosts.failure(of: job.host)?.asTimeLimit ?? .timeLimit))
    }
  }
}

// For the progress.
extension FetchLoop {
  /// The requests in flight. There are no more of them than `concurrency`.
  var inFlight: FetchesInFlight {
    var requests = FetchesInFlight()
    for (transfer, job) in running.values {
      requests.add(job, host: job.host, bytes: transfer.received)
    }
    for job in reading.values { requests.add(job, host: "", bytes: 0) }
    return requests
  }
}

/// Files, each of which is read on a thread of its own.
extension FetchLoop {
  func startReading(_ source: LocalSource, _ job: FetchJob, _ request: FetchRequest) {
    var job = job
    job.request = request
    let error = fileReads.start(job.identifier, source, request, into: job.receiver)
    if let error { return job.finish(.failure(error)) }
    reading[job.identifier] = job
    hosts.started(job.host, now: .now)
  }

  func collectReads() {
    for (identifier, result, bytes) in fileReads.takeFinished() {
      guard let job = reading.removeValue(forKey: identifier) else { continue }
      hosts.ended(job.host)
      job.finish(result, bytes: bytes)
    }
  }

  /// Ends a request whose file may still be read, perhaps forever.
  func giveUpReading(_ identifier: Int, _ error: FetchError) {
    guard let job = reading.removeValue(forKey: identifier) else { return }
    fileReads.giveUp(identifier)
    hosts.ended(job.host)
    job.finish(.failure(error))
  }

  func endOverdueReads(now: ContinuousClock.Instant) {
    for (identifier, job) in reading {
      let deadline = job.request.deadline
      guard let started = job.started, started.advanced(by: deadline) <= now else { continue }
      giveUpReading(identifier, FileReads.overdue(deadline))
    }
  }
}

/// A request with the caller that waits for its result.
struct FetchJob {
  var identifier: Int
  var request: FetchRequest
  var host: String
  var receiver: any BodyReceiving
  var finish: @Sendable (FetchResult) -> Void
  /// When it left the queue; nil while it is queued.
  var started: ContinuousClock.Instant?
  /// When it came into the queue.
  var queued: ContinuousClock.Instant?
  /// The host that the current hop counts for, if a redirect led to one with settings of its own.
  var target: String?
  /// How long it has waited for a rate after its item had begun: in the queue, and before redirects were followed.
  var queuedForRate = Duration.zero
  var heldForRate = Duration.zero

  /// The host whose requests in flight it is one of.
  var countedHost: String { target ?? host }

  private var time: Duration { (started?.duration(to: .now) ?? .zero) - heldForRate }

  /// - Parameters:
  ///   - transfer: nil if none was started.
  ///   - bytes: of a source that needed no server.
  func finish(
    _ result: Result<FetchResponse, FetchError>, _ transfer: Transfer? = nil, bytes: Int = 0
  ) {
    finish(
      FetchResult(
        result: result, begun: (try? result.get()) ?? transfer?.begun,
        bytes: transfer?.received ?? bytes, requests: transfer?.requests ?? 0, time: time,
        waited: queuedForRate + heldForRate, answeredBy: transfer?.answeredBy ?? ""))
  }
}

/// Transfers that a redirect leads on, and that wait until its target may get another request. They hold no place
/// meanwhile, neither of all transfers nor of a host.
struct WaitingHops {
  private var hops: [(transfer: Transfer, job: FetchJob, since: ContinuousClock.Instant)] = []

  var isEmpty: Bool { hops.isEmpty }

  func has(target: String) -> Bool { hops.contains { $0.job.target == target } }

  mutating func add(_ transfer: Transfer, _ job: FetchJob, now: ContinuousClock.Instant) {
    hops.append((transfer, job, now))
  }

  /// Removes and returns the transfer that has waited longest, of those that may go on. Its wait is not a part of its time.
  mutating func takeNext(
    now: ContinuousClock.Instant, where mayContinue: (_ target: String?) -> Bool
  ) -> (transfer: Transfer, job: FetchJob)? {
    guard let index = hops.firstIndex(where: { mayContinue($0.job.target) }) else { return nil }
    var (transfer, job, since) = hops.remove(at: index)
    let wait = since.duration(to: now)
    job.heldForRate += wait
    transfer.deadline += wait
    return (transfer, job)
  }

  mutating func remove(_ identifier: Int) -> (transfer: Transfer, job: FetchJob)? {
    guard let index = hops.firstIndex(where: { $0.job.identifier == identifier }) else {
      return nil
    }
    let hop = hops.remove(at: index)
    return (hop.transfer, hop.job)
  }

  mutating func takeAll() -> [(transfer: Transfer, job: FetchJob)] {
    defer { hops = [] }
    return hops.map { ($0.transfer, $0.job) }
  }
}

/// Wakes the fetch loop from other threads.
///
/// `@unchecked Sendable`: other threads use the pointer for `curl_multi_wakeup` only, which libcurl
/// documents as safe there, and only under the lock that also guards its end.
final class Waker: @unchecked Sendable {
  let multi: UnsafeMutableRawPointer
  private let isAlive = Mutex(true)

  init(multi: UnsafeMutableRawPointer) { self.multi = multi }

  func wake() {
    isAlive.withLock { isAlive in
      if isAlive { curl_multi_wakeup(multi) }
    }
  }

  /// After this the multi handle may be freed.
  func forget() { isAlive.withLock { $0 = false } }
}
