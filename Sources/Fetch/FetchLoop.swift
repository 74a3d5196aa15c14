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
  }

  private let settings: FetchSettings
  private let multi: UnsafeMutableRawPointer
  private var waiting: [Job] = []
  private var running: [Int: (transfer: Transfer, job: Job)] = [:]
  private var perHost: [String: Int] = [:]

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
    waiting.insert(contentsOf: jobs.filter(\.request.isContinuation), at: 0)
    waiting.append(contentsOf: jobs.filter { !$0.request.isContinuation })
  }

  /// Ends a request, wherever it is.
  func cancel(_ identifier: Int) {
    let error = FetchError(.cancelled, "the run was stopped")
    if let index = waiting.firstIndex(where: { $0.identifier == identifier }) {
      waiting.remove(at: index).finish(.failure(error))
    } else if let (transfer, job) = remove(identifier) {
      job.finish(.failure(error), transfer)
    }
  }

  func cancelAll() {
    for identifier in waiting.map(\.identifier) + Array(running.keys) { cancel(identifier) }
  }

  /// While true, nothing new is started: what has come in waits to be worked on.
  var isHeld = false

  /// One turn: starts, moves and ends transfers, then sleeps until something happens or `pause` is
  /// over.
  func turn() {
    startWaiting()
    var count: Int32 = 0
    curl_multi_perform(multi, &count)
    collect()
    endOverdue()
    // A place may have become free.
    startWaiting()
    let pause: Int32 = running.isEmpty ? 10_000 : 200
    curl_multi_poll(multi, nil, 0, pause, nil)
  }

  private func startWaiting() {
    var index = 0
    while !isHeld, running.count < settings.concurrency, index < waiting.count {
      guard perHost[waiting[index].host, default: 0] < settings.perHost else {
        index += 1
        continue
      }
      start(waiting.remove(at: index))
    }
  }

  private func start(_ job: Job) {
    var job = job
    job.started = .now
    let transfer = Transfer(
      job.identifier, job.request, host: job.host, settings: settings, receiver: job.receiver)
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
      case .done(let result): entry.job.finish(result, transfer)
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

  private func endOverdue() {
    let now = ContinuousClock.Instant.now
    for (identifier, entry) in running {
      guard let error = entry.transfer.overdue(now: now), let job = remove(identifier)?.job else {
        continue
      }
      job.finish(.failure(error), entry.transfer)
    }
  }
}
