internal import Glibc
internal import TesseraCProcess
internal import TesseraSystem
internal import TesseraWorkers

/// Forks workers on request, and reports how each ended.
///
/// A request is a byte with two descriptors: the worker's channel for jobs, and a control channel. The
/// worker is killed when the other end of its control channel is closed or shut down; when it has ended,
/// a ``WorkerEnd`` is sent on it.
struct ForkServer {
  private let channel: Int32
  private var workers: [Child] = []

  private struct Child {
    let pid: pid_t
    /// Becomes readable when the process ends.
    let process: Int32
    let control: Int32
    private(set) var isKilled = false

    /// Kills the worker's process group, in which whatever it may have started is.
    mutating func kill() {
      Glibc.kill(-pid, SIGKILL)
      isKilled = true
    }
  }

  init(channel: Int32) { self.channel = channel }

  /// Serves until the channel is closed.
  ///
  /// - Returns: nil at the end of the fork server; in a forked worker, its channel for jobs.
  mutating func run() -> Int32? {
    while true {
      var events = [pollfd(fd: channel, events: Int16(POLLIN), revents: 0)]
      for worker in workers {
        events.append(pollfd(fd: worker.process, events: Int16(POLLIN), revents: 0))
        // A killed one's closed channel would be reported again and again; poll(2) skips negative numbers.
        let control = worker.isKilled ? -1 : worker.control
        events.append(pollfd(fd: control, events: Int16(POLLIN), revents: 0))
      }
      guard poll(&events, nfds_t(events.count), -1) >= 0 || errno == EINTR else {
        stop("could not wait: \(String(cString: strerror(errno)))")
      }
      for index in workers.indices where events[2 + 2 * index].revents != 0 {
        workers[index].kill()
      }
      workers.removeAll { Self.reportEnd(of: $0) }
      guard events[0].revents != 0 else { continue }
      switch serveRequest() {
      case .served: continue
      case .closed:
        for index in workers.indices { workers[index].kill() }
        return nil
      case .isWorker(let jobs): return jobs
      }
    }
  }

  private enum Outcome {
    case served
    case closed
    case isWorker(jobs: Int32)
  }

  private mutating func serveRequest() -> Outcome {
    var byte: UInt8 = 0
    var descriptors = [Int32](repeating: -1, count: 8)
    var count: Int32 = 0
    let received = tessera_receive(channel, &byte, 1, &descriptors, &count)
    if received < 0 && errno == EINTR { return .served }
    guard received == 1, count == 2 else { return .closed }
    let (jobs, control) = (descriptors[0], descriptors[1])
    let server = getpid()
    let pid = tessera_fork()
    // Without a filter of system calls a worker could start processes, which have to end with it. Both
    // set its group: whichever runs first, no job and no signal is before it.
    if pid >= 0 { setpgid(pid, pid) }
    if pid == 0 {
      // Otherwise the fork server has ended before this process asked to die with it.
      guard tessera_die_with_parent() == 0, getppid() == server,
        // The descriptors of other workers, above all.
        tessera_keep_descriptor(jobs, 3) == 0
      else { _exit(2) }
      return .isWorker(jobs: 3)
    }
    close(jobs)
    let process = pid < 0 ? -1 : tessera_process_descriptor(pid)
    guard process >= 0 else {
      let code = errno
      if pid > 0 { kill(pid, SIGKILL) }
      _ = LineChannel(descriptor: control).send(WireLine.line(WorkerEnd.notStarted(code: code)))
      close(control)
      return .served
    }
    workers.append(Child(pid: pid, process: process, control: control))
    return .served
  }

  /// Whether the worker has ended; its end is reported then.
  private static func reportEnd(of worker: Child) -> Bool {
    // Its number is its group's as long as nothing has waited for it; later both may be another's.
    var end = pollfd(fd: worker.process, events: Int16(POLLIN), revents: 0)
    guard poll(&end, 1, 0) == 1 else { return false }
    kill(-worker.pid, SIGKILL)
    var status: Int32 = 0
    guard waitpid(worker.pid, &status, 0) == worker.pid else { return false }
    // The coordinator may have closed it, which is not an error.
    _ = LineChannel(descriptor: worker.control).send(WireLine.line(WorkerEnd.ended(status: status)))
    close(worker.control)
    close(worker.process)
    return true
  }
}
