package import TesseraSystem
internal import TesseraText

/// Every mistake of one pipeline file, in the order of its lines.
package struct PipelineFileError: ReportedError, Sendable {
  package var path: String
  package var diagnostics: [Diagnostic]
  /// The lines of the file, which the description shows with the mistakes; empty for a file that is not a pipeline
  /// file, because it may hold secrets.
  package var lines: [String]

  /// - Parameter bytes: the file's; nil if it is not a pipeline file.
  init(path: String, bytes: [UInt8]?, diagnostics: [Diagnostic]) {
    self.path = path
    self.diagnostics = diagnostics.sorted {
      ($0.mark.line, $0.mark.column) < ($1.mark.line, $1.mark.column)
    }
    lines = String(decoding: bytes ?? [], as: UTF8.self)
      // CR LF is one Character in Swift.
      .split(omittingEmptySubsequences: false) { $0 == "\n" || $0 == "\r\n" }.map(String.init)
  }
}

extension PipelineFileError: CustomStringConvertible {
  package var report: TesseraError {
    TesseraError(.pipelineFile, "The pipeline file has mistakes.", subject: path)
  }

  /// For each mistake `file:line:column: error: …`, the line, and a caret under the position.
  package var description: String {
    diagnostics.map { diagnostic in
      let mark = diagnostic.mark
      // Escaped: a terminal would obey control characters in the file.
      var text = "\(path):\(mark.line):\(mark.column): error: \(diagnostic.message.printable)"
      let whole = lines.indices.contains(mark.line - 1) ? lines[mark.line - 1] : ""
      let (line, column) = Self.excerpt(of: whole, around: mark.column)
      if !line.isEmpty {
        let shown = line.split(separator: "\t", omittingEmptySubsequences: false)
          .map { String($0).printable }.joined(separator: "\t")
        text += "\n  \(shown)\n  \(Self.padding(line, upTo: column))^"
      }
      return text
    }.joined(separator: "\n")
  }

  /// The part of a line around a column, and the column in it.
  private static func excerpt(of line: String, around column: Int) -> (String, column: Int) {
    let scalars = line.unicodeScalars
    let length = String.excerptLength
    guard scalars.count > length else { return (line, column) }
    let start = max(0, min(column - 1 - length / 2, scalars.count - length))
    return (
      String(String.UnicodeScalarView(scalars.dropFirst(start).prefix(length))), column - start
    )
  }

  /// Blanks as wide as the line's characters before `column`. Tabs stay tabs, because the line
  /// above has them, too.
  private static func padding(_ line: String, upTo column: Int) -> String {
    var padding = ""
    for scalar in line.unicodeScalars.prefix(column - 1) {
      switch scalar.terminalWidth {
      case _ where scalar == "\t": padding += "\t"
      case let width: padding += String(repeating: " ", count: width)
      }
    }
    return padding
  }
}

/// A mistake in a pipeline file, with its position.
package struct Diagnostic: Error, Sendable, Equatable {
  package var mark: Mark
  /// What is wrong, what was expected, and what to do, in one sentence without its full stop.
  package var message: String

  package init(_ mark: Mark, _ message: String) {
    self.mark = mark
    self.message = message
  }
}

extension Unicode.Scalar {
  /// Columns on a terminal: 0 for marks that combine with the character before, 2 for wide
  /// characters of East Asia and for emoji (the ranges of Unicode Standard Annex 11), 1 for the
  /// rest.
  var terminalWidth: Int {
    switch properties.generalCategory {
    case .nonspacingMark, .enclosingMark, .format: return 0
    default: break
    }
    switch value {
    case 0x1100...0x115F, 0x2E80...0x303E, 0x3041...0xA4CF, 0xAC00...0xD7A3, 0xF900...0xFAFF,
      0xFE30...0xFE6F, 0xFF00...0xFF60, 0xFFE0...0xFFE6, 0x1F300...0x1F64F, 0x1F900...0x1F9FF,
      0x20000...0x3FFFD:
      return 2
    default: return 1
    }
  }
}

/// A position in a YAML file. Lines and columns count characters from 1.
package struct Mark: Sendable, Equatable {
  package var line: Int
  package var column: Int

  package init(line: Int, column: Int) {
    self.line = line
    self.column = column
  }
}
