private import TesseraCCurl

/// Runs libcurl's multi handle on one thread: starts what may start, hears what has ended, and
/// ends what takes too long.
final class FetchLoop {
  /// A request with the one who waits for it.
  struct Job {
    var identifier: Int
    var request: FetchRequest
    var host: String
    var receiver: any BodyReceiving
    var finish: @Sendable (FetchResult) -> Void
    /// When it left the queue; nil while it waits there.
    var started: ContinuousClock.Instant?

    func finish(_ result: Result<FetchResponse, FetchError>, _ transfer: Transfer? = nil) {
      finish(
        FetchResult(
          result: result, begun: transfer?.begun, bytes: transfer?.received ?? 0,
          requests: transfer?.requests ?? 0,
          time: started?.duration(to: .now) ?? .zero))
    }

    /// Of a source that no server was asked for.
    func finish(_ result: Result<FetchResponse, FetchError>, bytes: Int) {
      let begun: FetchResponse? = if case .success(let response) = result { response } else { nil }
      finish(
        FetchResult(
          result: result, begun: begun, bytes: bytes, requests: 0,
          time: started?.duration(to: .now) ?? .zero))
    }
  }

  private let settings: FetchSettings
  private let multi: UnsafeMutableRawPointer
  private var waiting = WaitingLine<Job>()
  private var running: [Int: (transfer: Transfer, job: Job)] = [:]
  private var perHost: [String: Int] = [:]
  /// Of hosts that have trouble, and no others.
  private var health: [String: HostHealth] = [:]

  /// - Parameter multi: libcurl's multi handle; the loop becomes its owner.
  init(settings: FetchSettings, multi: UnsafeMutableRawPointer) {
    self.settings = settings
    self.multi = multi
    tessera_curl_multi_set_long(multi, CURLMOPT_MAX_TOTAL_CONNECTIONS, settings.concurrency)
    tessera_curl_multi_set_long(multi, CURLMOPT_MAX_HOST_CONNECTIONS, settings.perHost)
    tessera_curl_multi_set_long(multi, CURLMOPT_MAXCONNECTS, settings.concurrency * 2)
  }

  deinit { curl_multi_cleanup(multi) }

  func add(_ jobs: [Job]) {
    for job in jobs {
      waiting.add(
        job, identifier: job.identifier, host: job.host, turn: job.request.turn,
        hasBegun: job.request.end != nil)
    }
  }

  /// Ends a request, wherever it is.
  func cancel(_ identifier: Int) {
    if let job = waiting.remove(identifier) {
      job.finish(.failure(Self.cancelled))
    } else if let (transfer, job) = remove(identifier) {
      job.finish(.failure(Self.cancelled), transfer)
    }
  }

  /// Ends all requests.
  func endAll(_ error: FetchError = cancelled) {
    for job in waiting.takeAll() { job.finish(.failure(error)) }
    for identifier in Array(running.keys) {
      guard let (transfer, job) = remove(identifier) else { continue }
      job.finish(.failure(error), transfer)
    }
  }

  /// More than this are not there by chance, on their way into the queue.
  private static let manyWaiting = 500

  static let cancelled = FetchError(.cancelled, "the run was stopped")

  /// While true, nothing is begun: what has come in waits to be worked on.
  var isHeld = false

  /// One turn: starts, moves and ends transfers, then sleeps until something happens or `pause` is
  /// over.
  ///
  /// - Parameter tell: told, before the sleep, whether those who wait can't take the places that are free.
  func turn(_ tell: (_ isBlocked: Bool) -> Void) {
    if let end = settings.end, end <= .now { endAll(.runDeadline) }
    giveUp()
    startWaiting(readsLocally: true)
    let hasRead = isReading
    var count: Int32 = 0
    curl_multi_perform(multi, &count)
    collect()
    endOverdue()
    // A place may have become free.
    startWaiting(readsLocally: false)
    tell(!isHeld && running.count < settings.concurrency && waiting.count > Self.manyWaiting)
    // Requests wake it; time does not.
    let pause: Int32 = hasRead ? 0 : running.isEmpty && waiting.isEmpty ? 10_000 : 200
    curl_multi_poll(multi, nil, 0, pause, nil)
  }

  // MARK: Hosts

  private func mayAsk(_ host: String, _ now: ContinuousClock.Instant) -> Bool {
    let count = perHost[host, default: 0]
    guard count < settings.perHost else { return false }
    return switch health[host]?.permission(now: now) {
    case nil, .go: true
    case .goAlone: count == 0
    case .wait, .givenUp: false
    }
  }

  private func note(_ sign: HostHealth.Sign?, of job: Job) {
    guard let sign else { return }
    let host = job.host
    switch sign {
    case .well:
      if health[host]?.isOver(wellSince: job.started ?? .now) == true { health[host] = nil }
    case .busy(let error), .unreachable(let error):
      // Also of a host that nobody else wants yet: who comes next may be on the way to the queue.
      let now = ContinuousClock.now
      health[
        host, default: HostHealth(patience: settings.patience, error: error, now: now)
      ].saw(sign, now: now, chance: Double.random(in: 0...1))
    }
  }

