internal import TesseraOutput
internal import TesseraSystem
internal import TesseraText

/// The URLs of images as the documents of an output show them: of a catalog that was merged no state knows them.
struct ShownSources {
  private let output: any Output

  init(in output: any Output) { self.output = output }

  /// Those that belong to these images alone: a secret that is not shown may be all that tells one from another.
  func urls(of ids: Set<Identifier>) async throws -> [Identifier: Set<Identifier>] {
    var own: [Identifier: Set<Identifier>] = [:]
    try await forEachLine { image in
      guard let id = image.id, ids.contains(id), let url = image.url,
        SourceURL.isTransferred(url)
      else { return }
      own[id, default: []].insert(url)
    }
    let all = own.values.reduce(into: Set()) { $0.formUnion($1) }
    guard !all.isEmpty else { return [:] }
    var shared: Set<Identifier> = []
    try await forEachLine { image in
      guard let id = image.id, !ids.contains(id), let url = image.url, all.contains(url) else {
        return
      }
      shared.insert(url)
    }
    return own.mapValues { $0.subtracting(shared) }
  }

  /// All lines of documents that list images. Returns the error of the first one that is damaged: what follows its damage is
  /// left out, because that must not keep an image from being forgotten.
  @discardableResult
  func forEachLine(_ body: (CatalogLine) -> Void) async throws -> (any Error)? {
    var damage: (any Error)?
    var paths = try await CatalogHistory.kept(in: output)?.catalogs.map(\.path) ?? []
    if try await CurrentCatalog.isThere(in: output) { paths.append(CurrentCatalog.path) }
    for path in paths where try await output.size(of: path) != nil {
      var texts = CatalogTexts(path, in: output)
      do {
        while let text = try await texts.next() {
          try Task.checkCancellation()
          if let image = CatalogLine(text) { body(image) }
        }
      } catch let error as SystemError where error.isDamage {
        damage = damage ?? error
      }
    }
    for path in try await ShardResults.paths(in: output) {
      do {
        var lines = try await ShardLines(path, in: output)
        while let image = try await lines.nextImage() { body(image) }
      } catch {
        damage = damage ?? error
      }
    }
    return damage
  }
}
