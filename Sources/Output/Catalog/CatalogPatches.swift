internal import TesseraCatalog
package import TesseraSystem
internal import TesseraText

/// The patches of an output, by which an app that has one of the last catalogs gets the current one with a small request:
///
///     from-<digest>.json                a patch from the catalog of this digest; an empty one from the current
///     screens/feed/from-<digest>.json   patches from the pages of a screen that were in that catalog
///
/// They are made of the catalogs that are kept, after the current one was replaced. Without one, an app fetches the whole.
package struct CatalogPatches {
  private let output: any Output
  private let workspace: Workspace

  /// A patch of more than this part of what it replaces is not worth its request; a small one always is.
  private static let part = 4
  private static let smallBytes = 1 << 16
  /// A larger one is not for an app, nor for the memory of a run.
  private static let mostBytes = 16 << 20

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

  /// Deletes the patches that lead to another catalog than the current one, and makes those that lead to it. One that can't be
  /// made leaves the others.
  func write(_ retention: CatalogRetention, _ list: KeptCatalogs?) async throws(SystemError) {
    guard retention.patches > 0 || list?.retention.patches ?? 0 > 0 else { return }
    let current = try await CurrentCatalog(of: output)
    let kept = (list?.others(than: current?.keptPath) ?? []).prefix(retention.patches)
    // First: until the next one is there, an app had better fetch the whole than an old catalog.
    try await deleteOthers(
      than: retention.patches > 0 ? current?.digest : nil, from: kept.map(\.digest))
    if retention.patches > 0, let current { try await write(from: kept, to: current) }
    if var list, list.retention.patches != retention.patches {
      list.retention.patches = retention.patches
      try await CatalogHistory(of: output, workspace).write(list)
    }
  }

  private func deleteOthers(
    than current: String?, from digests: [String]
  ) async throws(SystemError) {
    let names = Set((digests + [current].compactMap(\.self)).map(Self.name))
    for path in try await Self.all(in: output) {
      let isNamed = names.contains(FileSystem.name(of: path))
      if isNamed, current != nil, try await Self.target(of: path, in: output) == current {
        continue
      }
      try await output.delete(path)
    }
  }

  private func write(
    from kept: ArraySlice<KeptCatalog>, to current: CurrentCatalog
  ) async throws(SystemError) {
    var screens: [Screen] = []
    for (path, index) in try await PageFolder.indices(in: output) {
      guard let (folder, _) = PageFolder.of(path), folder != .whole, path == folder.index else {
        continue
      }
      screens.append(Screen(folder: folder, pages: index.pages))
    }
    // From the current catalog nothing has to be fetched.
    let digest = current.digest
    try await output.write(Self.name(digest), Self.none(digest))
    for screen in screens {
      try await output.write(
        screen.patch(digest), Self.document(from: digest, to: digest, []))
    }
    var failure: SystemError?
    for catalog in kept {
      do throws(SystemError) {
        try await writeWhole(from: catalog, to: current)
        for place in screens.indices {
          try await writePages(of: &screens[place], from: catalog, to: digest)
        }
      } catch {
        failure = failure ?? error
      }
    }
    if let failure { throw failure }
  }

  // MARK: Of the whole

  private func writeWhole(
    from catalog: KeptCatalog, to current: CurrentCatalog
  ) async throws(SystemError) {
    let path = Self.name(catalog.digest)
    // Those that are left lead to the current one.
    guard try await output.size(of: path) == nil else { return }
    let limit = max(Self.smallBytes, current.bytes / Self.part)
    var patch = PatchWriter(
      from: catalog.path, to: current.name, in: output, limit: min(limit, Self.mostBytes))
    if let bytes = try await patch.write() { try await output.write(path, bytes) }
  }

  private static func none(_ digest: String) -> [UInt8] {
    Array("{\"from\":\"\(digest)\",\"to\":\"\(digest)\",\"images\":{}}\n".utf8)
  }

  // MARK: Of screens

  /// A screen of the current catalog.
  private struct Screen {
    let folder: PageFolder
    let pages: [PageIndex.Page]
    /// The ids of the first and the last image of a page, as far as they have been read.
    var outerIDs: [Identifier: OuterIDs] = [:]

    func patch(_ digest: String) -> String { "\(folder.path)/\(CatalogPatches.name(digest))" }
  }

  private typealias OuterIDs = (first: String, last: String)

  private func writePages(
    of screen: inout Screen, from catalog: KeptCatalog, to digest: String
  ) async throws(SystemError) {
    let path = screen.patch(catalog.digest)
    guard try await output.size(of: path) == nil,
      let copy = catalog.companions[screen.folder.index],
      let old = try await PageIndex.read(copy, in: output)
    else { return }
    let patches = try await patches(from: old.pages, to: &screen)
    try await output.write(path, Self.document(from: catalog.digest, to: digest, patches))
  }

  private static func document(from: String, to: String, _ patches: [[UInt8]]) -> [UInt8] {
    let start =
      "{\"schema\":\"\(TesseraCatalog.CatalogPatches.schema)\",\"from\":\"\(from)\",\"to\":\"\(to)\",\"patches\":["
    return Array(start.utf8) + Array(patches.joined(separator: ",".utf8)) + Array("]}\n".utf8)
  }

  /// Patches from old pages to new ones, as many as are worth it.
  private func patches(
    from old: [PageIndex.Page], to screen: inout Screen
  ) async throws(SystemError) -> [[UInt8]] {
    let new = screen.pages
    let (before, after) = (
      Set<Identifier>(of: old.map(\.path)), Set<Identifier>(of: new.map(\.path))
    )
    let gone = old.filter { !after.contains($0.path) }
    var (starts, ends) = ([Identifier: PageIndex.Page](), [Identifier: PageIndex.Page]())
    for page in gone where try await output.has(page.path, bytes: page.bytes) {
      guard let (first, last) = try await outerIDs(of: page) else { continue }
      (starts[first], ends[last]) = (page, page)
    }
    var patches: [[UInt8]] = []
    let limit = max(Self.smallBytes, new.reduce(0) { $0 + $1.bytes } / Self.part)
    var room = min(limit, Self.mostBytes)
    for page in new where !before.contains(page.path) && room > 0 {
      // The first page has as many images as before. Any other ends where it ended, or begins where it began.
      var source = page == new.first && gone.first == old.first ? gone.first : nil
      if source == nil {
        let known = screen.outerIDs[page.path]
        let ids = if let known { known } else { try await outerIDs(of: page) }
        screen.outerIDs[page.path] = ids
        source = ids.flatMap { ends[$0.last] ?? starts[$0.first] }
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

  private func outerIDs(of page: PageIndex.Page) async throws(SystemError) -> OuterIDs? {
    var texts = CatalogTexts(page.path, in: output)
    guard let first = try await texts.next() else { return nil }
    var last = first
    while let text = try await texts.next() { last = text }
    guard let first = CatalogLine(first)?.id, let last = CatalogLine(last)?.id else { return nil }
    return (first, last)
  }
}
