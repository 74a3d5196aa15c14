internal import TesseraJSON

/// Reads a record from JSON.
///
/// The reader holds the name of the next member of the text. When a visit meets the member of that
/// name, the reader reads its value and the next name. A text in the order of the list, as a run
/// writes it, is therefore read in one pass over the list; another order takes more passes.
struct MemberReader: MemberVisitor {
  typealias Failure = JSONScanner.Failure

  var scanner: JSONScanner
  var seen = SeenMembers()
  /// The name before the value that the scanner is at; nil after the last member.
  private var name: (text: String, offset: Int)?
  /// Whether one member is read, rather than a whole object.
  private let isSingle: Bool
  /// The place in the list of the member that is visited next.
  private var place = 0

  /// Reads a whole object.
  init(object scanner: JSONScanner) throws(Failure) {
    self.scanner = scanner
    isSingle = false
    try self.scanner.beginObject()
    name = try self.scanner.nextName(isFirst: true)
  }

  /// Reads the one value that the scanner is at.
  init(member name: String, _ scanner: JSONScanner, seen: SeenMembers) {
    self.scanner = scanner
    self.seen = seen
    self.name = (name, scanner.offset)
    isSingle = true
  }

  /// Reads all that is left, into a record.
  mutating func read<Record>(
    _ record: inout Record,
    members: (inout MemberReader, inout Record) throws(Failure) -> Void
  ) throws(Failure) {
    while let before = name {
      place = 0
      try members(&self, &record)
      // A pass that read nothing met a member that this version does not know.
      if name?.offset == before.offset { try skip(before) }
    }
  }

  private mutating func skip(_ unknown: (text: String, offset: Int)) throws(Failure) {
    do throws(Failure) {
      guard seen.insert(unknown: unknown.text) else {
        throw Failure(duplicate: unknown.text, at: unknown.offset)
      }
      try scanner.skip()
    } catch {
      throw error.within(unknown.text)
    }
    try advance()
  }

  private mutating func advance() throws(Failure) {
    name = isSingle ? nil : try scanner.nextName(isFirst: false)
  }

  /// Whether the next value of the text belongs to the member that is visited.
  private mutating func isNext(_ visited: String) throws(Failure) -> Bool {
    defer { place += 1 }
    guard let name, name.text == visited else { return false }
    guard seen.insert(place) else {
      throw Failure(duplicate: visited, at: name.offset).within(visited)
    }
    return true
  }

  private mutating func value<Value>(
    of name: String, _ read: (inout JSONScanner) throws(Failure) -> Value
  ) throws(Failure) -> Value {
    let value: Value
    do throws(Failure) {
      value = try read(&scanner)
    } catch {
      throw error.within(name)
    }
    try advance()
    return value
  }

  mutating func required<Value: MemberValue>(
    _ name: String, _ value: inout Value
  ) throws(Failure) {
    if try isNext(name) { value = try self.value(of: name, Value.read) }
  }

  mutating func optional<Value: MemberValue>(
    _ name: String, _ value: inout Value?
  ) throws(Failure) {
    guard try isNext(name) else { return }
    if scanner.null() {
      value = nil
      try advance()
    } else {
      value = try self.value(of: name, Value.read)
    }
  }

  mutating func collection<Value: MemberValue>(
    _ name: String, _ value: inout Value
  ) throws(Failure) {
    if try isNext(name) { value = try self.value(of: name, Value.read) }
  }

  mutating func named<Value: MemberValue>(
    _ name: String, _ value: inout [String: Value]
  ) throws(Failure) {
    if try isNext(name) { value = try self.value(of: name, [String: Value].read) }
  }

  mutating func anything(_ name: String, _ value: inout CatalogValue?) throws(Failure) {
    if try isNext(name) { value = try self.value(of: name, CatalogValue.read) }
  }
}

extension CatalogRecord {
  static func read(from scanner: inout JSONScanner) throws(JSONScanner.Failure) -> Self {
    scanner.skipSpace()
    let start = scanner.offset
    var record = blank
    var reader = try MemberReader(object: scanner)
    try reader.read(&record) { reader, record throws(JSONScanner.Failure) in
      try members(&reader, &record)
    }
    scanner = reader.scanner
    var missing = MissingMember(seen: reader.seen)
    members(&missing, &record)
    if let name = missing.name {
      throw JSONScanner.Failure(offset: start, message: "\"\(name)\" is missing")
    }
    return record
  }
}

extension CatalogImage {
  /// What the line of an image has as `extra`, as compact text: a ``CatalogValue`` keeps neither the order of members nor every number.
  /// Nil without it, and for a text that is not an image.
  package static func extra(ofLine line: [UInt8]) -> String? {
    var scanner = JSONScanner(line)
    var extra: String?
    do throws(JSONScanner.Failure) {
      try scanner.members { scanner, name, _ throws(JSONScanner.Failure) in
        if name == "extra" {
          extra = try scanner.compact()
        } else {
          try scanner.skip(depth: 1)
        }
      }
      return extra
    } catch {
      return nil
    }
  }
}

/// The members of one record that a reader has met.
struct SeenMembers: Sendable {
  /// A bit for each place in the record's list. The longest list has 19 members.
  private var places: UInt64 = 0
  /// Members that this version does not know. Almost always empty.
  private var unknown = MemberNames()

  /// Returns false if the member was met before.
  mutating func insert(_ place: Int) -> Bool {
    let bit: UInt64 = 1 << UInt64(place)
    defer { places |= bit }
    return places & bit == 0
  }

  /// Returns false if the member was met before.
  mutating func insert(unknown name: String) -> Bool { unknown.insert(name) }

  func contains(_ place: Int) -> Bool { places >> UInt64(place) & 1 == 1 }
}

/// Finds the first required member that a reader has not met.
struct MissingMember: MemberVisitor {
  typealias Failure = Never

  private let seen: SeenMembers
  private var place = 0
  private(set) var name: String?

  init(seen: SeenMembers) { self.seen = seen }

  private mutating func visit(_ name: String, isRequired: Bool) {
    if isRequired, self.name == nil, !seen.contains(place) { self.name = name }
    place += 1
  }

  mutating func required<Value>(_ name: String, _ value: inout Value) {
    visit(name, isRequired: true)
  }
  mutating func named<Value>(_ name: String, _ value: inout [String: Value]) {
    visit(name, isRequired: true)
  }
  mutating func optional<Value>(_ name: String, _ value: inout Value?) {
    visit(name, isRequired: false)
  }
  mutating func collection<Value>(_ name: String, _ value: inout Value) {
    visit(name, isRequired: false)
  }
  mutating func anything(_ name: String, _ value: inout CatalogValue?) {
    visit(name, isRequired: false)
  }
}
