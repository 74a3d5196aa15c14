internal import TesseraBytes

/// What changes when a file that a catalog names is added, removed or replaced, or when a catalog is replaced.
package struct OutputMark: Sendable, Equatable {
  /// Folders and documents with the mark of each.
  private let parts: [(name: String, mark: String)]

  package init(_ parts: [(name: String, mark: String)]) { self.parts = parts }

  package static func == (one: OutputMark, other: OutputMark) -> Bool { one.text == other.text }

  /// What the state notes for the next run.
  package var text: String {
    SHA256.of(parts.map { "\($0.name) \($0.mark)" }.joined(separator: "\n"))
  }

  /// The folders and documents that are others than in an earlier mark, those that are gone included.
  func changed(since before: OutputMark) -> Set<String> {
    let (old, new) = (
      Dictionary(before.parts.map { ($0.name, $0.mark) }) { $1 },
      Dictionary(parts.map { ($0.name, $0.mark) }) { $1 }
    )
    return Set(old.keys).union(new.keys).filter { old[$0] != new[$0] }
  }
}
