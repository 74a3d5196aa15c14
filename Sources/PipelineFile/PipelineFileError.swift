internal import TesseraSystem

/// Every mistake of one pipeline file, in the order of its lines.
package struct PipelineFileError: Error, Sendable {
  package var path: String
  package var diagnostics: [Diagnostic]
  /// The lines of the file, which the description shows with the mistakes.
  package var lines: [String]

  init(path: String, bytes: [UInt8], diagnostics: [Diagnostic]) {
    self.path = path
    self.diagnostics = diagnostics.sorted {
      ($0.mark.line, $0.mark.column) < ($1.mark.line, $1.mark.column)
    }
    lines = String(decoding: bytes, as: UTF8.self)
      // CR LF is one Character in Swift.
      .split(omittingEmptySubsequences: false) { $0 == "\n" || $0 == "\r\n" }.map(String.init)
  }
}

extension PipelineFileError: CustomStringConvertible {
  /// For each mistake `file:line:column: error: …`, the line, and a caret under the position.
  package var description: String {
    diagnostics.map { diagnostic in
      let mark = diagnostic.mark
      // Escaped: a terminal would obey control characters in the file.
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
