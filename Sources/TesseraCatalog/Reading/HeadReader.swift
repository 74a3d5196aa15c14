internal import TesseraJSON

/// Collects the members of a document that are not images, in whatever order they arrive.
struct HeadReader: Sendable {
  private var catalog = Catalog.blank
  private var seen = SeenMembers()
  var hasImages = false
  /// The number of images that the catalog states. It is not a member of ``Catalog``, where it
  /// follows from the images. Nil if an older version wrote it.
  private(set) var count: Int?

  /// The members so far as they were written: a JSON object.
  var text: [UInt8] { (members.isEmpty ? [UInt8(ascii: "{")] : members) + [UInt8(ascii: "}")] }
  private var members: [UInt8] = []

  mutating func keep(_ name: String, _ value: ArraySlice<UInt8>) {
    members.append(UInt8(ascii: members.isEmpty ? "{" : ","))
    JSONCanonical.append(name, to: &members)
    members.append(UInt8(ascii: ":"))
    members += value
  }

  /// The first required member that has not arrived; nil if the head is complete.
  var missing: String? {
    var head = catalog
    var visitor = MissingMember(seen: seen)
    Catalog.headMembers(&visitor, &head)
    return visitor.name
  }

  /// The catalog without its images; nil until all required members have arrived.
  var head: Catalog? { missing == nil ? catalog : nil }

  /// Reads the value of one member.
  mutating func read(
    _ name: String, from scanner: inout JSONScanner
  ) throws(JSONScanner.Failure) {
    scanner.skipSpace()
    let start = scanner.offset
    var reader = MemberReader(member: name, scanner, seen: seen)
    var count = count
    try reader.read(&catalog) { reader, catalog throws(JSONScanner.Failure) in
      try Catalog.headMembers(&reader, &catalog)
      try reader.optional("count", &count)
    }
    self.count = count
    scanner = reader.scanner
    seen = reader.seen
    if name == "tables" {
      do throws(JSONScanner.Failure) {
        try catalog.checkTablePaths(at: start)
      } catch {
        throw error.within(name)
      }
    }
    if name == "baseURL", let base = catalog.baseURL, !CatalogVariant.isBase(base) {
      throw JSONScanner.Failure(
        offset: start,
        message:
          "expected a URL that begins with http:// or https://, or one without a scheme, found \"\(base.prefix(80))\""
      ).within(name)
    }
    // After any member: a blank catalog has the right schema, so only one that was read can fail.
    guard catalog.schema == Catalog.schema else {
      throw JSONScanner.Failure(
        offset: start,
        message: "expected \"\(Catalog.schema)\", the only version that this library reads, found "
          + "\"\(catalog.schema)\""
      ).within(name)
    }
  }
}
