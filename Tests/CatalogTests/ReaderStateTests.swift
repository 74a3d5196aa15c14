import Synchronization
import TesseraBytes
import TesseraTestSupport
import Testing

@testable import TesseraCatalog

/// The reader line by line: what it knows, where it is, and what it does not accept.
@Suite struct ReaderStateTests {
  private static func image(_ id: String) -> String { #"{"id":"\#(id)","status":"pending"}"# }

  private static let document = String(
    decoding: CatalogFixture.document([image("a"), image("b")]), as: UTF8.self)

  private static func error(_ text: String) -> String {
    do {
      return "\(try Catalog(reading: text.utf8).images.map(\.id))"
    } catch {
      return "\(error)"
    }
  }

  @Test func theFormIsThatOfLines() {
    let text = Self.document
    func changed(_ old: String, _ new: String) -> String {
      Self.error(text.replacing(old, with: new, maxReplacements: 1))
    }
    #expect(Self.error(text) == #"["a", "b"]"#)
    #expect(
      changed("}\n]}\n", "}\n]}\n ") == "line 5, column 1: expected nothing after the catalog")
    #expect(
      changed("}\n]}\n", "}\n]}\n\n") == "line 5, column 1: expected nothing after the catalog")
    #expect(changed("}\n]}\n", "}\n]}") == "line 4, column 3: the catalog is cut off here")
    #expect(changed("}\n]}\n", "}\n]\n").hasPrefix("line 3, column 1: expected a comma"))
    #expect(changed("}\n]}\n", "},\n]}\n") == "line 4, column 1: expected an image after the comma")
    #expect(
      changed("},\n{", "}\n{")
        == "line 2, column 1: expected a comma at the end of the line")
    #expect(
      changed("},\n{", "},\n\n{")
        == "line 3, column 1: expected an image, which begins with {, or ]} on the last line")
    #expect(
      changed("},\n{", "},\n7{").hasPrefix("line 3, column 1: images[1]: expected an image, "))
    #expect(
      changed("\"count\":2", "\"count\":3") == "line 5, column 1: the catalog has 2 of its 3 images"
    )
    #expect(changed("},\n{", "},{").hasPrefix("line 2, column "))
  }

  /// What other tools make of a catalog is another document.
  @Test(arguments: [
    " ", "[", "{ \"digest\"", "{\"schema\":\"tessera-catalog/1\"", "<!doctype html>",
    "{\"digest\":\"x",
  ])
  func anotherFormIsSaidAtOnce(_ start: String) {
    #expect(
      Self.error(start + Self.document).hasPrefix("line 1, column 1: expected {\"digest\":\"…\""))
    // Also without a line break.
    var reader = CatalogReader()
    reader.add(start.utf8)
    #expect(throws: CatalogError.self) {
      _ = try reader.next()
      try reader.finish()
    }
  }

  @Test(arguments: ["schema", "generator", "pipeline", "formats", "slots", "scales"])
  func everyMemberOfTheHeadIsRequired(_ name: String) {
    let text = Self.document.replacing("\"\(name)\":", with: "\"x\(name)\":", maxReplacements: 1)
    #expect(Self.error(text) == "line 1, column 1: \"\(name)\" is missing")
  }

  /// The head is known when the first line has arrived.
  @Test func theHeadComesBeforeTheImages() throws {
    let bytes = Array(Self.document.utf8)
    let end = try #require(bytes.firstIndex(of: 10))
    var reader = CatalogReader()
    reader.add(bytes[..<end])
    let before = try reader.readHead()
    #expect(!before && reader.head == nil)
    reader.add(bytes[end...end])
    let after = try reader.readHead()
    #expect(after && reader.head?.scales == [1, 2] && reader.line == 2)
    #expect(reader.head?.digest == CatalogDocument.statedDigest(of: bytes))
    let text = String(decoding: reader.headText, as: UTF8.self)
    #expect(text == Self.document.prefix { $0 != "\n" }.dropLast(11) + "}")
    #expect(CatalogDocument.firstLine(of: reader.headText) == Array(bytes[..<end]))
  }

  /// Images as they were written, with their places in the document; whatever is in them.
  @Test func textsOfImages() throws {
    let texts = [Self.image("a"), "{ \"x\" : [ ] }", "{7}"]
    let document = CatalogFixture.document(texts)
    var reader = CatalogReader()
    reader.add(document)
    var found: [String] = []
    while let (bytes, offset) = try reader.nextText() {
      #expect(document[offset..<offset + bytes.count].elementsEqual(bytes))
      found.append("\(String(decoding: bytes, as: UTF8.self)) \(reader.line)")
    }
    try reader.finish()
    #expect(found == zip(texts, [3, 4, 5]).map { "\($0) \($1)" })
  }

  /// Bytes that were read are given up; places count from the beginning of the document all the
  /// same.
  @Test func placesCountFromTheBeginning() throws {
    let long = String(repeating: "x", count: 70_000)
    let texts = (0..<5).map { "{\"id\":\"\($0)\",\"status\":\"pending\",\"alt\":\"\(long)\"}" }
    let document = CatalogFixture.document(texts + ["{\"id\":5}"])
    var (reader, plain) = (CatalogReader(), CatalogReader())
    var (count, offsets, message) = (0, [Int](), "")
    for start in stride(from: 0, to: document.count, by: 30_000) {
      let piece = document[start..<min(start + 30_000, document.count)]
      plain.add(piece)
      while let (_, offset) = try plain.nextText() { offsets.append(offset) }
      reader.add(piece)
      do {
        while try reader.next() != nil { count += 1 }
      } catch {
        message = "\(error)"
        break
      }
    }
    #expect(count == 5 && message == "line 7, column 7: images[5].id: expected a string, found 5")
    let first = try #require(document.firstIndex(of: 10)) + 1
    #expect(offsets == (0...5).map { first + $0 * (texts[0].utf8.count + 2) })
  }

  /// The digest is of all bytes after itself, whatever the size of the pieces.
  @Test(arguments: [1, 7, 76, 77, 78, 100_000])
  func theDigestIsOfTheBytes(_ size: Int) throws {
    let bytes = Array((Self.document).utf8)
    let hashed = Mutex<[UInt8]>([])
    var reader = CatalogReader { part in hashed.withLock { $0 += part } }
    for start in stride(from: 0, to: bytes.count, by: size) {
      reader.add(bytes[start..<min(start + size, bytes.count)])
      while try reader.next() != nil {}
    }
    try reader.finish()
    let all = hashed.withLock(\.self)
    #expect(all == Array(bytes[CatalogDocument.digested...]))
    #expect(SHA256.of(all) == reader.head?.digest)
  }

  @Test func imagesAreSkippedOnRequestOnly() throws {
    let text = CatalogFixture.document([Self.image("a"), "{}", Self.image("b"), "{]"])
    #expect(throws: CatalogError.self) { try Catalog(reading: text) }
    var problems: [String] = []
    let catalog = try Catalog(reading: text) { problems.append("\($0)") }
    #expect(catalog.images.map(\.id) == ["a", "b"])
    #expect(
      problems == [
        "line 3, column 1: images[1]: \"id\" is missing",
        "line 5, column 2: images[3]: expected a member's name in quotes, found \"]\"",
      ])
    #expect(!CatalogReader().skipsBadImages && CatalogReader().problems.isEmpty)
    #expect(
      "\(CatalogError(line: 2, column: 3, member: "a.b", message: "m"))"
        == "line 2, column 3: a.b: m")
  }
}
