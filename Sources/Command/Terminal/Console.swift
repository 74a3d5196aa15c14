internal import Glibc
internal import Synchronization
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

  static var isOutputTerminal: Bool { Host.isOutputTerminal }

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

/// Colours, on a terminal only, and never with NO_COLOR (no-color.org) or on a terminal without them.
struct Style: Sendable {
  private let isOn: Bool

  /// - Parameter isTerminal: whether the text goes to a terminal that is not dumb.
  init(isTerminal: Bool) {
    isOn = isTerminal && (Host.environment("NO_COLOR") ?? "").isEmpty
  }

  /// Whether the terminal can't move its cursor.
  static var isDumb: Bool { Host.environment("TERM") == "dumb" }

  /// A word in red, wherever the text has it first.
  func marking(_ word: String, in text: String) -> String {
    guard isOn, let range = text.firstRange(of: word) else { return text }
    return text[..<range.lowerBound] + "\u{1B}[31m\(word)\u{1B}[0m" + text[range.upperBound...]
  }
}

/// Keeps messages of one kind from filling a log: the first of them are printed, and one sentence in
/// place of all others.
final class MessageCap: Sendable {
  /// Messages that are printed, the sentence included.
  static let printed = 20

  private let count = Mutex(0)
  private let rest: String

  /// - Parameter rest: the sentence. It says where all of them are listed.
  init(_ rest: String) { self.rest = rest }

  /// What to print for the next message; nil for nothing.
  func text(for message: @autoclosure () -> String) -> String? {
    let number = count.withLock { count in
      count += 1
      return count
    }
    if number < Self.printed { return message() }
    return number == Self.printed ? rest : nil
  }
}
