import TesseraManifest
import TesseraTestSupport
import TesseraText
import Testing

/// The group M of bad inputs, as far as the reader handles them; ManifestRunTests has the rest.
@Suite struct HostileManifestTests {
  /// `3 id url` or `3: message` for each record, fed in one piece.
  private func outline(_ bytes: [UInt8]) -> [String] {
    var reader = ManifestReader()
    return (reader.read(bytes) + reader.finish()).map { record in
      switch record {
      case .entry(let entry): "\(entry.line) \(entry.id) \(entry.url)"
      case .problem(let problem): "\(problem.line): \(problem.message)"
      }
    }
  }

  private func outline(_ text: String) -> [String] { outline(Array(text.utf8)) }

  /// M2: a byte order mark does not hide the format of the first line.
  @Test(
    .faults(.m2),
    arguments: [
      ("{\"id\":\"a\",\"url\":\"https://a/1\"}\n", "1 a https://a/1"),
      ("id,url\na,https://a/1\n", "2 a https://a/1"),
      ("url\tid\nhttps://a/1\ta\n", "2 a https://a/1"),
      ("https://a/1\n", "1 https://a/1 https://a/1"),
      ("\n\nhttps://a/1", "3 https://a/1 https://a/1"),
    ])
  func aByteOrderMarkIsNotPartOfTheFirstLine(_ text: String, _ expected: String) {
    #expect(outline("\u{FEFF}" + text) == [expected])
    #expect(ListOutline.lines(Array(("\u{FEFF}" + text).utf8)) == [expected])
  }

