internal import TesseraJSON
internal import TesseraOutput
internal import TesseraState

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
    let index = try OutputToolError.wrap { try LineIndex() }
    var image = try lines.next()
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
    return OldCatalog(lines, index)
  }

  /// Compares an image of the other catalog with the one here that has its id.
  ///
  /// - Parameter next: the id of the image that follows it.
  /// - Returns: nil if that id was compared before.
  func compare(
    _ image: CatalogLine, id: String, next: String?
  ) throws(OutputToolError) -> Outcome? {
    guard let entry = try OutputToolError.wrap({ try index.find(id) }) else {
      // Added as one that was found: not missing, and a duplicate if the id is seen again.
      var entry = LineIndex.Entry(offset: 0, length: 0, next: nil)
      entry.wasFound = true
      _ = try OutputToolError.wrap { try index.add(id, entry) }
      return .added
    }
    guard !entry.wasFound else { return nil }
    let old = try lines.image(at: .init(offset: entry.offset, length: entry.length))
    let names = Self.differences(old.json, image.json)
    return names.isEmpty ? (entry.next == next ? .same : .moved) : .changed(names)
  }

  /// The ids that were not compared, in the order of this catalog.
  func forEachMissing(_ body: (String) -> Void) throws(OutputToolError) {
    try OutputToolError.wrap { try index.forEachMissing(body) }
  }

  /// The names of the members that differ, in the order of the new object; then of those that it has no more.
  static func differences(_ old: JSONValue, _ new: JSONValue) -> [String] {
    guard case .object(let before) = old, case .object(let after) = new else { return [] }
    let changed = after.filter { old[$0.name] != $0.value }
    return (changed + before.filter { new[$0.name] == nil }).map(\.name)
  }
}
