internal import Glibc
internal import TesseraJSON
internal import TesseraSystem

/// The standard streams of the command. Lines are written whole, with control characters escaped.
enum Console {
  /// Writes results to standard output. Returns false if that failed, as when its reader has gone.
  @discardableResult
  static func write(_ bytes: [UInt8]) -> Bool { StandardStream.output.write(bytes) }

  /// Writes a report to standard output.
  @discardableResult
  static func write(_ report: some JSONDocument) -> Bool { write(report.json) }

  /// Writes a text of several lines, whose control characters have been escaped.
  @discardableResult
  static func write(_ text: String) -> Bool { StandardStream.output.write(text) }

  /// Writes a line of results to standard output.
  @discardableResult
  static func line(_ text: String) -> Bool { write(text.printable + "\n") }

  /// Writes a line to standard error.
  static func message(_ text: String) { StandardStream.error.write(text.printable + "\n") }

  /// Writes a line that warns to standard error, also if the command is to be quiet.
  ///
  /// - Parameter clause: without a full stop.
  static func warn(_ clause: String) { message("warning: \(clause)") }

  /// Whether standard input is a terminal, where a person may be waiting for a prompt.
  static var isInputTerminal: Bool { Host.isInputTerminal }

  /// The text with its control characters escaped: ids and URLs come from untrusted sources.
  static func printable(_ text: String) -> String { text.printable }

  /// Prepares the process. To be called before anything else.
  static func prepare() {
    // Started without standard streams, the program would take its own sockets for them.
    StandardStream.fillGaps()
    // A closed connection or pipe is then an error of one call, and does not end the program.
    signal(SIGPIPE, SIG_IGN)
    // A thousand transfers need more open files than the usual soft limit of 1,024.
    Host.raiseFileLimit()
    guard Host.isShownInProc else {
      message(
        "tessera: /proc does not show this process, and Swift's runtime needs that; mount the /proc of its "
          + "namespace (unshare --mount-proc, mount -t proc proc /proc)")
      exit(ExitStatus.failed.rawValue)
    }
  }
}
