internal import TesseraSystem

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
