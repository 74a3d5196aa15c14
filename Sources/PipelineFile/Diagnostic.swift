internal import TesseraSystem

/// A mistake in a pipeline file, at its place.
package struct Diagnostic: Error, Sendable, Equatable {
  package var mark: Mark
  /// What is wrong, what was expected, and what to do, in one sentence without its full stop.
  package var message: String

  package init(_ mark: Mark, _ message: String) {
    self.mark = mark
    self.message = message
  }
}

/// Every mistake of one pipeline file, in the order of its lines.
package struct PipelineFileError: Error, Sendable {
  package var path: String
  package var diagnostics: [Diagnostic]
  /// The file's lines, to be shown with the mistakes.
  package var lines: [String]

  init(path: String, bytes: [UInt8], diagnostics: [Diagnostic]) {
    self.path = path
    self.diagnostics = diagnostics.sorted {
      ($0.mark.line, $0.mark.column) < ($1.mark.line, $1.mark.column)
    }
    lines = String(decoding: bytes, as: UTF8.self)
      .split(omittingEmptySubsequences: false) { $0 == "\n" || $0 == "\r\n" }.map(String.init)
  }
}

extension PipelineFileError: CustomStringConvertible {
  /// For each mistake `file:line:column: error: …`, the line, and a caret under the place.
  package var description: String {
    diagnostics.map { diagnostic in
      let mark = diagnostic.mark
      var text = "\(path):\(mark.line):\(mark.column): error: \(diagnostic.message.printable)"
      let line = lines.indices.contains(mark.line - 1) ? lines[mark.line - 1] : ""
      if !line.isEmpty {
        let shown = line.split(separator: "\t", omittingEmptySubsequences: false)
          .map { String($0).printable }.joined(separator: "\t")
        text += "\n  \(shown)\n  \(Self.padding(line, upTo: mark.column))^"
      }
      return text
    }.joined(separator: "\n")
  }

  /// Blanks as wide as the line's characters before `column`; tabs stay tabs.
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

extension Unicode.Scalar {
  /// Columns on a terminal: 0 for marks that join the character before, 2 for the wide ones of
  /// East Asia and for emoji (Unicode Standard Annex 11, by ranges), 1 for the rest.
  fileprivate var terminalWidth: Int {
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
