internal import Glibc

/// How a worker process ended.
enum ProcessEnding: Equatable {
  case exited(Int32)
  case signalled(Int32)
  /// It did not end on its own and was killed.
  case killed
  /// It had been reaped before.
  case gone

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
    case .gone: "it has already ended"
    }
  }
}
