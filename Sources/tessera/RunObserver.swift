internal import Synchronization
internal import TesseraConsole
internal import TesseraPipeline

/// Shows a run on standard error: its progress, its warnings, and the first failures.
final class RunObserver: RunObserving {
  /// Failures that are printed one by one. The catalog lists all of them.
  private static let printedFailures = 20

  private let display: ProgressDisplay
  private let failures = Mutex(0)

  init(isQuiet: Bool, showsProgress: Bool) {
    display = ProgressDisplay(isQuiet: isQuiet, showsProgress: showsProgress)
  }

  func progress(_ progress: RunProgress) {
    display.update(.init(done: progress.done, failed: progress.failed, total: progress.total))
  }

  func failed(_ id: String, code: String, message: String) {
    let count = failures.withLock { failures in
      failures += 1
      return failures
    }
    if count < Self.printedFailures {
      display.message("\(id): \(message) (\(code))")
    } else if count == Self.printedFailures {
      display.message("further failures are not printed here; the catalog lists all of them")
    }
  }

  func problem(line: Int, message: String) { display.message("manifest line \(line): \(message)") }

  func warn(_ message: String) { display.message("warning: \(message)") }

  /// Ends the progress bar.
  func finish() { display.finish() }
}
