internal import TesseraJSON
internal import TesseraState
internal import TesseraSystem

/// What has changed from one catalog to another, and the patch for it. Both are streamed: memory does not grow with
/// them.
///
/// RFC 7396 replaces an array as a whole, so a patch is for a catalog in its keyed form, in which `images` is an object
/// with the pictures' ids as names. Each picture tells the id of the one behind it as `next`, and the catalog that of the
/// first as `first`: an order in which a new picture concerns its neighbours alone. `extra` is in an array of its own,
/// because a patch can say nothing of members that are null.
package struct CatalogDiff {
  package enum Change: Sendable {
    case added(String)
    case removed(String)
    /// With the names of members that are others.
    case changed(String, members: [String])
  }

  package struct Report: Sendable {
    package var added = 0
    package var removed = 0
    package var changed = 0
    package var same = 0
    /// Pictures that have another one behind them than before, and are the same themselves.
    package var moved = 0
    /// Members of the catalog itself that are others: `slots`, `pipeline`.
    package var members: [String] = []

    package init() {}

    package var isEmpty: Bool { added + removed + changed + moved == 0 && members.isEmpty }
  }

  private let old: String
  private let new: String

  /// - Parameters: catalogs, or the outputs that hold them.
  package init(old: String, new: String) {
    self.old = old
    self.new = new
  }

  /// What stands for the two catalogs, whatever form they are in: SHA-256 of their canonical JSON (RFC 8785). An app
  /// can tell by it whether a patch is for the catalog that it has, and whether it came to the right one.
  package func digests() throws -> (old: String, new: String) {
    (try CatalogFile(old).canonicalDigest(), try CatalogFile(new).canonicalDigest())
  }

  /// Compares the catalogs.
  ///
  /// - Parameters:
  ///   - tell: told each picture that is not what it was, in the order of the new catalog, those that are gone at the
  ///     end.
  ///   - patch: given the patch in parts; nil where none is wanted.
  /// - Throws: ``OutputToolError`` where a catalog can't be read.
  package func run(
    tell: (Change) -> Void, patch: ((_ bytes: [UInt8]) -> Void)? = nil
  ) throws -> Report {
    var report = Report()
    // What was told is not kept, whether somebody wants it or not.
    func tellPatch(_ bytes: [UInt8]) { patch?(bytes) }
    let index = try OutputToolError.wrap { try LineIndex() }
    var before = try WrittenCatalog.open(at: old)
    let (oldHead, oldFirst) = try Self.fill(index, from: &before)
    var after = try WrittenCatalog.open(at: new)
    let newHead = after.head
    var writer = JSONWriter()
    try writer.object { object in
      var image = try after.next()
      let (oldKeyed, newKeyed) = (
        Self.keyed(oldHead, first: oldFirst), Self.keyed(newHead, first: image?.id)
      )
      if case .object(let changes)? = try Self.patch(oldKeyed, newKeyed, of: "the catalog") {
        for change in changes { object.member(change.name, change.value) }
        report.members = changes.map(\.name).filter { $0 != "first" }
      }
      object.name("images")
      try object.object { images in
        while let current = image {
          let next = try after.next()
          try Task.checkCancellation()
          guard let id = current.id else { throw after.error("an image has no id") }
          let keyed = Self.keyed(current, next: next?.id)
          if let entry = try index.find(id) {
            guard !entry.wasFound else { throw Self.repeated(id, in: after) }
            let line = try before.line(at: entry.offset, length: entry.length)
            let change = try Self.patch(Self.keyed(line, next: entry.next), keyed, of: "\"\(id)\"")
            let members = change?.names.filter { $0 != "next" } ?? []
            if let change {
              images.member(id, change)
              if members.isEmpty {
                report.moved += 1
              } else {
                report.changed += 1
                tell(.changed(id, members: members))
              }
            } else {
              report.same += 1
            }
          } else {
            // So that one more of its name is seen.
            var entry = LineIndex.Entry(offset: 0, length: 0, next: nil)
            entry.wasFound = true
            _ = try index.add(id, entry)
            report.added += 1
            tell(.added(id))
            images.member(id, keyed)
          }
          tellPatch(images.take())
          image = next
        }
        try index.forEachMissing { id in
          report.removed += 1
          tell(.removed(id))
          images.member(id, .null)
          tellPatch(images.take())
        }
      }
    }
    tellPatch(writer.take() + [0x0A])
    return report
  }

  private static func fill(
    _ index: LineIndex, from catalog: inout WrittenCatalog
  ) throws -> (head: JSONValue, first: String?) {
    var image = try catalog.next()
    let first = image?.id
    while let current = image {
      try Task.checkCancellation()
      guard let id = current.id else { throw catalog.error("an image has no id") }
      let place = catalog.place
      let next = try catalog.next()
      guard try index.add(id, .init(offset: place.offset, length: place.length, next: next?.id))
      else { throw repeated(id, in: catalog) }
      image = next
    }
    return (catalog.head, first)
  }

  private static func repeated(_ id: String, in catalog: borrowing WrittenCatalog)
    -> OutputToolError
  {
    catalog.error("the id \"\(id)\" stands twice")
  }

  private static func patch(
    _ old: JSONValue, _ new: JSONValue, of what: String
  ) throws(OutputToolError) -> JSONValue? {
    do throws(MergePatch.Inexpressible) {
      return try MergePatch.between(old, new)
    } catch {
      throw .local(
        "no patch can say that \(error.path.joined(separator: ".")) of \(what) is null (RFC 7396)")
    }
  }

  // MARK: The keyed form

  private static func keyed(_ head: JSONValue, first: String?) -> JSONValue {
    guard case .object(var members) = head else { return head }
    members.removeAll { $0.name == "images" }
    if let first { members.append(.init("first", .string(first))) }
    return .object(members)
  }

  private static func keyed(_ image: JSONValue, next: String?) -> JSONValue {
    guard case .object(var members) = image else { return image }
    members.removeAll { $0.name == "id" }
    for place in members.indices where members[place].name == "extra" {
      members[place].value = .array([members[place].value])
    }
    if let next { members.append(.init("next", .string(next))) }
    return .object(members)
  }
}

extension JSONValue {
  fileprivate var id: String? { self["id"]?.stringValue }

  fileprivate var names: [String] {
    if case .object(let members) = self { members.map(\.name) } else { [] }
  }
}