  /// How often hosts with trouble are looked through.
  private static let rounds = Duration.milliseconds(100)
  private var lastRound = ContinuousClock.now

  /// Ends what waits for hosts that are not worth waiting for.
  private func giveUp() {
    let now = ContinuousClock.now
    guard !health.isEmpty, lastRound.duration(to: now) >= Self.rounds else { return }
    lastRound = now
    for (host, state) in health {
      switch state.permission(now: now) {
      case .givenUp(var error):
        error.message += "; the host has had trouble for too long, so it is left alone for now"
        error.isHostGivenUp = true
        for job in waiting.takeAll(of: host) { job.finish(.failure(error)) }
      case .go, .goAlone:
        if state.isForgotten(now: now), perHost[host] == nil, !waiting.hasWaiters(host) {
          health[host] = nil
        }
      case .wait: break
      }
    }
  }

  // MARK: Starting and ending

  /// - Parameter readsLocally: whether a source that no server is asked for may be among them. Such a one is
  ///   read here and now, so there is one at a time, and transfers go on in between.
  private func startWaiting(readsLocally: Bool) {
    let now = ContinuousClock.now
    var mayRead = readsLocally
    while running.count < settings.concurrency,
      let job = waiting.takeNext(
        onlyBegun: isHeld, where: { ($0 != Self.noHost || mayRead) && mayAsk($0, now) })
    {
      if job.host == Self.noHost { mayRead = false }
      start(job)
    }
    isReading = readsLocally && !mayRead
  }

  /// The host of URLs that have none.
  private static let noHost = ""
  /// Whether a source was read in this turn that no server was asked for.
  private var isReading = false

  private func start(_ job: Job) {
    var job = job
    let now = ContinuousClock.now
    job.started = now
    var request = job.request
    if let end = request.end { request.deadline = min(request.deadline, now.duration(to: end)) }
    if let source = LocalSource(request.url) {
      let (result, bytes) = source.read(request, settings, into: job.receiver)
      return job.finish(result, bytes: bytes)
    }
    let transfer = Transfer(
      job.identifier, request, host: job.host, settings: settings, receiver: job.receiver)
    guard let transfer else {
      return job.finish(.failure(FetchError(.local, "libcurl could not make a handle")))
    }
    if let error = transfer.prepare() { return job.finish(.failure(error)) }
    guard curl_multi_add_handle(multi, transfer.easyHandle) == CURLM_OK else {
      return job.finish(.failure(FetchError(.local, "libcurl could not take the request")))
    }
    running[job.identifier] = (transfer, job)
    perHost[job.host, default: 0] += 1
  }

  private func remove(_ identifier: Int) -> (transfer: Transfer, job: Job)? {
    guard let entry = running.removeValue(forKey: identifier) else { return nil }
    curl_multi_remove_handle(multi, entry.transfer.easyHandle)
    let left = perHost[entry.job.host, default: 1] - 1
    perHost[entry.job.host] = left > 0 ? left : nil
    return entry
  }

  private func collect() {
    var count: Int32 = 0
    while let message = curl_multi_info_read(multi, &count) {
      guard message.pointee.msg == CURLMSG_DONE, let handle = message.pointee.easy_handle,
        let transfer = Transfer.behind(handle)
      else { continue }
      let code = tessera_curl_message_result(message).rawValue
      guard let entry = remove(transfer.identifier) else { continue }
      switch transfer.next(rawCode: code) {
      case .done(let result): finish(entry.job, result, transfer)
      case .redirect:
        // The same handle, with another URL and what is left of the deadline.
        guard curl_multi_add_handle(multi, transfer.easyHandle) == CURLM_OK else {
          let error = FetchError(.local, "libcurl could not take the request")
          entry.job.finish(.failure(error), transfer)
          continue
        }
        running[transfer.identifier] = entry
        perHost[entry.job.host, default: 0] += 1
      }
    }
  }

  private func finish(
    _ job: Job, _ result: Result<FetchResponse, FetchError>, _ transfer: Transfer
  ) {
    // A redirect is an answer of the host whose turn was waited for, wherever it led.
    note(
      transfer.isRedirected ? .well : HostHealth.Sign(result, wasSent: transfer.requests > 0),
      of: job)
    job.finish(result, transfer)
  }

  private func endOverdue() {
    let now = ContinuousClock.now
    for (identifier, entry) in running {
      guard let error = entry.transfer.overdue(now: now), let job = remove(identifier)?.job else {
        continue
      }
      finish(job, .failure(error), entry.transfer)
    }
    for (identifier, job) in waiting.allBegun {
      guard let end = job.request.end, end <= now else { continue }
      _ = waiting.remove(identifier)
      let error = FetchError(
        .timeout, "the time was up before the host could be asked again", isRetryable: true)
      job.finish(.failure(error))
    }
  }
}
