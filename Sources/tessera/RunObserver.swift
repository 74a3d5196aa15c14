internal import TesseraConsole
internal import TesseraPipeline

/// Shows a run on standard error: its progress, its warnings, and the first failures of each kind.
final class RunObserver: RunObserving {
  private let display: ProgressDisplay
  private let failures = MessageCap(
    "further failures are not printed here; the catalog lists all of them")
  private let problems = MessageCap.manifestLines

  init(isQuiet: Bool, showsProgress: Bool) {
    display = ProgressDisplay(isQuiet: isQuiet, showsProgress: showsProgress)
  }

  func progress(_ progress: RunProgress) {
    display.update(.init(done: progress.done, failed: progress.failed, total: progress.total))
  }

  func failed(_ id: String, code: String, message: String) {
    if let text = failures.text(for: "\(id): \(message) (\(code))") { display.message(text) }
  }

  func problem(line: Int, message: String) {
    if let text = problems.text(for: "manifest line \(line): \(message)") { display.message(text) }
  }

  func warn(_ message: String) { display.message("warning: \(message)") }

  /// Ends the progress bar.
  func finish() { display.finish() }
}

extension MessageCap {
  /// Lines of a manifest that can't be used.
  static var manifestLines: MessageCap {
    MessageCap("further lines are not printed here; tessera check lists all of them")
  }
}
