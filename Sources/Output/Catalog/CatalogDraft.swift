package import TesseraSystem

/// A catalog that is being written, a line for each image. The same lines give the same bytes.
///
/// The head ends with the number of images (`count`) and the SHA-256 of the catalog's canonical form without these
/// two (`digest`), by which a reader recognizes a catalog that is cut off, altered, or another one.
package struct CatalogDraft: ~Copyable {
  let form: CatalogForm
  let gate: LineGate
  let workspace: Workspace
  let staged: WorkFile
  private let file: File
  private var buffer: [UInt8]
  private var isEmpty = true
  private let digest: CatalogDigest
  /// Where the digest is in the file, in bytes; written last, because it follows from the images.
  private let digestOffset: Int
  private let count: Int
  /// What is written beside it.
  let parts: [any PartWriter]

  private static let bufferBytes = 1 << 20

  /// - Parameters:
  ///   - head: everything but the images, their number and the digest, as one line of JSON without a line
  ///     break.
  ///   - count: the number of images.
  ///   - publication: in what parts it is published besides; nil for none.
  ///   - gate: of the output that it is for.
  ///   - workspace: where it is written until it is complete.
  ///   - name: that of the staged file, if another one of this form may be there.
  package init(
    _ form: CatalogForm, head: [UInt8], count: Int, publication: CatalogPublication? = nil,
    through gate: LineGate, in workspace: Workspace, named name: String? = nil
  ) throws(SystemError) {
    let staged = workspace.staging(name ?? form.name)
    let digest = try CatalogDigest(head: head)
    let parts = try publication?.writers(head: head, count: count, in: workspace) ?? []
    file = try staged.open(.write)
    self.parts = parts
    (self.gate, self.workspace) = (gate, workspace)
    self.count = count
    self.form = form
    self.staged = staged
    self.digest = digest
    let line = head.dropLast() + Array(",\"count\":\(count),\"digest\":\"".utf8)
    digestOffset = line.count
    // In JSON, the images are the last member of the object.
    let end = form == .jsonl ? "\"}" : "\",\"images\":["
    buffer = line + [UInt8](repeating: UInt8(ascii: "0"), count: 64) + Array(end.utf8)
  }

  /// Appends an image.
  ///
  /// - Parameter canonical: its canonical form; nil if it is to be found.
  /// - Throws: also if the image was forgotten.
  package mutating func add(_ line: [UInt8], canonical: [UInt8]? = nil) throws(SystemError) {
    try gate.expect(line)
    let canonical = if let canonical { canonical } else { try CatalogDigest.canonical(line) }
    digest.add(canonical)
    for part in parts { try part.add(line, canonical: canonical) }
    // A line for each image in JSON, too: `diff`, `verify` and `prune` read both forms by lines.
    buffer += Array((form == .jsonl || isEmpty ? "\n" : ",\n").utf8)
    isEmpty = false
    buffer += line
    if buffer.count >= Self.bufferBytes { try flush() }
  }

  /// Completes the staged file. Returns its digest.
  mutating func end() throws(SystemError) -> String {
    buffer += Array((form == .jsonl ? "\n" : "\n]}\n").utf8)
    try flush()
    let sum = digest.hexadecimal()
    try file.write(Array(sum.utf8), at: digestOffset)
    return sum
  }

  /// The staged file and its digest, without pages: for a catalog that takes the place of one which must not be kept.
  consuming func finish() throws(SystemError) -> (file: WorkFile, digest: String) {
    let sum = try end()
    return (staged, sum)
  }

  private mutating func flush() throws(SystemError) {
    try file.write(buffer)
    buffer.removeAll(keepingCapacity: true)
  }
}
