internal import TesseraJSON
internal import TesseraText

/// The changes from one catalog to the next, as `tessera diff --patch` writes them. An app that has
/// the old catalog downloads the patch instead of the new catalog.
///
/// It is a JSON Merge Patch (RFC 7396) for the keyed form of a catalog. In that form `images` is an
/// object whose names are the ids of the images. Each image names its successor in `next`, and the
/// catalog names the first image in `first`. `extra` is wrapped in an array: a merge
/// patch replaces an array as a whole, but it cannot express a null member of an object.
///
/// A patch names the catalogs that it leads from and to by their digests (``Catalog/digest``). Applied to another
/// one it is refused.
public struct CatalogPatch: Sendable {
  /// The digest of the catalog that the patch is for; nil if an older version wrote it.
  public private(set) var from: String?
  /// The digest of the catalog that results.
  public private(set) var to: String?
  /// The members of the patch other than `images`.
  private var members: [String: CatalogValue] = [:]
  private var images: [(id: Identifier, change: CatalogValue)] = []

  /// - Throws: ``CatalogError`` if the bytes are not a patch.
  public init(reading bytes: some Sequence<UInt8>) throws(CatalogError) {
    var buffer = CatalogBuffer()
    buffer.append(bytes)
    var scanner = buffer.scanner
    var patch = CatalogPatch()
    try buffer.located { () throws(JSONScanner.Failure) in
      try patch.read(&scanner)
      try scanner.expectEnd(of: "the patch")
    }
    self = patch
  }

  /// One of a list.
  static func read(from scanner: inout JSONScanner) throws(JSONScanner.Failure) -> CatalogPatch {
    var patch = CatalogPatch()
    try patch.read(&scanner)
    return patch
  }

  private init() {}

  private mutating func read(_ scanner: inout JSONScanner) throws(JSONScanner.Failure) {
    try scanner.object { scanner, name throws(JSONScanner.Failure) in
      switch name {
      case "images": try readImages(&scanner)
      case "from": from = try scanner.string()
      case "to": to = try scanner.string()
      default: members[name] = try CatalogValue.read(from: &scanner)
      }
    }
  }

  private mutating func readImages(_ scanner: inout JSONScanner) throws(JSONScanner.Failure) {
    // Ids are compared by their bytes, unlike the names that `JSONScanner.object` compares.
    var ids: Set<Identifier> = []
    try scanner.members { scanner, name, offset throws(JSONScanner.Failure) in
      let id = Identifier(name)
      guard ids.insert(id).inserted else {
        throw JSONScanner.Failure(duplicate: name, at: offset)
      }
      // An image's `extra` is two levels further down here, in an object and an array. It may nest as
      // deep as in a catalog, where counting begins at `extra` itself.
      images.append((id, try CatalogValue.read(from: &scanner, depth: -2)))
    }
  }

  /// The catalog that results from the patch.
  ///
  /// - Parameter catalog: the one that the patch is for.
  /// - Throws: ``CatalogError`` if the patch is for another catalog, or the result is not a catalog.
  public func applied(to catalog: Catalog) throws(CatalogError) -> Catalog {
    if let from, let digest = catalog.digest, from != digest {
      throw Self.error(
        "from",
        "the patch is for the catalog \(from.prefix(12))…, and this one is \(digest.prefix(12))…")
    }
    var changes = members
    let first = changes.removeValue(forKey: "first")
    var (new, count) = try Self.head(of: catalog, changedBy: changes)
    var keyed = try KeyedImages(catalog.images)
    for (id, change) in images { try keyed.change(id, by: change) }
    // A `first` of null means that no image is left; without `first` the order begins as before.
    new.images = try keyed.ordered(from: first.map(\.stringValue) ?? catalog.images.first?.id)
    if let count, count != new.images.count {
      throw Self.error(
        "images", "\(new.images.count) of \(count); the patch is for another catalog")
    }
    return new
  }

  /// The new catalog without its images, and how many it must have; nil if the patch says nothing
  /// of it.
  private static func head(
    of catalog: Catalog, changedBy changes: [String: CatalogValue]
  ) throws(CatalogError) -> (Catalog, count: Int?) {
    let merged = CatalogValue.object(catalog.headTree).merged(with: .object(changes))
    var reader = HeadReader()
    try merged.scanned(as: "the catalog") { scanner throws(JSONScanner.Failure) in
      try scanner.object { scanner, name throws(JSONScanner.Failure) in
        try reader.read(name, from: &scanner)
      }
    }
    guard let head = reader.head else {
      throw error(reader.missing ?? "", "the patch removes it")
    }
    return (head, reader.count)
  }

  fileprivate static func error(_ member: String, _ message: String) -> CatalogError {
    // A value in memory has no place in a document.
    CatalogError(line: 1, column: 1, member: member, message: message)
  }
}

/// The images of the keyed form. Those that no change is for are copied in runs: each is where it was, before its successor.
private struct KeyedImages {
  private enum State { case asBefore, changed, gone }

