package import TesseraSystem

/// A catalog that is being written, a line for each image. The same lines give the same bytes.
package struct CatalogDraft: ~Copyable {
  /// The form of a catalog. The raw value is the extension of its name.
  package enum Form: String, Sendable, CaseIterable {
    case json
    /// One line for the head and one for each image, so that a reader can stream it.
    case jsonl
  }

  private let form: Form
  private let staged: WorkFile
  private let file: File
  private var buffer: [UInt8]
  private var isEmpty = true

  private static let bufferBytes = 1 << 20

  /// - Parameters:
  ///   - head: everything but the images, as one line of JSON without a line break.
  ///   - staged: where it is written until it is complete.
  package init(_ form: Form, head: [UInt8], in staged: WorkFile) throws(SystemError) {
    self.form = form
    self.staged = staged
    file = try staged.open(.write)
    // In JSON, the images are the last member of the object.
    buffer = form == .jsonl ? head : head.dropLast() + Array(",\"images\":[".utf8)
  }

  /// Appends an image.
  package mutating func add(_ line: some Sequence<UInt8>) throws(SystemError) {
    // A line for each image in JSON, too: `diff`, `verify` and `prune` read both forms by lines.
    buffer += Array((form == .jsonl || isEmpty ? "\n" : ",\n").utf8)
    isEmpty = false
    buffer += line
    if buffer.count >= Self.bufferBytes { try flush() }
  }

  /// Replaces the catalog of an output.
  package consuming func publish(to output: any Output) async throws(SystemError) {
    buffer += Array((form == .jsonl ? "\n" : "\n]}\n").utf8)
    try flush()
    try await output.write("catalog.\(form.rawValue)", staged: staged)
    // A catalog in the other form would be out of date from now on.
    for other in Form.allCases where other != form {
      try await output.delete("catalog.\(other.rawValue)")
    }
  }

  private mutating func flush() throws(SystemError) {
    try file.write(buffer)
    buffer.removeAll(keepingCapacity: true)
  }
}
