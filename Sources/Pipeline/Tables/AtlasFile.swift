internal import TesseraBytes
internal import TesseraImageHeader
internal import TesseraJSON
internal import TesseraOutput
internal import TesseraPlan
internal import TesseraState
internal import TesseraSystem

/// Makes an atlas: a WebP file with all images of a part of a table, and the document that says where each is.
struct AtlasFile {
  private let workspace: Workspace
  private let output: any Output
  private let workers: TableWorkers

  init(_ runContext: RunContext, _ workers: TableWorkers) {
    (workspace, output, self.workers) = (runContext.workspace, runContext.output, workers)
  }

  func make(_ part: TablePart) async throws -> TableOutcome {
    let grid = AtlasGrid(count: part.entries.count, width: part.width, height: part.height)
    let bytes: [UInt8]
    switch try await workers.atlas(part, grid) {
    case .stopped: return .stopped
    case .made(_, let leftOut) where !leftOut.isEmpty: return .leftOut(Set(leftOut))
    case .made(let made, _): bytes = made
    }
    // The file itself is measured, like a variant.
    guard case .header(let header) = ImageHeader.read(bytes.span, isWhole: true),
      header.format == .webp, header.width == grid.size.width, header.height == grid.size.height
    else { throw TesseraError(.workers, "a worker's atlas was not what it reported") }
    let sum = SHA256.of(bytes)
    let file = VariantRecord(
      path: PublishedFile.tablePath(
        digest: sum, width: grid.size.width, height: grid.size.height, fileExtension: "webp"),
      width: grid.size.width, height: grid.size.height, bytes: bytes.count, sha256: sum)
    try await publish(bytes, as: file.path)
    let document = Self.document(part, grid, file.path)
    let digest = SHA256.of(document)
    let index = VariantRecord(
      path: PublishedFile.indexPath(digest: digest), width: file.width, height: file.height,
      bytes: document.count, sha256: digest)
    try await publish(document, as: index.path)
    return .made(MadeTable(file: file, index: index))
  }

  private func publish(_ bytes: [UInt8], as path: String) async throws {
    let staged = workspace.staging("table")
    try staged.remove()
    try staged.open(.write).write(bytes)
    try await output.publish(staged, as: path, digest: SHA256.of(bytes))
  }

  private static func document(_ part: TablePart, _ grid: AtlasGrid, _ path: String) -> [UInt8] {
    var writer = JSONWriter()
    writer.object { object in
      object.member("image", path)
      object.member("width", grid.size.width)
      object.member("height", grid.size.height)
      object.name("images")
      object.object { images in
        for (position, entry) in part.entries.enumerated() {
          let (x, y) = grid.origin(of: position)
          images.name(entry.id)
          images.array { list in
            for number in [x, y, entry.width, entry.height] { list.value(number) }
          }
        }
      }
    }
    return writer.take() + [UInt8(ascii: "\n")]
  }
}
