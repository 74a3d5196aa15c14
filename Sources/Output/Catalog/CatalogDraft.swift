internal import TesseraBytes
package import TesseraCatalog
package import TesseraSystem

/// A catalog that is being written, a line for each image (``CatalogDocument``), and its screens. The same lines give the same
/// bytes.
package struct CatalogDraft: ~Copyable {
  let gate: LineGate
  let workspace: Workspace
  let staged: WorkFile
  private let file: File
  let screens: [ScreenWriter]
  /// Of the bytes after the digest itself.
  private let sum = SHA256()
  private var buffer: [UInt8]
  /// Bytes at the beginning of the buffer that the digest is not of.
  private var undigested = CatalogDocument.digested
  private var isEmpty = true
  /// Bytes that were written.
  private var written = 0

  private static let bufferBytes = 1 << 20

  /// - Parameters:
  ///   - head: everything but the images, their number and the digest: a JSON object without a line break.
  ///   - screens: what is written besides.
  ///   - count: the number of images.
  ///   - gate: of the output that it is for.
  ///   - workspace: where it is written until it is complete.
  ///   - name: that of the staged file, if another one may be there.
  package init(
    head: [UInt8], screens: [CatalogScreen] = [], count: Int, through gate: LineGate,
    in workspace: Workspace, named name: String = CurrentCatalog.path
  ) throws(SystemError) {
    let staged = workspace.staging(name)
    let writers = try ScreenWriter.all(screens, head: head, in: workspace)
    file = try staged.open(.write)
    (self.staged, self.screens) = (staged, writers)
    (self.gate, self.workspace) = (gate, workspace)
    // The digest is written last, because it follows from all that comes after it.
    buffer = CatalogDocument.head(head, count: count)
  }

  /// Appends an image.
  ///
  /// - Throws: also if the image was forgotten.
  package mutating func add(_ line: [UInt8]) throws(SystemError) {
    try gate.expect(line)
    for screen in screens { try screen.add(line) }
    try append(line)
  }

  /// Appends several images as another catalog has them.
  ///
  /// - Throws: as ``add(_:)``.
  package mutating func add(lines: [UInt8]) throws(SystemError) {
    if !gate.isEmpty || !screens.isEmpty {
      for line in CatalogDocument.lines(lines) {
        try gate.expect(line)
        for screen in screens { try screen.add(Array(line)) }
      }
    }
    try append(lines)
  }

  /// Where the next image will be in the document, in bytes.
  package var offset: Int { written + buffer.count + (isEmpty ? 1 : 2) }

  private mutating func append(_ lines: [UInt8]) throws(SystemError) {
    if !isEmpty { buffer.append(UInt8(ascii: ",")) }
    isEmpty = false
    buffer.append(UInt8(ascii: "\n"))
    buffer += lines
    if buffer.count >= Self.bufferBytes { try flush() }
  }

  /// Completes the staged file. Returns its digest.
  mutating func end() throws(SystemError) -> String {
    buffer.append(UInt8(ascii: "\n"))
    buffer += CatalogDocument.end
    try flush()
    let digest = sum.hexadecimal()
    try file.write(Array(digest.utf8), at: CatalogDocument.digest.lowerBound)
    return digest
  }

  private mutating func flush() throws(SystemError) {
    buffer[undigested...].withUnsafeBytes { sum.update($0) }
    undigested = 0
    try file.write(buffer)
    written += buffer.count
    buffer.removeAll(keepingCapacity: true)
  }

  /// The staged file and its digest: for a catalog that takes the place of one which must not be kept.
  consuming func finish() throws(SystemError) -> (file: WorkFile, digest: String) {
    let digest = try end()
    return (staged, digest)
  }
}
