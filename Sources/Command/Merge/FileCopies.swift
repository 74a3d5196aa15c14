internal import TesseraBytes
internal import TesseraCatalog
internal import TesseraOutput
internal import TesseraState
internal import TesseraSystem
internal import TesseraText

/// Copies files from outputs that were written apart.
struct FileCopies {
  private let target: any Output
  private let workspace: Workspace
  /// Of the target; nil if no run has written there.
  private let state: StateStore?
  private let formats: [CatalogFormat]
  private(set) var count = 0
  private(set) var bytes = 0
  /// Files of the target that stay, though those of a shard have other bytes.
  private(set) var standing = 0

  init(
    to target: any Output, _ workspace: Workspace, _ state: StateStore?, _ formats: [CatalogFormat]
  ) {
    (self.target, self.workspace, self.state, self.formats) = (target, workspace, state, formats)
  }

  /// Copies the files of an image that are not there yet, and returns its line with what stands.
  mutating func line(
    of entry: LineHeap.Entry, from source: any Output
  ) async throws -> [UInt8] {
    let line = Array(entry.image)
    guard let image = CatalogLine(line), let files = image.files(formats),
      files.count == entry.sha256.count
    else {
      throw TesseraError(
        .output, "a result in \"\(source.location)\" names malformed files", remedy: "run it again")
    }
    let sizes = try await target.sizes(of: files.map(\.path))
    var others: [Identifier: (bytes: Int, sha256: String)] = [:]
    for ((file, digest), size) in zip(zip(files, entry.sha256), sizes) {
      // In the client profile nothing but the size tells of the bytes: equal ones are not read.
      if let size, size == file.bytes, file.sha256 == nil { continue }
      if size != nil, let found = try await stands(file, digest) {
        guard found.sha256 != digest else { continue }
        others[file.path] = found
      } else {
        try await copy(file, digest, from: source)
      }
    }
    guard !others.isEmpty else { return line }
    standing += others.count
    return try Self.line(line, formats, with: others)
  }

  /// What stands under the name of a file in the target.
  private func stands(
    _ file: PublishedFile, _ digest: String
  ) async throws -> (bytes: Int, sha256: String)? {
    let recorded = try await state?.file(at: file.path)?.sha256
    return try await target.standing(file.path, sha256: digest, recorded: recorded) {
      HeaderComparison.isWhole($0, file)
    }
  }

  /// An image's line with the bytes of other files, by their paths.
  private static func line(
    _ line: [UInt8], _ formats: [CatalogFormat],
    with others: [Identifier: (bytes: Int, sha256: String)]
  ) throws -> [UInt8] {
    func settle(_ file: inout CatalogVariant.File) {
      guard let other = file.path.flatMap({ others[$0] }) else { return }
      file.bytes = other.bytes
      if file.sha256 != nil { file.sha256 = other.sha256 }
    }
    var image = try CatalogImage(reading: line, formats)
    for index in image.variants.indices {
      for place in image.variants[index].files.indices {
        settle(&image.variants[index].files[place])
      }
      if var file = image.variants[index].highDynamicRangeFile {
        settle(&file)
        image.variants[index].highDynamicRangeFile = file
      }
    }
    return image.line(extra: CatalogImage.extra(ofLine: line))
  }

  private mutating func copy(
    _ file: PublishedFile, _ digest: String, from source: any Output
  ) async throws {
    let staged = workspace.staging("copy-\(count)")
    // A path that Tessera does not make is not copied to anywhere, and what is copied is what was checked.
    guard PublishedFile.isOne(file.path), try await stage(file, from: source, in: staged) == digest
    else {
      try staged.remove()
      throw TesseraError(
        .output, "\"\(FileSystem.join(source.location, file.path))\" is damaged",
        remedy: "run its shard again")
    }
    if try await !target.publish(staged: staged.path, as: file.path) {
      try await target.write(file.path, staged: staged)
    }
    count += 1
    bytes += file.bytes
  }

  /// Returns SHA-256 of what was staged.
  private func stage(
    _ file: PublishedFile, from source: any Output, in staged: WorkFile
  ) async throws -> String {
    let copy = try staged.open(.write)
    let digest = SHA256()
    var offset = 0
    while offset < file.bytes {
      let part = try await source.read(file.path, 1 << 20, at: offset)
      if part.isEmpty { break }
      part.withUnsafeBytes { digest.update($0) }
      try copy.write(part)
      offset += part.count
    }
    return digest.hexadecimal()
  }
}
