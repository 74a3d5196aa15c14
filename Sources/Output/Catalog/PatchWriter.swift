internal import TesseraCatalog
internal import TesseraJSON
internal import TesseraSystem
internal import TesseraText

/// Writes the patch from one catalog to another, or from one page to another: a JSON Merge Patch (RFC 7396) for their
/// ``KeyedForm``.
///
/// Both are read once and side by side. An image that is not in the same place in both waits for its counterpart, so
/// memory grows with the changes and not with the catalogs. Where too much would have to wait, the patch would be too
/// large anyway.
struct PatchWriter: ~Copyable {
  private var old: Side
  private var new: Side
  private let limit: Int
  private var writer = JSONWriter()
  private var written = 0
  private var patch: [UInt8] = []

  /// The patch has grown too large, or can't be expressed.
  private struct Unsuitable: Error {}

  /// - Parameter limit: how many bytes a patch may have.
  init(from old: String, to new: String, in output: any Output, limit: Int) {
    self.old = Side(CatalogTexts(old, in: output))
    self.new = Side(CatalogTexts(new, in: output))
    self.limit = limit
  }

  /// The patch; nil if it would be larger than the limit.
  mutating func write() async throws(SystemError) -> [UInt8]? {
    let (before, after) = (try await old.begin(), try await new.begin())
    do throws(Unsuitable) {
      try begin(before, after)
    } catch {
      return nil
    }
    while old.current != nil || new.current != nil {
      do throws(Unsuitable) {
        try compare()
      } catch {
        return nil
      }
      try await old.advance()
      try await new.advance()
    }
    do throws(Unsuitable) {
      try end()
    } catch {
      return nil
    }
    return patch
  }

  private mutating func begin(
    _ before: JSONValue, _ after: JSONValue
  ) throws(Unsuitable) {
    writer.beginObject()
    // First, so that an app can refuse the patch before it reads the rest.
    for (name, head) in [("from", before), ("to", after)] {
      guard let digest = head["digest"]?.stringValue else { throw Unsuitable() }
      writer.member(name, digest)
    }
    let changes = try Self.changes(
      KeyedForm.head(before, first: old.current?.id), KeyedForm.head(after, first: new.current?.id))
    for change in changes ?? [] { writer.member(change.name, change.value) }
    writer.name("images")
    writer.beginObject()
  }

  /// Compares the current images, or lets them wait.
  private mutating func compare() throws(Unsuitable) {
    if let before = old.current, let after = new.current, before.id.isSame(as: after.id) {
      return try write(before, after)
    }
    if let before = old.current {
      if let after = new.takeWaiting(before.id) {
        try write(before, after)
      } else {
        old.wait()
      }
    }
    if let after = new.current {
      if let before = old.takeWaiting(after.id) {
        try write(before, after)
      } else {
        new.wait()
      }
    }
    guard old.waitingBytes + new.waitingBytes <= 2 * limit else { throw Unsuitable() }
  }

  private mutating func write(_ before: Line, _ after: Line) throws(Unsuitable) {
    guard before != after else { return }
    let changes = try Self.changes(try before.keyed(), try after.keyed())
    if let changes { try write(after.id, .object(changes)) }
  }

  private mutating func write(_ id: String, _ value: JSONValue) throws(Unsuitable) {
    writer.member(id, value)
    patch += writer.take()
    guard patch.count <= limit else { throw Unsuitable() }
  }

  private mutating func end() throws(Unsuitable) {
    for line in new.allWaiting { try write(line.id, try line.keyed()) }
    for line in old.allWaiting { try write(line.id, .null) }
    writer.endObject()
    writer.endObject()
    patch += writer.take() + [UInt8(ascii: "\n")]
  }

  private static func changes(
    _ old: JSONValue, _ new: JSONValue
  ) throws(Unsuitable) -> [JSONValue.Member]? {
    do throws(MergePatch.Inexpressible) {
      return try KeyedForm.changes(old, new)
    } catch {
      throw Unsuitable()
    }
  }

  /// An image as it was written, with the id of the one after it.
  private struct Line: Equatable {
    let id: String
    let text: [UInt8]
    var next: Identifier?

    func keyed() throws(Unsuitable) -> JSONValue {
      guard let image = CatalogLine(text) else { throw Unsuitable() }
      return KeyedForm.image(image.json, next: next?.text)
    }
  }

  /// A catalog that is read image by image.
  private struct Side {
    private var texts: CatalogTexts
    private(set) var current: Line?
    private var following: Line?
    private var waiting: [Identifier: Line] = [:]
    private(set) var waitingBytes = 0

    init(_ texts: CatalogTexts) { self.texts = texts }

    /// Reads the first image, and returns the head.
    mutating func begin() async throws(SystemError) -> JSONValue {
      following = try await read()
      try await advance()
      return try texts.head
    }

    mutating func advance() async throws(SystemError) {
      current = following
      following = current == nil ? nil : try await read()
      current?.next = Identifier(following?.id)
    }

    private mutating func read() async throws(SystemError) -> Line? {
      guard let text = try await texts.next() else { return nil }
      guard let id = Self.id(of: text) else { throw texts.damaged("an image has no id") }
      return Line(id: id, text: text, next: nil)
    }

    /// The member `id`, which is the first of those that Tessera writes.
    private static func id(of text: [UInt8]) -> String? {
      let start = Array("{\"id\":".utf8)
      if text.starts(with: start) {
        var scanner = JSONScanner(text, start.count..<text.count)
        if let id = try? scanner.string() { return id }
      }
      return CatalogLine(text)?.id
    }

    mutating func wait() {
      guard let line = current else { return }
      waiting[line.id] = line
      waitingBytes += line.text.count
    }

    mutating func takeWaiting(_ id: String) -> Line? {
      guard let line = waiting.removeValue(forKey: Identifier(id)) else { return nil }
      waitingBytes -= line.text.count
      return line
    }

    var allWaiting: [Line] { waiting.sorted { $0.key < $1.key }.map(\.value) }
  }
}
