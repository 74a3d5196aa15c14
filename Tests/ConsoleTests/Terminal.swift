@preconcurrency import Glibc
import Testing

/// A terminal behind standard error, and its screen: as much of one as progress needs. Another
/// sequence than these ends the test.
final class Terminal {
  private let (main, side): (Int32, Int32)
  private var columns: Int
  /// What was written.
  private(set) var text = ""
  private var widths: [(at: Int, columns: Int)] = []

  init(columns: Int) throws {
    var (main, side): (Int32, Int32) = (0, 0)
    var attributes = termios()
    cfmakeraw(&attributes)
    try #require(openpty(&main, &side, nil, &attributes, nil) == 0)
    (self.main, self.side, self.columns) = (main, side, columns)
    // Otherwise nothing is drawn.
    if getenv("TERM").map({ String(cString: $0) }) == "dumb" { setenv("TERM", "xterm", 1) }
    resize(to: columns)
  }

  deinit {
    close(main)
    close(side)
  }

  func resize(to columns: Int) {
    take()
    var size = winsize(ws_row: 24, ws_col: UInt16(columns), ws_xpixel: 0, ws_ypixel: 0)
    _ = ioctl(main, UInt(TIOCSWINSZ), &size)
    widths.append((text.utf8.count, columns))
  }

  func show(_ body: () async throws -> Void) async throws {
    try await Streams.redirecting([2: side], body)
    take()
  }

  /// Reads what was written so far: up to a mark that is written behind it.
  private func take() {
    var (mark, bytes): (UInt8, [UInt8]) = (0, [])
    write(side, &mark, 1)
    while true {
      var byte: UInt8 = 0
      guard read(main, &byte, 1) == 1, byte != mark else { break }
      bytes.append(byte)
    }
    text += String(decoding: bytes, as: UTF8.self)
  }

  /// The rows of the screen, with lines that are longer than a row in several.
  var rows: [String] {
    var screen = Screen()
    let bytes = Array(text.utf8)
    for (index, start) in widths.enumerated() {
      screen.resize(to: start.columns)
      let end = index + 1 < widths.count ? widths[index + 1].at : bytes.count
      screen.write(String(decoding: bytes[start.at..<end], as: UTF8.self))
    }
    return screen.rows.map(\.text)
  }

  private struct Screen {
    var rows = [(text: "", isContinued: false)]
    private var (row, column, columns) = (0, 0, 80)

    /// Lines are broken anew. The cursor is at the end of the text.
    mutating func resize(to columns: Int) {
      self.columns = columns
      var lines = [""]
      for row in rows {
        lines[lines.count - 1] += row.text
        if !row.isContinued { lines.append("") }
      }
      rows = []
      for line in lines.dropLast() {
        var rest = Substring(line)
        repeat {
          let part = rest.prefix(columns)
          rest = rest.dropFirst(columns)
          rows.append((String(part), !rest.isEmpty))
        } while !rest.isEmpty
      }
      row = rows.count - 1
      column = rows[row].text.count
    }

    mutating func write(_ text: String) {
      var rest = Substring(text)
      while let character = rest.popFirst() {
        switch character {
        case "\r": column = 0
        case "\n":
          row += 1
          column = 0
          if row == rows.count { rows.append(("", false)) }
        case "\u{1B}": control(&rest)
        default: put(character)
        }
      }
    }

    private mutating func control(_ rest: inout Substring) {
      let bracket = rest.popFirst()
      #expect(bracket == "[")
      let parameter = rest.prefix { $0.isNumber }
      rest = rest.dropFirst(parameter.count)
      switch rest.popFirst() {
      case "A": row = max(0, row - max(1, Int(parameter) ?? 1))
      case "J":
        #expect(parameter.isEmpty)
        rows = Array(rows[...row])
        rows[row] = (String(rows[row].text.prefix(column)), false)
      case "m": break
      case let end: Issue.record("an unknown sequence ends in \(String(describing: end))")
      }
    }

    private mutating func put(_ character: Character) {
      if column == columns {
        rows[row].isContinued = true
        row += 1
        column = 0
        if row == rows.count { rows.append(("", false)) }
      }
      var text = Array(rows[row].text)
      if column < text.count { text[column] = character } else { text.append(character) }
      rows[row].text = String(text)
      column += 1
    }
  }
}
