internal import TesseraJSON
internal import TesseraOutput
internal import TesseraState

/// The catalog that another one is compared with: an index of its images on disk, so that those of
/// the other can be looked up in any order.
struct OldCatalog: ~Copyable {
  /// What an image of the other catalog is, compared with this one.
  enum Outcome {
    case added(JSONValue)
    case same
    case differs([JSONValue.Member])

    /// The image's member of the patch; nil if it needs none.
    var patch: JSONValue? {
      switch self {
      case .added(let image): image
      case .same: nil
      case .differs(let members): .object(members)
      }
    }
  }

  private let lines: CatalogLines
  private let index: LineIndex
  /// The id of the first image.
  private let first: String?

  private init(_ lines: consuming CatalogLines, _ index: LineIndex, first: String?) {
    self.lines = lines
    self.index = index
    self.first = first
  }

  /// Opens a catalog and indexes its images.
  static func open(_ path: String) throws -> OldCatalog {
    var lines = try CatalogFile(at: path).lines()
    let index = try OutputToolError.wrap { try LineIndex() }
    var image = try lines.next()
    let first = image?.id
    while let current = image {
      guard let id = current.id else { throw lines.error("an image has no id") }
      let place = lines.place
      let next = try lines.next()
      let entry = LineIndex.Entry(offset: place.offset, length: place.length, next: next?.id)
      guard try OutputToolError.wrap({ try index.add(id, entry) }) else {
        throw lines.error("duplicate id \"\(id)\"")
      }
      image = next
    }
    return OldCatalog(lines, index, first: first)
  }

  /// The members of the patch apart from `images`.
  func changes(toHead head: JSONValue, first: String?) throws(OutputToolError) -> [JSONValue.Member]
  {
    try Self.changes(
      KeyedForm.head(lines.head, first: self.first), KeyedForm.head(head, first: first),
      of: "the catalog") ?? []
  }

  /// Compares an image of the other catalog, in its keyed form, with the one here that has its id.
  ///
  /// - Returns: nil if that id was compared before.
  func compare(_ image: JSONValue, id: String) throws(OutputToolError) -> Outcome? {
    guard let entry = try OutputToolError.wrap({ try index.find(id) }) else {
      // Added as one that was found: not missing, and a duplicate if the id is seen again.
      var entry = LineIndex.Entry(offset: 0, length: 0, next: nil)
      entry.wasFound = true
      _ = try OutputToolError.wrap { try index.add(id, entry) }
      return .added(image)
    }
    guard !entry.wasFound else { return nil }
    let old = try lines.image(at: .init(offset: entry.offset, length: entry.length))
    let changes = try Self.changes(
      KeyedForm.image(old.json, next: entry.next), image, of: "\"\(id)\"")
    return changes.map { .differs($0) } ?? .same
  }

  /// The ids that were not compared, in the order of this catalog.
  func forEachMissing(_ body: (String) -> Void) throws(OutputToolError) {
    try OutputToolError.wrap { try index.forEachMissing(body) }
  }

  /// The members to change in `old`; nil if nothing differs.
  private static func changes(
    _ old: JSONValue, _ new: JSONValue, of subject: String
  ) throws(OutputToolError) -> [JSONValue.Member]? {
    do throws(MergePatch.Inexpressible) {
      return try KeyedForm.changes(old, new)
    } catch {
      throw OutputToolError(
        "a patch can't express that \(error.path.joined(separator: ".")) of \(subject) is null "
          + "(RFC 7396)")
    }
  }
}
