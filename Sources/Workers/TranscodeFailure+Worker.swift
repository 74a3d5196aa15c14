internal import Glibc

/// Failures of a job that the coordinator states, because the worker could not.
extension TranscodeFailure {
  static var stopped: TranscodeFailure { TranscodeFailure(.cancelled, "the run was stopped") }

  static var invalidReply: TranscodeFailure {
    TranscodeFailure(.workerProtocol, "the worker's reply was invalid; the worker was replaced")
  }

  static func timeout(_ limit: Duration) -> TranscodeFailure {
    TranscodeFailure(
      .workerTimeout, "the image took longer than \(seconds(limit)) (limits.time)")
  }

  /// - Parameter limit: the time limit for one job.
  static func lost(_ ending: ProcessEnding, limit: Duration) -> TranscodeFailure {
    switch ending {
    // The kernel's limit on processor time.
    case .signalled(SIGXCPU): timeout(limit)
    // GLib traps if an allocation fails.
    case .signalled(SIGTRAP):
      TranscodeFailure(.outOfMemory, "the image needed more memory than limits.memory allows")
    default:
      TranscodeFailure(.workerCrashed, "the worker crashed on this image: \(ending.sentence)")
    }
  }

  private static func seconds(_ time: Duration) -> String {
    let milliseconds =
      time.components.seconds * 1000 + time.components.attoseconds / 1_000_000_000_000_000
    return milliseconds % 1000 == 0 ? "\(milliseconds / 1000) s" : "\(milliseconds) ms"
  }
}
