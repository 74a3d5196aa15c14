internal import Glibc

/// How a worker process ended.
enum ProcessEnding: Equatable {
  case exited(Int32)
  case signalled(Int32)
  /// It did not end on its own and was killed.
  case killed
  /// There was no process: fork(2) failed with this errno value.
  case notStarted(Int32)
  /// The fork server ended, and its workers with it.
  case serverEnded
  /// The fork server did not report in time: it hangs itself, or the worker is in an uninterruptible
  /// system call. Both are given up.
  case unreported

  /// Reads a status of waitpid(2).
  init(status: Int32) {
    let signal = status & 0x7F
    self = signal == 0 ? .exited(status >> 8 & 0xFF) : .signalled(signal)
  }

  /// A clause with "it" as its subject.
  var sentence: String {
    switch self {
    case .exited(let code): "it exited with status \(code)"
    case .signalled(let signal):
      "it was ended by signal \(signal) (\(String(cString: strsignal(signal))))"
    case .killed: "it did not answer and was killed"
    case .notStarted(let code): "it could not be started (\(String(cString: strerror(code))))"
    case .unreported: "it could not be ended"
    case .serverEnded: "the process that starts workers has ended"
    }
  }
}
