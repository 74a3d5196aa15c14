import TesseraCatalog
import Testing

@testable import TesseraManifest

/// Tables: their header rows, their fields, and what is wrong with them.
@Suite struct TableTests {
  private static func outline(
    _ text: String, resolve: (@Sendable (String) -> String?)? = nil
  ) -> [String] {
    var reader = ManifestReader(resolve: resolve, extra: .all)
    return (reader.read(Array(text.utf8)) + reader.finish()).map { record in
      switch record {
      case .entry(let entry): "\(entry.line) \(entry.id) \(entry.url) \(entry.extra ?? "-")"
      case .problem(let problem): "\(problem.line): \(problem.message)"
      }
    }
  }

  @Test(
    arguments: [
      ("", ",", [""]), ("a", ",", ["a"]), ("a,b", ",", ["a", "b"]), (",", ",", ["", ""]),
      ("a,,b,", ",", ["a", "", "b", ""]), ("a;b,c", ",", ["a;b", "c"]),
      ("a;b,c", ";", ["a", "b,c"]), ("a\tb,c;d", "\t", ["a", "b,c;d"]),
      ("\"a,b\",c", ",", ["a,b", "c"]), ("\"a\"\"b\"", ",", ["a\"b"]), ("\"\"", ",", [""]),
      ("\"\"\"\"", ",", ["\""]), ("\"a\"\"\",\"\"\"b\"", ",", ["a\"", "\"b"]),
      ("\"a\nb\",c", ",", ["a\nb", "c"]), ("a\"b,c\"", ",", ["a\"b", "c\""]),
      (" \"a\",b", ",", [" \"a\"", "b"]), ("é,\u{301}x", ",", ["é", "\u{301}x"]),
      // A quote that is never closed, and text after one that is.
      ("\"a", ",", nil), ("\"a\"\"", ",", nil), ("\"a\"b,c", ",", nil), ("a,\"", ",", nil),
      ("\"a\" ,b", ",", nil), ("\"a\";b", ",", nil),
    ] as [(String, Character, [String]?)])
  func fieldsAreDivided(_ text: String, _ separator: Character, _ fields: [String]?) {
    #expect(TableFields.split(text, separator: separator) == fields)
  }

  @Test(arguments: [
    ("", ""), (" ", ""), ("\t \t", ""), ("a", "a"), (" a b\t", "a b"), ("\ta", "a"), ("a ", "a"),
    ("\na\r", "\na\r"),
  ])
  func blanksAreTrimmed(_ text: String, _ trimmed: String) {
    #expect(text.trimmed == trimmed)
  }