  /// A file that is not a list of URLs is rejected as a whole, and not line by line.
  @Test(arguments: [
    ("<!DocType html><p>Sign in", "it is an HTML page, not a list of URLs"),
    ("<?xml version='1.0'?><html><p>Sign</p></html>", "it is an HTML page, not a list of URLs"),
    ("\0\0\0", "it is not a text; a list is one in UTF-8 or UTF-16"),
    ("<html><p>Sign in", "it is an HTML page, not a list of URLs"),
    (
      "<note><p>a</p>",
      "it is an XML document with the root <note>, and neither RSS, Atom nor a sitemap"
    ),
    ("<html><p>Sign <br> in", "it is an HTML page, not a list of URLs"),
    (
      "SQLite format 3\0 and more",
      "it is a SQLite database; say what its images are: manifest: {sqlite: FILE, query: \"SELECT …\"}"
    ),
    (
      "PK\u{3}\u{4}workbook.xml",
      "it is a workbook (.xlsx) or another ZIP archive; save its table as \"CSV UTF-8\""
    ),
    (
      "{\n\"count\": 1, \"products\": [{\"image\": \"https://a/1\"}]\n}",
      "it is a JSON document, and no JSON Feed; write one object per line: jq -c '.products[]' OLD.json > NEW.jsonl"
    ),
    ("\t[", "it is cut off after line 1: its JSON array has no end; make or fetch the list again"),
    (
      "{\n \"url\": \"https://a/1\"\n}",
      "it is a JSON document, and no JSON Feed; write one object per line (JSON Lines)"
    ),
    (
      "{\n \"url\": https\n}",
      "it is a JSON document and not JSON Lines, and not valid at byte 11: expected a value, found \"h\""
    ),
  ])
  func rejectsOtherFilesAsAWhole(_ text: String, _ reason: String) {
    for mark in ["", "\u{FEFF}", "\u{FEFF}\r\n"] {
      for chunk in [1, 3, 1_000] {
        let bytes = Array((mark + text).utf8)
        #expect(
          ListOutline.lines(bytes, chunk: chunk) == ["rejected: \(reason)"], "\(text) \(chunk)")
      }
    }
  }

  /// A field may begin with a combining mark.
  @Test func splitsFieldsByBytes() {
    let marks = ["\u{200D}", "\u{301}", "\u{FE0F}"]
    for mark in marks {
      let text =
        "id,url,t\na,https://a/1,\(mark)x\nb,https://a/2,\"\(mark)x\"\n"
        + "c,https://a/3,\"\"\"\(mark)\"\"\"\n\(mark),https://a/4,\n"
      #expect(
        outline(text) == [
          "2 a https://a/1", "3 b https://a/2", "4 c https://a/3", "5 \(mark) https://a/4",
        ])
    }
  }

  /// M3: every kind of line end, and none at the end of the file.
  @Test(.faults(.m3), arguments: ["\n", "\r\n", "\r", "\n\n", "\r\n\r\n", "\r\r"])
  func acceptsEveryKindOfLineEnd(_ end: String) {
    let urls = ["https://a/1", "https://a/2", "https://a/3"]
    for last in ["", end] {
      let found = outline(urls.joined(separator: end) + last)
      #expect(found.map { $0.split(separator: " ").last.map(String.init) } == urls)
    }
  }

  /// M7: an id is a name and never a path, so these are valid ids.
  @Test(
    .faults(.m7),
    arguments: [
      "../x", "/abs", "a/../../b", ".", "..", "CON", "nul.txt", "a.", "a ", "C:\\x", "%2e%2e%2f",
      "caf\u{E9}", "cafe\u{301}", "P1", "p1", String(repeating: "x", count: 300),
    ])
  func idsAreNamesAndNotPaths(_ id: String) throws {
    let found = outline("{\"id\":\"\(id.replacing("\\", with: "\\\\"))\",\"url\":\"https://a/1\"}")
    // Compared by bytes: the composed and the decomposed é are two ids.
    #expect(Array(try #require(found.first).utf8) == Array("1 \(id) https://a/1".utf8))
  }

  /// M7, M8: characters that would garble a terminal or end a line are not allowed in ids and URLs.
  @Test(
    .faults(.m7, .m8),
    arguments: [
      ("\"id\":\"a\\u0000b\",\"url\":\"https://a/1\"", "the id has a control character in it"),
      ("\"id\":\"a\\nb\",\"url\":\"https://a/1\"", "the id has a control character in it"),
      ("\"id\":\"\\u001b[31mred\",\"url\":\"https://a/1\"", "the id has a control character in it"),
      ("\"id\":\"\\u009b31m\",\"url\":\"https://a/1\"", "the id has a control character in it"),
      ("\"id\":\"\",\"url\":\"https://a/1\"", "the id is empty"),
      (
        "\"id\":\"a\",\"url\":\"https://a\\u001b[2J/\"",
        "the URL has a blank or a control character in its host"
      ),
      (
        "\"id\":\"a\",\"url\":\"https://a b/\"",
        "the URL has a blank or a control character in its host"
      ),
    ])
  func rejectsControlCharacters(_ members: String, _ message: String) {
    #expect(outline("{\(members)}\nnot JSON").first == "1: \(message)")
  }

  /// Behind the host they are encoded, as in browsers, and a line end is removed: none can begin a header of its own.
  @Test(arguments: [
    ("https://a/\\u001b[2J", "https://a/%1B[2J"), ("https://a/ b", "https://a/%20b"),
    ("https://a/\\r\\nX-Evil: 1", "https://a/X-Evil:%201"),
    ("https://a/\\u0000b", "https://a/%00b"),
    ("https://a\\r\\nHost: b", "https://aHost: b"),
  ])
  func encodesControlCharactersOfURLs(_ written: String, _ url: String) {
    let found = outline("{\"id\":\"a\",\"url\":\"\(written)\"}\n")
    let problem = "1: the URL has a blank or a control character in its host"
    #expect(found == [url.contains(" ") ? problem : "1 a \(url)"])
  }

  /// M9, and very long ids.
  @Test(.faults(.m9)) func rejectsVeryLongURLsAndIds() {
    let long = String(repeating: "x", count: 100_000)
    #expect(
      outline("https://a/\(long)\nhttps://a/2") == [
        "1: the id is 100010 bytes long; at most 1024 are allowed", "2 https://a/2 https://a/2",
      ])
    #expect(
      outline("{\"id\":\"a\",\"url\":\"https://a/\(long)\"}") == [
        "1: the URL is 100010 bytes long; at most 8192 are allowed"
      ])
    let id = String(repeating: "é", count: 513)
    #expect(
      outline("{\"id\":\"\(id)\",\"url\":\"https://a/1\"}") == [
        "1: the id is 1026 bytes long; at most 1024 are allowed"
      ])
  }

  /// M11: every URL that libcurl can request is accepted as written, after the host as browsers encode it.
  @Test(
    .faults(.m11),
    arguments: [
      "https://b\u{FC}cher.example/%C3%A4.jpg", "https://xn--bcher-kva.example/1",
      "https://a/%E4%B8%AD%20%2F", "https://a/1#part", "http://[2001:db8::1]:8080/1",
      "http://[fe80::1%25eth0]/1", "HTTPS://A/1", "https://a?x=1", "https://a.:443/1",
    ])
  func acceptsURLsOfAllSpellings(_ url: String) {
    #expect(outline("{\"id\":\"a\",\"url\":\"\(url)\"}") == ["1 a \(url)"])
  }

  @Test func theFragmentIsNotPartOfTheCacheKey() {
    #expect(SourceURL.cacheKey("https://a/1#x") == SourceURL.cacheKey("https://a/1#y"))
  }

  /// M14: unusual JSON.
  @Test(
    .faults(.m14),
    arguments: [
      (
        "{\"url\":\"https://a/1\",\"extra\":" + String(repeating: "[", count: 100_000),
        "not valid JSON at column 93: nested more than 64 levels deep"
      ),
      (
        "{\"url\":\"https://a/1\",\"url\":\"https://a/2\"}",
        "not valid JSON at column 22: duplicate member \"url\""
      ),
      (
        "{\"url\":\"https://a/1\",\"extra\":{\"a\":[{\"b\":1,\"b\":2}]}}",
        "not valid JSON at column 43: duplicate member \"b\""
      ),
      (
        "{\"url\":\"https://a/1\",\"extra\":1,\"extra\":2}",
        "not valid JSON at column 32: duplicate member \"extra\""
      ),
      (
        "{\"url\":\"https://a/1\",\"focus\":[NaN,0]}",
        "not valid JSON at column 31: expected a value, found \"N\""
      ),
      (
        "{\"url\":\"https://a/1\",\"focus\":[1e999,0]}",
        "\"focus\" must be two numbers from 0 to 1, such as [0.5, 0.3]"
      ),
      (
        "{\"url\":\"https://a/1\",\"focus\":[9223372036854775808,0]}",
        "the focus must be two numbers from 0 to 1, such as [0.5, 0.3]"
      ),
      (
        "{\"url\":9223372036854775808}", "\"url\" must be a string, found a number"
      ),
    ])
  func unusualJSONIsOneBadLine(_ line: String, _ message: String) {
    #expect(
      outline("{\"id\":\"a\",\"url\":\"https://a\"}\n\(line)\n{\"id\":\"b\",\"url\":\"https://b\"}")
        == ["1 a https://a", "2: \(message)", "3 b https://b"])
  }

  /// Numbers in the user's own data are passed on as written, however large.
  @Test(.faults(.m14)) func keepsNumbersInExtraAsWritten() {
    var reader = ManifestReader()
    let line = "{\"url\":\"https://a\",\"extra\":[9223372036854775808,1e999,1.10,-0]}"
    guard case .entry(let entry) = reader.read(Array("\(line)\n".utf8)).first else {
      Issue.record("no entry")
      return
    }
    #expect(entry.extra == "[9223372036854775808,1e999,1.10,-0]")
  }
}
