/// What changed from one catalog to the next, as `tessera diff --patch` writes it: an app that has the one downloads
/// this instead of the other.
///
/// It is a JSON Merge Patch (RFC 7396) for the keyed form of a catalog: `images` is an object with the pictures' ids as
/// names, each picture tells the id of the one behind it as `next`, and the catalog that of the first as `first`; `extra`
/// is in an array of its own.
public struct CatalogPatch: Sendable {
  /// But for the pictures.
  private var members: [String: CatalogValue] = [:]
  private var pictures: [(id: Identifier, change: CatalogValue)] = []

  /// - Throws: ``CatalogError`` where it is no patch.
  public init(reading bytes: some Sequence<UInt8>) throws(CatalogError) {
    let bytes = Array(bytes)
    var scanner = JSONScanner(bytes, 0..<bytes.count)
    do throws(JSONScanner.Failure) {
      var members: [String: CatalogValue] = [:]
      var pictures: [(id: Identifier, change: CatalogValue)] = []
      try scanner.object { scanner, name throws(JSONScanner.Failure) in
        guard name == "images" else {
          members[name] = try scanner.value()
          return
        }
        try scanner.object { scanner, id throws(JSONScanner.Failure) in
          // Its `extra` is an array's element here, and as deep in itself as in a catalog.
          pictures.append((Identifier(id), try scanner.value(depth: -2)))
        }
      }
      guard scanner.isAtEnd() else {
        throw JSONScanner.Failure(
          offset: scanner.offset, message: "expected nothing behind the patch")
      }
      self.members = members
      self.pictures = pictures
    } catch {
      let before = bytes.prefix(error.offset)
      let start = before.lastIndex(of: 0x0A).map { $0 + 1 } ?? 0
      throw CatalogError(
        line: before.count { $0 == 0x0A } + 1, column: error.offset - start + 1,
        member: error.member, message: error.message)
    }
  }

  /// The catalog that the patch leads to.
  ///
  /// A patch does not say what it is for (RFC 7396 has no place for that): applied to another catalog it gives something
  /// that nobody made. Name it for the catalog that it starts from.
  ///
  /// - Parameter catalog: the one that the patch is for.
  /// - Throws: ``CatalogError`` where the result would be no catalog, which is often how one for another shows: a picture
  ///   is not there, or has no place in the order.
  public func applied(to catalog: Catalog) throws(CatalogError) -> Catalog {
    var changes = members
    let first = changes.removeValue(forKey: "first")
    var fields = HeadFields()
    let head = Self.merge(.object(changes), into: catalog.headValue)
    try Self.read(head, as: "the catalog") { scanner throws(JSONScanner.Failure) in
      try scanner.object { scanner, name throws(JSONScanner.Failure) in
        try fields.take(name, &scanner)
      }
    }
    guard var new = fields.catalog else {
      throw Self.error(fields.missing ?? "", "the patch takes it away")
    }

    var images: [Identifier: (image: CatalogImage, next: String?)] = [:]
    for (image, next) in zip(catalog.images, catalog.images.dropFirst().map(\.id) + [nil]) {
      guard images.updateValue((image, next), forKey: Identifier(image.id)) == nil else {
        throw Self.error("images", "two have the id \"\(image.id)\"")
      }
    }
    for (id, change) in pictures {
      images[id] = change == .null ? nil : try Self.changed(images[id], by: change, id: id.text)
    }
    var id = first.map { $0.stringValue } ?? catalog.images.first?.id
    while let current = id {
      guard let entry = images.removeValue(forKey: Identifier(current)) else {
        throw Self.error("images", "\"\(current)\" is not there; the patch is for another catalog")
      }
      new.images.append(entry.image)
      id = entry.next
    }
    guard images.isEmpty else {
      throw Self.error(
        "images", "\(images.count) have no place in the order; the patch is for another catalog")
    }
    return new
  }

  private static func changed(
    _ entry: (image: CatalogImage, next: String?)?, by change: CatalogValue, id: String
  ) throws(CatalogError) -> (image: CatalogImage, next: String?) {
    var before = CatalogValue.object([:])
    if let entry, case .object(var members) = entry.image.value {
      members["id"] = nil
      members["next"] = entry.next.map { .string($0) }
      members["extra"] = members["extra"].map { .array([$0]) }
      before = .object(members)
    }
    guard case .object(var members) = merge(change, into: before) else {
      throw error("images.\(id)", "expected an object")
    }
    let next = members.removeValue(forKey: "next")?.stringValue
    members["id"] = .string(id)
    if case .array(let list)? = members["extra"] { members["extra"] = list.first }
    var image: CatalogImage?
    try read(.object(members), as: "images.\(id)") { scanner throws(JSONScanner.Failure) in
      image = try scanner.catalogImage()
    }
    guard let image else { throw error("images.\(id)", "expected a picture") }
    return (image, next)
  }

  /// RFC 7396, section 2.
  private static func merge(_ patch: CatalogValue, into value: CatalogValue) -> CatalogValue {
    guard case .object(let changes) = patch else { return patch }
    var members: [String: CatalogValue] = [:]
    if case .object(let before) = value { members = before }
    for (name, change) in changes {
      members[name] = change == .null ? nil : merge(change, into: members[name] ?? .null)
    }
    return .object(members)
  }

  private static func read(
    _ value: CatalogValue, as member: String,
    _ body: (inout JSONScanner) throws(JSONScanner.Failure) -> Void
  ) throws(CatalogError) {
    var bytes: [UInt8] = []
    value.write(to: &bytes)
    var scanner = JSONScanner(bytes, 0..<bytes.count)
    do throws(JSONScanner.Failure) {
      try body(&scanner)
    } catch {
      var error = error
      error.path.append(member)
      throw Self.error(error.member, error.message)
    }
  }

  private static func error(_ member: String, _ message: String) -> CatalogError {
    CatalogError(line: 1, column: 1, member: member, message: message)
  }
}
