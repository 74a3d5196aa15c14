internal import TesseraSystem

/// Colours, on a terminal only, and never with NO_COLOR (no-color.org) or on a terminal without them.
package struct Style: Sendable {
  private let isOn: Bool

  init(isTerminal: Bool) {
    isOn = isTerminal && !Self.isDumb && (Host.environment("NO_COLOR") ?? "").isEmpty
  }

  /// For results.
  package static let output = Style(isTerminal: Host.isOutputTerminal)

  /// Whether the terminal can't move its cursor.
  static var isDumb: Bool { Host.environment("TERM") == "dumb" }

  /// A word in red, wherever the text has it first.
  package func marking(_ word: String, in text: String) -> String {
    guard isOn, let range = text.range(of: word) else { return text }
    return text[..<range.lowerBound] + "\u{1B}[31m\(word)\u{1B}[0m" + text[range.upperBound...]
  }
}

extension String {
  /// The first place of a word; nil if there is none.
  fileprivate func range(of word: String) -> Range<String.Index>? {
    ranges(of: word).first
  }
}
