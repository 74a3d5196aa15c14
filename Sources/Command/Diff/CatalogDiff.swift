internal import TesseraCatalog
internal import TesseraJSON
internal import TesseraOutput
internal import TesseraState
internal import TesseraSystem

/// What changed from one catalog to another, and the document by which an app comes from one to the other.
///
/// Both catalogs are streamed: for the list of changes memory does not grow with them.
struct CatalogDiff {
  private let old: String
  private let new: String

  /// - Parameters: paths of catalogs, or of the outputs that hold them.
  init(old: String, new: String) {
    self.old = old
    self.new = new
  }

  /// The digest of each catalog's document as it is.
  func digests() throws -> (old: String, new: String) {
    (try CatalogFile(at: old).contentDigest(), try CatalogFile(at: new).contentDigest())
  }

  /// Compares the catalogs.
  ///
  /// - Parameter onChange: called for each image that differs, in the order of the new catalog; then for
  ///   the images that were removed.
  /// - Throws: ``TesseraError`` if a catalog can't be read, or `CancellationError`.
  func run(onChange: (Change) -> Void) throws -> Report {
    var report = Report()
    let before = try OldCatalog.open(old)
    var after = try CatalogFile(at: new).lines()
    report.members = OldCatalog.differences(
      try JSONParser.parse(before.headText), try JSONParser.parse(after.headText)
    ).filter { !["count", "digest"].contains($0) }
    var image = try after.next()
    while let current = image {
      let next = try after.next()
      guard let id = current.id else { throw after.error("an image has no id") }
      guard let outcome = try before.compare(current, id: id, next: next?.id) else {
        throw after.error("duplicate id \"\(id)\"")
      }
      switch outcome {
      case .same: report.same += 1
      case .moved: report.moved += 1
      case .added:
        report.added += 1
        onChange(.added(id))
      case .changed(let members):
        report.changed += 1
        onChange(.changed(id, members: members))
      }
      image = next
    }
    try before.forEachMissing { id in
      report.removed += 1
      onChange(.removed(id))
    }
    return report
  }

  /// Writes the document of changes that an app with the old catalog applies.
  ///
  /// - Parameter write: called with its parts.
  /// - Throws: ``TesseraError`` if a catalog can't be read, or is not as it was written; or `CancellationError`.
  func writeChanges(_ write: (_ bytes: [UInt8]) -> Void) throws {
    let (before, after) = (try CatalogFile(at: old), try CatalogFile(at: new))
    for file in [before, after] {
      guard try file.head().digest == file.contentDigest() else {
        throw TesseraError(
          .output,
          "\"\(file.path)\" was altered after it was written, so no changes lead from it or to it; run again to regenerate it"
        )
      }
    }
    guard try !after.hasForgotten() else {
      throw TesseraError(
        .output,
        "\"\(after.path)\" still lists images that were forgotten; call tessera forget for them again"
      )
    }
    var writer = ChangesWriter()
    // Also those that were forgotten: the app's catalog has them, and lines are counted.
    var lines = try before.allLines()
    while let line = try lines.nextText() { writer.addOld(line) }
    var new = try after.lines()
    writer.begin(
      from: try before.head().digest ?? "", to: try after.head().digest ?? "", head: new.headText)
    while let line = try new.nextText() { write(writer.addNew(line)) }
    write(writer.end())
  }
}

/// The catalog that another one is compared with: an index of its images on disk, so that those of
/// the other can be looked up in any order.
struct OldCatalog: ~Copyable {
  /// What an image of the other catalog is, compared with this one.
  enum Outcome {
    case added
    case same
    /// Another image follows.
    case moved
    /// The names of the members that differ.
    case changed([String])
  }

  let headText: [UInt8]
  private let lines: CatalogLines
  private let index: LineIndex

  private init(_ lines: consuming CatalogLines, _ index: LineIndex) {
    headText = lines.headText
    self.lines = lines
    self.index = index
  }

  /// Opens a catalog and indexes its images.
  static func open(_ path: String) throws -> OldCatalog {
    var lines = try CatalogFile(at: path).lines()
    let index = try LineIndex()
    var image = try lines.next()
    while let current = image {
      guard let id = current.id else { throw lines.error("an image has no id") }
      let place = lines.place
      let next = try lines.next()
      let entry = LineIndex.Entry(offset: place.offset, length: place.length, next: next?.id)
      guard try index.add(id, entry) else {
        throw lines.error("duplicate id \"\(id)\"")
      }
      image = next
    }
    return OldCatalog(lines, index)
  }

  /// Compares an image of the other catalog with the one here that has its id.
  ///
  /// - Parameter next: the id of the image that follows it.
  /// - Returns: nil if that id was compared before.
  func compare(
    _ image: CatalogLine, id: String, next: String?
  ) throws -> Outcome? {
    guard let entry = try index.find(id) else {
      // Added as one that was found: not missing, and a duplicate if the id is seen again.
      var entry = LineIndex.Entry(offset: 0, length: 0, next: nil)
      entry.wasFound = true
      _ = try index.add(id, entry)
      return .added
    }
    guard !entry.wasFound else { return nil }
    let old = try lines.image(at: .init(offset: entry.offset, length: entry.length))
    let names = Self.differences(old.json, image.json)
    return names.isEmpty ? (entry.next == next ? .same : .moved) : .changed(names)
  }

  /// The ids that were not compared, in the order of this catalog.
  func forEachMissing(_ body: (String) -> Void) throws {
    try index.forEachMissing(body)
  }

  /// The names of the members that differ, in the order of the new object; then of those that it has no more.
  static func differences(_ old: JSONValue, _ new: JSONValue) -> [String] {
    guard case .object(let before) = old, case .object(let after) = new else { return [] }
    let changed = after.filter { old[$0.name] != $0.value }
    return (changed + before.filter { new[$0.name] == nil }).map(\.name)
  }
}
