internal import TesseraJSON

/// What a text that begins with "{" is: JSON Lines, or one JSON text, such as a JSON Feed.
struct JSONBeginning {
  /// Nil if more of the text is needed.
  let kind: ListText.Kind?

  /// What says that an object is a JSON Feed (JSON Feed 1.1, "Top-level"). The order of members is free.
  static func isFeed(version: String?) -> Bool {
    version?.contains("jsonfeed.org/version") == true
  }

  /// - Parameters:
  ///   - text: the beginning of the list, without blanks before it.
  ///   - isEnd: whether it is the whole list.
  ///   - most: the bytes of the longest line of JSON Lines.
  init(_ text: ArraySlice<UInt8>, isEnd: Bool, most: Int) {
    let isLong = isEnd || text.count >= most
    let line = text.prefix { $0 != 0x0A && $0 != 0x0D }
    let isWhole = line.count < text.count
    guard isLong || isWhole else {
      kind = nil
      return
    }
    // A line of JSON Lines is an object. What goes on with a member is one text on several lines.
    if let last = line.last(where: { !Self.isBlank($0) }), "{,".utf8.contains(last) {
      let next = text.dropFirst(line.count).first { !Self.isBlank($0) }
      if next == nil, !isLong {
        kind = nil
        return
      }
      if next == UInt8(ascii: "\"") {
        kind = .document
        return
      }
    }
    kind = Self.isFeed(line, isTooLong: !isWhole && !isEnd) ? .document : .lines
  }

  private static func isBlank(_ byte: UInt8) -> Bool { [0x20, 0x09, 0x0A, 0x0D].contains(byte) }

  /// - Parameter isTooLong: whether it can't be a line; then items are enough, as the version may come after them.
  private static func isFeed(_ line: ArraySlice<UInt8>, isTooLong: Bool) -> Bool {
    var scanner = JSONScanner(Array(line))
    var isFeed = false
    do throws(JSONScanner.Failure) {
      try scanner.members { scanner, name, _ throws(JSONScanner.Failure) in
        switch (name, try scanner.kind(depth: 0)) {
        case ("version", .string): isFeed = Self.isFeed(version: try scanner.string())
        case ("items", .array):
          isFeed = isFeed || isTooLong
          try scanner.skip(depth: 1)
        case (_, .bool), (_, .null): break
        default: try scanner.skip(depth: 1)
        }
      }
    } catch {
      // It is cut off, or not JSON, which is reported when it is read. What it says up to there counts.
    }
    return isFeed
  }
}
