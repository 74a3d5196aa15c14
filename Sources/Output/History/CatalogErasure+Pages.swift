internal import TesseraCatalog
internal import TesseraJSON
package import TesseraSystem
internal import TesseraText

extension CatalogErasure {
  /// A staged companion without the images, for a catalog; nil if it is missing.
  ///
  /// - Parameters:
  ///   - companion: its path beside the current catalog, which says what it is.
  ///   - path: where it is.
  mutating func rewritten(
    companion: String, at path: String, _ digest: String
  ) async throws(SystemError) -> WorkFile? {
    let pair = CatalogPair(of: output, workspace)
    guard let (folder, _) = PageFolder.of(companion), let size = try await output.size(of: path)
    else { return nil }
    guard PageFolder.isIndex(companion) else {
      if let first = firstPages[folder] {
        return try pair.staged(path, try await output.read(first.path, first.bytes, at: 0))
      }
      // No image is left.
      let page = PageIndex.Page(path: path, digest: "", count: 0, bytes: size)
      return try await rewritten(page, in: folder).map { page throws(SystemError) in
        try pair.staged(path, page.bytes)
      }
    }
    guard let index = try await PageIndex.read(path, in: output) else { return nil }
    var pages: [PageIndex.Page] = []
    for page in index.pages {
      guard let (new, bytes) = try await rewritten(page, in: folder) else {
        pages.append(page)
        continue
      }
      erased.documents.insert(page.path)
      if new.count == 0 { continue }
      try await output.write(new.path, bytes)
      pages.append(new)
    }
    if companion == folder.index { firstPages[folder] = pages.first }
    return try pair.staged(path, PageIndex(digest: digest, pages: pages).document)
  }

  /// A page without the images; nil if it has none of them.
  private mutating func rewritten(
    _ page: PageIndex.Page, in folder: PageFolder
  ) async throws(SystemError) -> (page: PageIndex.Page, bytes: [UInt8])? {
    // An index that was written when its page was already erased.
    guard try await output.size(of: page.path) != nil else {
      var gone = page
      gone.count = 0
      return (gone, [])
    }
    var texts = CatalogTexts(page.path, in: output)
    var rest: [[UInt8]] = []
    var found = false
    while let text = try await texts.next() {
      if try take(text, of: texts) { found = true } else { rest.append(text) }
    }
    guard found else { return nil }
    let (head, _) = Self.headLine(try texts.head, without: [])
    var (made, bytes) = try PageWriter.page(rest, head: head, in: folder)
    made.prefix = page.prefix
    return (made, bytes)
  }

  /// Deletes pages that no index names and that have one of the images: those of catalogs that are not kept any more, and
  /// those of killed runs.
  package mutating func deletePages() async throws(SystemError) {
    var named = Set(try await PageFolder.indices(in: output).flatMap(\.index.pages).map(\.path))
    for path in try await CatalogHistory.kept(in: output)?.catalogs.flatMap(\.indices) ?? [] {
      named.formUnion(try await PageIndex.read(path, in: output)?.pages.map(\.path) ?? [])
    }
    for folder in try await PageFolder.all(in: output) {
      for entry in try await output.listIfThere(folder.path) {
        let path = "\(folder.path)/\(entry.name)"
        guard CatalogPages.isPage(path), !named.contains(path) else { continue }
        var texts = CatalogTexts(path, in: output)
        var found = false
        while let text = try await texts.next() {
          if try take(text, of: texts) { found = true }
        }
        guard found else { continue }
        erased.documents.insert(path)
        try await output.delete(path)
      }
    }
  }

  /// Deletes all patches, any of which may name the images; the next run makes them again.
  package mutating func deletePatches() async throws(SystemError) {
    for path in try await CatalogPatches.all(in: output) {
      try await output.delete(path)
      erased.documents.insert(path)
    }
  }
}
