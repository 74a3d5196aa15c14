/// A position in a YAML file. Lines and columns count characters from 1.
package struct Mark: Sendable, Equatable {
  package var line: Int
  package var column: Int

  package init(line: Int, column: Int) {
    self.line = line
    self.column = column
  }
}
