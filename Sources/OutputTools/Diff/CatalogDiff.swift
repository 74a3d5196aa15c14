internal import TesseraJSON
internal import TesseraOutput
internal import TesseraState

/// What changed from one catalog to another, and the patch for it.
///
/// Both catalogs are streamed: memory does not grow with them. The patch is for the ``KeyedForm``.
package struct CatalogDiff {
  private let old: String
  private let new: String

  /// - Parameters: paths of catalogs, or of the outputs that hold them.
  package init(old: String, new: String) {
    self.old = old
    self.new = new
  }

  /// The SHA-256 of each catalog's canonical JSON (RFC 8785), whatever its form.
  package func digests() throws -> (old: String, new: String) {
    (try CatalogFile(at: old).canonicalDigest(), try CatalogFile(at: new).canonicalDigest())
  }

  /// Compares the catalogs.
  ///
  /// - Parameters:
  ///   - onChange: called for each image that differs, in the order of the new catalog; then for
  ///     the images that were removed.
  ///   - patch: called with the parts of the patch.
  /// - Throws: ``OutputToolError`` if a catalog can't be read, or `CancellationError`.
  package func run(
    onChange: (Change) -> Void, patch: (_ bytes: [UInt8]) -> Void = { _ in }
  ) throws -> Report {
    var report = Report()
    let digests = try digests()
    let before = try OldCatalog.open(old)
    var after = try CatalogFile(at: new).lines()
    var writer = JSONWriter()
    try writer.object { object in
      // First, so that an app can refuse the patch before it reads the rest.
      object.member("from", digests.old)
      object.member("to", digests.new)
      var image = try after.next()
      let changes = try before.changes(toHead: after.head, first: image?.id)
      for change in changes { object.member(change.name, change.value) }
      // `first`, and `next` below, belong to the keyed form and not to the catalog; the other two follow
      // from the images.
      report.members = changes.map(\.name).filter { !["first", "count", "digest"].contains($0) }
      object.name("images")
      try object.object { images in
        while let current = image {
          let next = try after.next()
          guard let id = current.id else { throw after.error("an image has no id") }
          let keyed = KeyedForm.image(current.json, next: next?.id)
          guard let outcome = try before.compare(keyed, id: id) else {
            throw after.error("duplicate id \"\(id)\"")
          }
          if let change = outcome.patch { images.member(id, change) }
          if let change = report.count(outcome, id: id) { onChange(change) }
          // Taken even if no patch is wanted, because what is not taken stays in memory.
          patch(images.take())
          image = next
        }
        try before.forEachMissing { id in
          report.removed += 1
          onChange(.removed(id))
          images.member(id, .null)
          patch(images.take())
        }
      }
    }
    patch(writer.take() + [UInt8(ascii: "\n")])
    return report
  }
}

extension CatalogDiff.Report {
  /// Counts an image. Returns the change that it is, unless it is the same.
  fileprivate mutating func count(
    _ outcome: OldCatalog.Outcome, id: String
  ) -> CatalogDiff.Change? {
    switch outcome {
    case .same:
      same += 1
      return nil
    case .added:
      added += 1
      return .added(id)
    case .differs(let changes):
      let members = changes.map(\.name).filter { $0 != "next" }
      guard !members.isEmpty else {
        moved += 1
        return nil
      }
      changed += 1
      return .changed(id, members: members)
    }
  }
}