  private let old: [CatalogImage]
  private var places: [Identifier: Int]
  /// By place. New images have the places after all others. Gone is what was removed, or has its place in the order.
  private var states: [State]
  private var entries: [Int: Entry] = [:]
  private var count: Int

  init(_ images: [CatalogImage]) throws(CatalogError) {
    (old, count) = (images, images.count)
    states = Array(repeating: .asBefore, count: count)
    places = Dictionary(minimumCapacity: count)
    for place in old.indices {
      guard places.updateValue(place, forKey: Identifier(old[place].id)) == nil else {
        throw CatalogPatch.error("images", "duplicate id \"\(old[place].id)\"")
      }
    }
  }

  mutating func change(_ id: Identifier, by change: CatalogValue) throws(CatalogError) {
    let known = places[id]
    if change == .null {
      guard let known else { return }
      states[known] = .gone
      count -= 1
      return
    }
    let entry = known.map { place in
      Entry(image: old[place], next: place + 1 < old.count ? old[place + 1].id : nil)
    }
    let place = known ?? states.count
    entries[place] = try entry.changed(by: change, id: id.text)
    if known == nil {
      places[id] = place
      states.append(.changed)
      count += 1
    } else {
      states[place] = .changed
    }
  }

  /// All images in the order of their `next`.
  mutating func ordered(from first: String?) throws(CatalogError) -> [CatalogImage] {
    var images: [CatalogImage] = []
    images.reserveCapacity(count)
    var place = try first.map(self.place)
    while let start = place {
      if states[start] == .changed, let entry = entries[start] {
        states[start] = .gone
        images.append(entry.image)
        place = try entry.next.map(self.place)
      } else {
        var end = start
        while end < old.count, states[end] == .asBefore {
          states[end] = .gone
          end += 1
        }
        // Gone when it is visited, so that a cycle of `next` ends in this error.
        guard end > start else { throw Self.missing(entries[start]?.image.id ?? old[start].id) }
        images += old[start..<end]
        place = end < old.count ? end : nil
      }
    }
    guard images.count == count else {
      throw CatalogPatch.error(
        "images",
        "\(count - images.count) have no place in the order; the patch is for another catalog")
    }
    return images
  }

  private func place(of id: String) throws(CatalogError) -> Int {
    guard let place = places[Identifier(id)] else { throw Self.missing(id) }
    return place
  }

  private static func missing(_ id: String) -> CatalogError {
    CatalogPatch.error("images", "\"\(id)\" is missing; the patch is for another catalog")
  }
}

/// An image of the keyed form.
private struct Entry {
  var image: CatalogImage
  /// The id of the image after it; nil for the last one.
  var next: String?

  var members: [String: CatalogValue] {
    var members = image.treeMembers
    // The id is the entry's name.
    members["id"] = nil
    members["next"] = next.map { .string($0) }
    members["extra"] = members["extra"].map { .array([$0]) }
    return members
  }

  init(image: CatalogImage, next: String?) {
    self.image = image
    self.next = next
  }

  init(_ members: [String: CatalogValue], id: String) throws(CatalogError) {
    var members = members
    next = members.removeValue(forKey: "next")?.stringValue
    members["id"] = .string(id)
    if case .array(let list)? = members["extra"] { members["extra"] = list.first }
    image = try CatalogValue.object(members).scanned(
      as: "images.\(id)"
    ) { scanner throws(JSONScanner.Failure) in
      let image = try CatalogImage.read(from: &scanner)
      try image.checkPlaces(at: 0)
      return image
    }
  }
}

extension Entry? {
  /// The entry after a change; nil is an entry that does not exist yet.
  fileprivate func changed(by change: CatalogValue, id: String) throws(CatalogError) -> Entry {
    let before = CatalogValue.object(self?.members ?? [:])
    guard case .object(let members) = before.merged(with: change) else {
      throw CatalogPatch.error("images.\(id)", "expected an object")
    }
    return try Entry(members, id: id)
  }
}

extension CatalogValue {
  /// The value with a merge patch applied (RFC 7396, section 2).
  fileprivate func merged(with patch: CatalogValue) -> CatalogValue {
    guard case .object(let changes) = patch else { return patch }
    var members: [String: CatalogValue] = [:]
    if case .object(let before) = self { members = before }
    for (name, change) in changes {
      members[name] = change == .null ? nil : (members[name] ?? .null).merged(with: change)
    }
    return .object(members)
  }

  /// Runs a reader over the value's text, so that a patched value is checked as strictly as a file.
  fileprivate func scanned<Value>(
    as member: String, _ body: (inout JSONScanner) throws(JSONScanner.Failure) -> Value
  ) throws(CatalogError) -> Value {
    var bytes: [UInt8] = []
    appendCanonicalJSON(to: &bytes)
    var scanner = JSONScanner(bytes)
    do throws(JSONScanner.Failure) {
      return try body(&scanner)
    } catch {
      throw CatalogPatch.error(error.within(member).member, error.message)
    }
  }
}
