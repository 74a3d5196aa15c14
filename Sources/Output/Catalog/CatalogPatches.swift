internal import TesseraBytes
internal import TesseraJSON
package import TesseraSystem

/// The patches of an output, by which an app that has one of the last catalogs gets the current one with a small request:
///
///     from-<digest>.json                a patch from the catalog of this digest; an empty one from the current
///     screens/feed/from-<digest>.json   patches from the pages of a screen that were in that catalog
///
/// They are made of the catalogs that are kept, after the current one was replaced. Without one, an app fetches the whole.
package struct CatalogPatches {
  private let output: any Output
  private let workspace: Workspace

  private static let schema = "tessera-catalog-patches/1"
  /// A patch of more than this part of what it replaces is not worth its request; a small one always is.
  private static let part = 4
  private static let smallBytes = 1 << 16

  /// - Parameter workspace: of which this process holds the lock.
  package init(of output: any Output, _ workspace: Workspace) {
    (self.output, self.workspace) = (output, workspace)
  }

  static func name(_ digest: String) -> String { "from-\(digest).json" }

  /// Whether a path is that of a patch.
  package static func isPatch(_ path: String) -> Bool {
    let name = PageFolder.of(path).map { $0.folder == .whole ? "" : String($0.name) } ?? path
    return name.wholeMatch(of: /from-[0-9a-f]{64}\.json/) != nil
  }

  /// Those that an output has, by their paths.
  package static func all(in output: any Output) async throws(SystemError) -> [String] {
    var paths = try await output.listIfThere("").map(\.name)
    for folder in try await PageFolder.all(in: output) {
      paths += try await output.listIfThere(folder.path).map { "\(folder.path)/\($0.name)" }
    }
    return paths.filter(isPatch)
  }

  /// The digest of the catalog that a patch leads to, which is one of its first members; nil if it is missing.
  package static func target(
    of path: String, in output: any Output
  ) async throws(SystemError) -> String? {
    guard try await output.size(of: path) != nil else { return nil }
    let start = String(decoding: try await output.read(path, 256, at: 0), as: UTF8.self)
    return start.firstMatch(of: /"to":"([0-9a-f]{64})"/).map { String($0.1) }
  }

  /// Makes the patches that lead to the current catalog, and deletes all others.
  func write(_ retention: CatalogRetention, had: Bool = true) async throws(SystemError) {
    guard retention.patches > 0 || had else { return }
    var wanted: Set<String> = []
    if retention.patches > 0, let current = try await CurrentCatalog(of: output) {
      let kept = try await CatalogHistory.kept(in: output)?.others(than: current.keptPath) ?? []
      wanted = try await writeWhole(kept.prefix(retention.patches), to: current)
      for (path, index) in try await PageFolder.indices(in: output) {
        guard let (folder, _) = PageFolder.of(path), folder != .whole, path == folder.index else {
          continue
        }
        wanted.formUnion(
          try await writePages(of: folder, index, kept.prefix(retention.patches), to: current))
      }
    }
    for path in try await Self.all(in: output) where !wanted.contains(path) {
      try await output.delete(path)
    }
  }

  // MARK: Of the whole

  private func writeWhole(
    _ kept: ArraySlice<KeptCatalog>, to current: CurrentCatalog
  ) async throws(SystemError) -> Set<String> {
    var made = [Self.name(current.digest)]
    try await output.write(made[0], Self.none(current.digest))
    for catalog in kept {
      let path = Self.name(catalog.digest)
      if try await Self.target(of: path, in: output) == current.digest {
        made.append(path)
        continue
      }
      var patch = PatchWriter(
        from: catalog.path, to: current.name, in: output,
        limit: max(Self.smallBytes, current.bytes / Self.part))
      guard let bytes = try await patch.write() else { continue }
      try await output.write(path, bytes)
      made.append(path)
    }
    return Set(made)
  }

  private static func none(_ digest: String) -> [UInt8] {
    Array("{\"from\":\"\(digest)\",\"to\":\"\(digest)\",\"images\":{}}\n".utf8)
  }

  // MARK: Of screens

  private func writePages(
    of folder: PageFolder, _ index: PageIndex, _ kept: ArraySlice<KeptCatalog>,
    to current: CurrentCatalog
  ) async throws(SystemError) -> Set<String> {
    let path = { "\(folder.path)/\(Self.name($0))" }
    var made = [path(current.digest)]
    try await output.write(made[0], Self.document(from: current.digest, to: current.digest, []))
    for catalog in kept {
      if try await Self.target(of: path(catalog.digest), in: output) == current.digest {
        made.append(path(catalog.digest))
        continue
      }
      guard let copy = catalog.companions[folder.index],
        let old = try await PageIndex.read(copy, in: output)
      else { continue }
      let patches = try await patches(from: old.pages, to: index.pages)
      try await output.write(
        path(catalog.digest), Self.document(from: catalog.digest, to: current.digest, patches))
      made.append(path(catalog.digest))
    }
    return Set(made)
  }

  private static func document(from: String, to: String, _ patches: [[UInt8]]) -> [UInt8] {
    let start = "{\"schema\":\"\(schema)\",\"from\":\"\(from)\",\"to\":\"\(to)\",\"patches\":["
    return Array(start.utf8) + Array(patches.joined(separator: ",".utf8)) + Array("]}\n".utf8)
  }

  /// Patches from old pages to new ones, as many as are worth it.
  private func patches(
    from old: [PageIndex.Page], to new: [PageIndex.Page]
  ) async throws(SystemError) -> [[UInt8]] {
    let (before, after) = (Set(old.map(\.path)), Set(new.map(\.path)))
    let gone = old.filter { !after.contains($0.path) }
    var (starts, ends) = ([String: PageIndex.Page](), [String: PageIndex.Page]())
    for page in gone where try await output.has(page.path, bytes: page.bytes) {
      guard let (first, last) = try await outerIDs(of: page) else { continue }
      (starts[first], ends[last]) = (page, page)
    }
    var patches: [[UInt8]] = []
    var room = max(Self.smallBytes, new.reduce(0) { $0 + $1.bytes } / Self.part)
    for page in new where !before.contains(page.path) {
      // The first page has as many images as before. Any other ends where it ended, or begins where it began.
      var source = page == new.first && gone.first == old.first ? gone.first : nil
      if source == nil, let (first, last) = try await outerIDs(of: page) {
        source = ends[last] ?? starts[first]
      }
      guard let source else { continue }
      var patch = PatchWriter(
        from: source.path, to: page.path, in: output, limit: min(room, page.bytes / 2))
      guard let bytes = try await patch.write() else { continue }
      room -= bytes.count
      patches.append(bytes.dropLast())
    }
    return patches
  }

  /// The ids of the first and the last image of a page.
  private func outerIDs(
    of page: PageIndex.Page
  ) async throws(SystemError) -> (first: String, last: String)? {
    var texts = CatalogTexts(page.path, in: output)
    guard let first = try await texts.next() else { return nil }
    var last = first
    while let text = try await texts.next() { last = text }
    guard let first = CatalogLine(first)?.id, let last = CatalogLine(last)?.id else { return nil }
    return (first, last)
  }
}