  @Test(arguments: [",", ";", "\t"])
  func everyColumnIsRead(_ separator: String) throws {
    let header = [" ID", "URL ", "Slots", "FOCUS", "aLt", "Title"].joined(separator: separator)
    let row = [" p1 ", " https://a/1 ", "card  hero", " 0.5 0.25 ", " A b ", " T "]
    let text = "\(header)\n\(row.joined(separator: separator))\n"
    var reader = ManifestReader(extra: .all)
    #expect(
      reader.read(Array(text.utf8)) == [
        .entry(
          ManifestEntry(
            line: 2, id: "p1", url: "https://a/1", slots: ["card", "hero"],
            focus: .init(x: 0.5, y: 0.25), alt: " A b ", extra: #"{"Title":" T "}"#))
      ])
  }

  /// A hint costs no image.
  @Test(
    arguments: [
      ("1200", 1_200.0), (" 0.5 ", 0.5), ("0", 0), ("", nil), (" ", nil), ("many", nil),
      ("-1", nil), ("nan", nil),
    ] as [(String, Double?)])
  func viewsAreANumber(_ field: String, _ views: Double?) throws {
    var reader = ManifestReader(extra: .named([]))
    let text = "url,Views\nhttps://a/1,\(field)\n"
    let record = (reader.read(Array(text.utf8)) + reader.finish()).first
    guard case .entry(let entry)? = record else { throw CancellationError() }
    #expect(entry.views == views && entry.extra == nil)
  }

  @Test func emptyFieldsMeanNothing() {
    var reader = ManifestReader()
    #expect(
      reader.read(Array("url,slots,focus,alt\nhttps://a/1, , ,\n".utf8)) == [
        .entry(Self.named("https://a/1", line: 2, alt: ""))
      ])
    // But an empty id is a mistake.
    #expect(
      Self.outline("id,url\n,https://a/1\n \t,https://a/2\n") == [
        "2: the id is empty", "3: the id is empty",
      ])
  }

  /// An entry whose id is its URL.
  private static func named(_ url: String, line: Int, alt: String? = nil) -> ManifestEntry {
    var entry = ManifestEntry(line: line, id: nil, url: url, alt: alt)
    entry.id = url
    return entry
  }

  @Test(arguments: ["x", "0.5", "0.5 x", "x 0.5", "0.5 0.5 0.5", "0.5,0.5"])
  func aFocusIsTwoNumbers(_ focus: String) {
    #expect(
      Self.outline("url;focus\nhttps://a/1;\(focus)\nhttps://a/2;\n") == [
        "2: \"focus\" must be two numbers from 0 to 1, with a blank between them, such as 0.5 0.3",
        "3 https://a/2 https://a/2 -",
      ])
  }

  @Test func aRowHasAsManyFieldsAsTheHeader() {
    #expect(
      Self.outline("id,url\na\nb,https://a/2\nc,https://a/3,\n\"d\"x,https://a/4\n") == [
        "2: expected 2 fields as in the header row, found 1", "3 b https://a/2 -",
        "4: expected 2 fields as in the header row, found 3",
        "5: text follows the closing quote of a field",
      ])
  }

  // MARK: Header rows

  /// A header row is several fields, most of them plain words: letters, digits, `_`, `-` and blanks, and all beyond ASCII.
  @Test func namesOfColumnsAreWords() {
    for value in UInt8(0x21)...0x7E {
      let character = Character(Unicode.Scalar(value))
      if ",;\"".contains(character) { continue }
      let isWord = character.isLetter || character.isNumber || "_-".contains(character)
      #expect((Self.rejection("x\(character)y,z") != nil) == isWord, "\(character)")
    }
    for name in ["a b", "é", "画像", "\u{80}"] {
      #expect(Self.rejection("\(name);z") != nil, "\(name)")
    }
    // Names of shop systems have other characters.
    #expect(Self.rejection("Handle,Title,Body (HTML),Image Src") != nil)
    #expect(Self.rejection("a,b,https://c") == nil)
  }

  private static func rejection(_ line: String) -> String? {
    if case .rejected(let rejection) = ManifestFormat(first: line) { rejection.reason } else { nil }
  }

  @Test(
    arguments: [
      (
        "id,image",
        "it has id, image; say in the pipeline file which one has the URLs, such as columns: {url: image}"
      ),
      (
        "ID;Bild",
        "it has ID, Bild; say in the pipeline file which one has the URLs, such as columns: {url: NAME}"
      ),
      ("url,a,url", "there are two columns \"url\""),
      ("Url\tURL", "there are two columns \"url\""),
      ("a,b,b,a", "there are two columns \"a\""),
      // Not a header row.
      ("id", nil), ("a.jpg,b", nil), ("a/b,c", nil), ("\"a\"b,c", nil), ("", nil),
    ] as [(String, String?)])
  func aMistakeInAHeaderIsNamed(_ line: String, _ message: String?) {
    let reason = Self.rejection(line)
    #expect(
      message == nil ? reason == nil : reason?.hasSuffix(message ?? "") == true, "\(reason ?? "-")")
  }

  @Test func aTableHasOneColumnOfURLs() {
    #expect(TableDecoder(header: "Url", separator: ",")?.columns == ["url"])
    #expect(
      TableDecoder(header: "\"a, b\",uRl,ID,Extra", separator: ",")?.columns
        == ["a, b", "url", "id", "Extra"])
    #expect(TableDecoder(header: "url", separator: ";")?.separatorOfQuotedFields == 0x3B)
    for header in ["id", "", "url,url", "url,a,a", "\"url", "urls"] {
      #expect(TableDecoder(header: header, separator: ",") == nil, "\(header)")
    }
  }

  private static func decoder(_ line: String) -> (any RecordDecoding, isHeader: Bool)? {
    if case .readable(let decoder, let isHeader) = ManifestFormat(first: line) {
      (decoder, isHeader)
    } else {
      nil
    }
  }

  @Test func theFirstLineDecides() {
    for (line, isHeader) in [
      ("{\"url\"", false), (" \t{", false), ("url", true), ("url,a", true), ("a;url", true),
      ("a\turl", true), ("https://a/1", false), ("#url", false),
    ] {
      #expect(Self.decoder(line)?.isHeader == isHeader, "\(line)")
    }
    #expect(Self.decoder(" \t{")?.0 is JSONLinesDecoder)
    #expect(Self.decoder("https://a/1")?.0 is PlainTextDecoder)
    // A tab is never part of a name.
    #expect((Self.decoder("a,b\turl")?.0 as? TableDecoder)?.columns == ["a,b", "url"])
  }
}
