import Synchronization
import TesseraTestSupport
import Testing

@testable import TesseraCatalog

/// The reader between its images: what it knows, where it is, and what it does not accept.
@Suite struct ReaderStateTests {
  private static let head = CatalogFixture.head
  private static func image(_ id: String) -> String { #"{"id":"\#(id)","status":"pending"}"# }

  private static func error(_ text: String) -> String {
    do {
      return "\(try Catalog(reading: text.utf8).images.map(\.id))"
    } catch {
      return "\(error)"
    }
  }

  @Test func punctuationIsChecked() {
    let start = Self.head
    let column = start.utf8.count
    #expect(Self.error("\(start);") == #"line 1, column \#(column + 1): expected "," or "}""#)
    #expect(
      Self.error("\(start),\"x\" 5}")
        == #"line 1, column \#(column + 6): expected ":" after a member's name"#)
    #expect(
      Self.error("\(start),}") == "line 1, column \(column + 2): expected a member's name in quotes"
    )
    #expect(
      Self.error("\(start),\"images\":{}}")
        == "line 1, column \(column + 11): expected one array of images")
    #expect(
      Self.error("\(start),\"images\":[],\n\"images\":[]}")
        == "line 2, column 10: expected one array of images")
    let images = "\(start),\"images\":[\n\(Self.image("a"))"
    #expect(Self.error("\(images);\n]}") == #"line 2, column 30: expected "," or "]""#)
    #expect(Self.error("\(images)\n,\(Self.image("b"))]}") == #"["a", "b"]"#)
    #expect(Self.error("\(images)]}}") == "line 2, column 32: expected nothing after the catalog")
    #expect(Self.error("\(images)]}\n\n ") == #"["a"]"#)
    #expect(Self.error("\(images)") == "line 2, column 30: the catalog is cut off here")
    #expect(Self.error("\(images)]") == "line 2, column 31: the catalog is cut off here")
    #expect(Self.error("\(start)}\n{") == "line 2, column 2: the catalog is cut off here")
    #expect(Self.error("[") == "line 1, column 1: expected an object; this is not a catalog")
    #expect(
      Self.error("\(start),\"later\":tru}").hasSuffix(": later: expected a value, found \"t\""))
    #expect(Self.error("{\"\\x\":1}") == "line 1, column 4: unknown escape \"x\"")
    #expect(
      Self.error("\(start),\"count\":1.5}")
        == "line 1, column \(column + 10): count: expected a whole number, found 1.5")
    #expect(
      Self.error("\(start),\"count\":1,\"count\":1}").hasSuffix("count: duplicate member \"count\"")
    )
  }

  @Test(arguments: ["schema", "generator", "pipeline", "slots", "scales"])
  func everyMemberOfTheHeadIsRequired(_ name: String) {
    let text = Self.head.replacing("\"\(name)\":", with: "\"x\(name)\":")
    #expect(
      Self.error("\(text)}").hasSuffix(
        ": the member \"\(name)\" is missing; this may not be a catalog"))
    #expect(
      Self.error("\(text),\"images\":[]}").hasSuffix(
        "the member \"\(name)\" is missing; this may not be a catalog"))
  }

  /// The head is known when all of it has arrived, in a catalog that a run wrote before the first
  /// image.
  @Test func theHeadComesBeforeTheImages() throws {
    var reader = CatalogReader()
    reader.add("\(Self.head),\"images\":[".utf8)
    #expect(reader.head == nil)
    let none = try reader.next()
    #expect(none == nil && reader.head == CatalogFixture.catalog([]))
    reader.add("\(Self.image("a"))".utf8)
    let first = try reader.next()
    #expect(first?.id == "a" && reader.headText == Array("\(Self.head)}".utf8))
    // Another order: the head is known at the end only.
    var late = CatalogReader()
    late.add("{\"images\":[\(Self.image("a"))],\(Self.head.dropFirst())".utf8)
    let image = try late.next()
    let rest = try late.next()
    #expect(image?.id == "a" && rest == nil && late.head == nil)
    late.add("}".utf8)
    _ = try late.next()
    #expect(late.head?.scales == [1, 2])
    try late.finish()
  }

  /// Images as they were written, with their places in the document; whatever is in them.
  @Test func textsOfImages() throws {
    let texts = [Self.image("a"), "{ \"x\" : [ ] }", "7"]
    for isLines in [false, true] {
      let text =
        isLines
        ? "\(Self.head)}\n\(texts.joined(separator: "\n"))\n"
        : "\(Self.head),\"images\":[\(texts.joined(separator: " ,\n "))]}"
      var reader = CatalogReader()
      reader.add(text.utf8)
      var found: [String] = []
      while let (bytes, offset) = try reader.nextText() {
        // In JSON, with the blanks behind the comma before it.
        let image = String(decoding: bytes.drop { $0 == 0x0A || $0 == 0x20 }, as: UTF8.self)
        #expect(text.utf8.dropFirst(offset).starts(with: bytes))
        found.append("\(image) \(reader.line)")
      }
      try reader.finish()
      #expect(found == zip(texts, isLines ? [2, 3, 4] : [1, 2, 3]).map { "\($0) \($1)" })
    }
  }

  /// Bytes that were read are given up; places count from the beginning of the document all the
  /// same.
  @Test func placesCountFromTheBeginning() throws {
    let long = String(repeating: "x", count: 70_000)
    let texts = (0..<5).map { "\n {\"id\":\"\($0)\",\"status\":\"pending\",\"alt\":\"\(long)\"}" }
    let text = Array("\(Self.head),\"images\":[\(texts.joined(separator: ","))\n,{\"id\":5}]}".utf8)
    var reader = CatalogReader()
    var (count, offsets) = (0, [Int]())
    var plain = CatalogReader()
    for start in stride(from: 0, to: text.count, by: 30_000) {
      let piece = text[start..<min(start + 30_000, text.count)]
      plain.add(piece)
      while let (_, offset) = try plain.nextText() { offsets.append(offset) }
      reader.add(piece)
      do {
        while try reader.next() != nil { count += 1 }
      } catch {
        #expect("\(error)" == "line 7, column 8: images[5].id: expected a string, found 5")
        count += 100
        break
      }
    }
    #expect(count == 105)
    // Behind the bracket, or the comma, and the blanks.
    let (first, length) = (Self.head.utf8.count + 11, texts[0].utf8.count + 1)
    #expect(offsets == (0..<5).map { first + $0 * length + 2 } + [first + 5 * length + 1])
  }

  /// A member that comes behind the images, and whose place in the canonical form is before them.
  @Test func lateMembersPreventTheDigest() throws {
    func form(_ late: String) throws -> String {
      let bytes = Mutex<[UInt8]>([])
      var reader = CatalogReader { part in bytes.withLock { $0 += part } }
      reader.add("\(Self.head),\"images\":[\(Self.image("a")),\(Self.image("b"))],\(late)}".utf8)
      while try reader.next() != nil {}
      try reader.finish()
      return String(decoding: bytes.withLock(\.self), as: UTF8.self)
    }
    let whole = try form(#""later":[1]"#)
    #expect(
      whole
        == #"{"generator":{"libvips":"","name":"","version":""},"images":[{"id":"a","#
        + #""status":"pending"},"#
        + #"{"id":"b","status":"pending"}],"later":[1],"pipeline":{"fingerprint":"","name":""},"#
        + #""scales":[1,2],"schema":"tessera-catalog/1","slots":{"card":{"mode":"fit","#
        + #""width":180}}}"#
    )
    #expect(try form(#""later":[1],"count":2,"digest":"d""#) == whole)
    for name in ["baseURL", "abc", "imageA"] {
      let error = #expect(throws: CatalogError.self) { try form("\"\(name)\":\"x\"") }
      #expect(
        error?.message
          == "\"\(name)\" comes after the images, so the digest can't be computed while reading")
    }
    #expect(
      try Catalog(reading: "\(Self.head),\"images\":[],\"baseURL\":\"x\"}".utf8).baseURL == "x")
  }

  @Test func imagesAreSkippedOnRequestOnly() throws {
    let text = "\(Self.head)}\n\(Self.image("a"))\n{}\n\(Self.image("b"))\n[]\n"
    #expect(Self.error(text) == "line 3, column 1: images[1]: \"id\" is missing")
    var problems: [String] = []
    let catalog = try Catalog(reading: text.utf8) { problems.append("\($0)") }
    #expect(catalog.images.map(\.id) == ["a", "b"])
    #expect(
      problems == [
        "line 3, column 1: images[1]: \"id\" is missing",
        "line 5, column 1: images[3]: expected an object, found [",
      ])
    // Those that are skipped count.
    let counted = text.replacing("}\n", with: ",\"count\":4}\n", maxReplacements: 1)
    #expect(try Catalog(reading: counted.utf8) { _ in }.images.count == 2)
    #expect(!CatalogReader().skipsBadImages && CatalogReader().problems.isEmpty)
    #expect(
      "\(CatalogError(line: 2, column: 3, member: "a.b", message: "m"))"
        == "line 2, column 3: a.b: m")
  }
}
