import Foundation

/// A regular expression. NSRegularExpression, because Swift's `Regex` is too slow in debug builds
/// for the whole source code.
struct Pattern {
  private let expression: NSRegularExpression

  init(_ pattern: String, ignoresCase: Bool = false) {
    do {
      expression = try NSRegularExpression(
        pattern: pattern, options: ignoresCase ? .caseInsensitive : [])
    } catch {
      fatalError("invalid pattern \(pattern): \(error)")
    }
  }

  /// The groups of each match; the first one is the whole match.
  func matches(in text: String) -> [[String?]] {
    let range = NSRange(text.startIndex..., in: text)
    return expression.matches(in: text, range: range).map { match in
      (0..<match.numberOfRanges).map { index in
        Range(match.range(at: index), in: text).map { String(text[$0]) }
      }
    }
  }

  func first(in text: String) -> [String?]? { matches(in: text).first }

  /// The text with each match replaced.
  func replacing(in text: String, with replacement: (String) -> String) -> String {
    let source = text as NSString
    var (result, end) = ("", 0)
    let all = NSRange(location: 0, length: source.length)
    for match in expression.matches(in: text, range: all) {
      result += source.substring(with: NSRange(location: end, length: match.range.location - end))
      result += replacement(source.substring(with: match.range))
      end = match.range.location + match.range.length
    }
    return result + source.substring(from: end)
  }
}
