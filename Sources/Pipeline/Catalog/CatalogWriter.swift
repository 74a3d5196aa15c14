internal import TesseraCatalog
internal import TesseraOutput
internal import TesseraPipelineFile
internal import TesseraPlan
internal import TesseraState
internal import TesseraSystem

/// Writes the catalog from the state, in the order of the manifest, a line for each image: the same
/// inputs give the same bytes. At most a hundred lines, of about a megabyte, are in memory at a time.
struct CatalogWriter {
  let file: PipelineFile
  let libvips: String
  let state: StateStore
  let output: any Output
  let workspace: Workspace

  private static let batch = 100

  /// - Parameter count: the number of lines; with fewer, or others, the state is damaged.
  func write(run: Int, count: Int) async throws {
    let name = "catalog.\(file.catalogFormat.rawValue)"
    // Staged and then renamed: a disk that is full, or a kill, leaves the old catalog as it is.
    let staged = workspace.staging(name)
    try await writeStaged(staged, run: run, count: count)
    try output.write(name, staged: staged)
    // A catalog in the other form would be out of date from now on.
    for other in PipelineFile.CatalogFormat.allCases where other != file.catalogFormat {
      try output.delete("catalog.\(other.rawValue)")
    }
  }

  private func writeStaged(_ staged: WorkFile, run: Int, count: Int) async throws {
    let target = try staged.open(.write)
    let isLines = file.catalogFormat == .jsonl
    // In JSON, the images are the last member of the object.
    let head = head(count: count)
    try target.write(isLines ? head : head.dropLast() + Array(",\"images\":[".utf8))
    var position = -1
    var separator: [UInt8] = Array("\n".utf8)
    while true {
      let results = try await state.results(of: run, after: position, limit: Self.batch)
      guard let last = results.last else { break }
      // A gap is an item that is missing in the state.
      guard results.map(\.position).elementsEqual(position + 1...position + results.count) else {
        throw lost
      }
      position = last.position
      var bytes: [UInt8] = []
      for (_, line) in results {
        bytes += separator
        bytes += Array(line.utf8)
        // A line for each image in JSON, too: `diff`, `verify` and `prune` read both forms by
        // lines.
        separator = Array((isLines ? "\n" : ",\n").utf8)
      }
      try target.write(bytes)
    }
    guard position + 1 == count else {
      throw lost
    }
    try target.write(Array((isLines ? "\n" : "\n]}\n").utf8))
  }

  private var lost: StateError {
    StateError(
      kind: .incomplete, path: state.path, message: "items of this run are missing in it")
  }

  /// Everything but the images.
  private func head(count: Int) -> [UInt8] {
    let slots = file.plan.slots.map { slot in
      let mode: CatalogSlot.Mode =
        switch slot.mode {
        case .fit: .fit
        case .fill: .fill
        case .clip: .clip
        }
      return (slot.name, CatalogSlot(width: slot.width, height: slot.height, mode: mode))
    }
    let head = Catalog(
      generator: .init(name: Version.name, version: Version.number, libvips: libvips),
      pipeline: .init(
        name: file.name, fingerprint: Fingerprint.pipeline(file, libvips: libvips)),
      baseURL: file.baseURL, slots: Dictionary(slots) { first, _ in first },
      scales: file.plan.scales, images: [])
    return head.headLine(slotNames: file.plan.slots.map(\.name), count: count)
  }

  /// One image's line.
  static func line(_ image: CatalogImage, extra: String?) -> String {
    String(decoding: image.line(extra: extra), as: UTF8.self)
  }
}
