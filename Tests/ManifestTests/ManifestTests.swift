import TesseraCatalog
import TesseraJSON
import TesseraManifest
import TesseraTestSupport
import TesseraText
import Testing

/// All records of a manifest, fed in pieces of some size.
private func records(_ text: String, pieces: Int = 1_000_000) -> [ManifestRecord] {
  records(Array(text.utf8), pieces: pieces)
}

private func records(
  _ bytes: [UInt8], pieces: Int = 1_000_000, extra: ExtraMembers = .named([])
) -> [ManifestRecord] {
  var reader = ManifestReader(extra: extra)
  var records: [ManifestRecord] = []
  var start = 0
  while start < bytes.count {
    let end = min(bytes.count, start + pieces)
    records += reader.read(Array(bytes[start..<end]))
    start = end
  }
  return records + reader.finish()
}

/// One line a record: `3 id url` or `3: message`.
private func outline(_ records: [ManifestRecord]) -> [String] {
  records.map { record in
    switch record {
    case .entry(let entry): "\(entry.line) \(entry.id) \(entry.url)"
    case .problem(let problem): "\(problem.line): \(problem.message)"
    }
  }
}

@Suite struct ManifestTests {
  static let jsonLines = """
    {"id":"p1","url":"https://a/1.jpg"}

    {"id":"p2","url":"https://a/2.jpg","slots":["card"],"focus":[0.5,0.3],"extra":{"n":1.10}}
    {"url":"https://u:p@a/3.jpg"}
    """

  @Test(arguments: [1, 2, 7, 1000], ["\n", "\r\n", "\r"])
  func readsJSONLinesInPiecesWithEveryLineEnd(pieces: Int, lineEnd: String) {
    let text = Self.jsonLines.split(separator: "\n", omittingEmptySubsequences: false)
      .joined(separator: lineEnd)
    let found = records(text, pieces: pieces)
    #expect(
      outline(found) == [
        "1 p1 https://a/1.jpg", "3 p2 https://a/2.jpg", "4 https://a/3.jpg https://u:p@a/3.jpg",
      ])
    guard case .entry(let entry) = found[1] else { return }
    #expect(entry.slots == ["card"])
    #expect(entry.focus == .init(x: 0.5, y: 0.3))
    #expect(entry.extra == #"{"n":1.10}"#)
  }

  /// Short lines make many records: they come in parts, and no byte of the rest is lost.
  @Test func readsAtMostAsManyRecordsAsWanted() {
    let text = "https://a/1\n\n2\n\nhttps://a/3\nhttps://a/4"
    var reader = ManifestReader()
    var rest = Array(text.utf8)[...]
    var parts: [[String]] = []
    while !rest.isEmpty { parts.append(outline(reader.read(&rest, limit: 2))) }
    parts.append(outline(reader.finish()))
    let mistake =
      "the URL must begin with http:// or https:// and name a host, or be a file:, data: or s3: URL, found \"2\"; "
      + "relative ones need a \"base\" in the pipeline"
    #expect(
      parts == [
        ["1 https://a/1 https://a/1", "3: \(mistake)"], ["5 https://a/3 https://a/3"],
        ["6 https://a/4 https://a/4"],
      ])
  }

  @Test func readsCSVWithQuotedLineEndsAndOwnColumns() {
    let text = """
      id,url,title,slots
      p1,https://a/1.jpg,"a ""b"", c",card hero
      "p2",https://a/2.jpg,"two
      lines",
      p3,https://a/3.jpg
      p4,https://a/4.jpg,a, b,card
      """
    let found = records(Array("\u{FEFF}\(text)".utf8), extra: .named(["title"]))
    #expect(
      outline(found) == [
        "2 p1 https://a/1.jpg", "3 p2 https://a/2.jpg",
        "5: expected 4 fields as in the header row, found 2",
        "6: expected 4 fields as in the header row, found 5",
      ])
    guard case .entry(let first) = found[0], case .entry(let second) = found[1] else { return }
    #expect(first.extra == #"{"title":"a \"b\", c"}"#)
    #expect(first.slots == ["card", "hero"])
    #expect(second.extra == #"{"title":"two\nlines"}"#)
    #expect(second.slots == nil)
  }

  /// A quote that is not closed takes the lines below it into its field. The problem names the line
  /// of the quote, and the lines that are lost.
  @Test(arguments: [
    (
      "a,https://a/1,x\n\nb,\"https://a/2,x\nc,https://a/3,x\n",
      [
        "2 a https://a/1",
        "4: the quote that opens on line 4 is not closed; lines 4 to 5 are skipped",
      ]
    ),
    ("a,https://a/1,\"x\n", ["2: the quote that opens on line 2 is not closed"]),
    (
      "a,https://a/1,\"x\ny\",\"\"\"z\n\n\n",
      ["2: the quote that opens on line 3 is not closed; lines 2 to 3 are skipped"]
    ),
    (
      "a,https://a/1,\"x\n,\"\"y\n",
      ["2: the quote that opens on line 2 is not closed; lines 2 to 3 are skipped"]
    ),
    (
      "a,\"https://a/1,x\nb,https://a/2,\"x\"\nc,https://a/3,x\n\"d\",https://a/4,x\n",
      [
        "2: text follows the closing quote of a field; lines 2 to 3 are skipped",
        "4 c https://a/3", "5 d https://a/4",
      ]
    ),
    (
      "a,https://a/1,\"x\ny\"\nb,https://a/2\n",
      ["2 a https://a/1", "4: expected 3 fields as in the header row, found 2"]
    ),
    (
      "a,\"https://a/1\ny\"\nb,https://a/2,x",
      [
        "2: expected 3 fields as in the header row, found 2; lines 2 to 3 are skipped",
        "4 b https://a/2",
      ]
    ),
  ])
  func anUnclosedQuoteIsNamed(_ rows: String, _ expected: [String]) {
    for pieces in [1, 1_000] {
      #expect(outline(records("id,url,title\n" + rows, pieces: pieces)) == expected)
    }
  }

  @Test func aQuoteThatIsClosedTooLateIsNamed() {
    let line = "x,https://a/1,\(String(repeating: "x", count: 1_000))\n"
    let text =
      "id,url,title\na,https://a/1,\"\n" + String(repeating: line, count: 1_100)
      + "\",\nb,https://a/2,x\n"
    #expect(
      outline(records(text, pieces: 65_536)) == [
        "2: the field in quotes that begins on line 2 is longer than 1048576 bytes; lines 2 to 1103 "
          + "are skipped", "1104 b https://a/2",
      ])
  }

  /// Known columns may be written in any way; a table without URLs is not a list of relative ones.
  @Test func aHeaderRowWithoutURLsIsTold() {
    #expect(outline(records("ID,URL\np1,https://a/1.jpg\n")) == ["2 p1 https://a/1.jpg"])
    for (header, mistake) in [
      (
        "id,image",
        "there is no column \"url\"; it has id, image; say in the pipeline file which one has the URLs, such "
          + "as columns: {url: image}"
      ),
      (
        "id;Bild URL",
        "there is no column \"url\"; it has id, Bild URL; say in the pipeline file which one has the URLs, "
          + "such as columns: {url: Bild URL}"
      ),
      ("id\turl\tURL", "there are two columns \"url\""),
    ] {
      let separator = header.first { ",;\t".contains($0) } ?? ","
      var reader = ManifestReader(resolve: { "https://example.com/\($0)" })
      let found =
        reader.read(Array("\(header)\np1\(separator)1.jpg\(separator)\n2.jpg\n".utf8))
        + reader.finish()
      #expect(found.isEmpty && reader.rejection?.reason == mistake, "\(header)")
    }
    // These are URLs.
    var reader = ManifestReader(resolve: { "https://example.com/\($0)" })
    let list = reader.read(Array("a.jpg,b\nc/d,e\n".utf8)) + reader.finish()
    #expect(list.count == 2 && !outline(list).contains { $0.contains("header") })
  }

  /// The resolver decides what a reference means; FetchTests has the examples of RFC 3986.
  @Test func resolvesReferencesIfThereIsAResolver() {
    let meanings = [
      "https://other.example.com/1.jpg": "https://other.example.com/1.jpg",
      "2.jpg": "https://example.com/pictures/2.jpg", "/3.jpg?w=1": "https://example.com/3.jpg?w=1",
      "../../4.jpg": "https://example.com/4.jpg",
    ]
    let text = "https://other.example.com/1.jpg\n2.jpg\n/3.jpg?w=1\n../../4.jpg\n5.jpg\n6 7.jpg\n"
    var reader = ManifestReader(resolve: {
      meanings[$0] ?? ($0 == "5.jpg" ? nil : "https://x/\($0)")
    })
    let urls = (reader.read(Array(text.utf8)) + reader.finish()).map { record in
      if case .entry(let entry) = record { entry.url } else { "problem" }
    }
    #expect(
      urls == [
        "https://other.example.com/1.jpg", "https://example.com/pictures/2.jpg",
        "https://example.com/3.jpg?w=1", "https://example.com/4.jpg",
        // A reference that cannot be resolved, and one that is encoded before it is.
        "problem", "https://x/6%207.jpg",
      ])
    var without = ManifestReader()
    guard case .problem(let problem) = without.read(Array("2.jpg\n".utf8)).first else {
      Issue.record("no problem")
      return
    }
    #expect(problem.message.hasSuffix("relative ones need a \"base\" in the pipeline"))
  }

  @Test func readsTSVAndPlainText() {
    #expect(outline(records("url\tid\nhttps://a/1\tx\n")) == ["2 x https://a/1"])
    #expect(
      outline(records("https://a/1?x=1,2\n  https://a/2\n")) == [
        "1 https://a/1?x=1,2 https://a/1?x=1,2", "2 https://a/2 https://a/2",
      ])
    #expect(records("").isEmpty)
  }

  /// As in text/uri-list. A fragment is not a comment, and a table's header may begin with the sign.
  @Test func plainTextHasComments() {
    #expect(
      outline(records("# my, list\n https://a/1#x\n  #https://a/2\nhttps://a/3\n")) == [
        "2 https://a/1#x https://a/1#x", "4 https://a/3 https://a/3",
      ])
    #expect(records("# nothing\n#\n").isEmpty)
    #expect(
      outline(records("# shop\n{\"id\":\"p\",\"url\":\"https://a/1\"}\n")) == ["2 p https://a/1"])
  }

  @Test(arguments: [
    (#"{"id":"","url":"https://a"}"#, "the id is empty"),
    (#"{"id":"a\u0000b","url":"https://a"}"#, "the id has a control character in it"),
    (#"{"id":"a"}"#, "the member \"url\" is missing"),
    (#"{"id":[7],"url":"https://a"}"#, "\"id\" must be a string, found an array"),
    (#"{"url":""}"#, "the id is empty"),
    (
      #"{"id":"a","url":"https://a","slot":"x"}"#,
      "unknown member \"slot\"; did you mean \"slots\"? If it is your own data, put it into \"extra\", or name it "
        + "in the pipeline file (extra: [slot])"
    ),
    (
      #"{"id":"a","url":"https://a b/c"}"#,
      "the URL has a blank or a control character in its host"
    ),
    (
      #"{"id":"a","url":"https://a","focus":[0.5,2]}"#,
      "the focus must be two numbers from 0 to 1, such as [0.5, 0.3]"
    ),
    (
      #"{"id":"a","url":"https://a""#,
      "not valid JSON at column 28: expected \",\" or \"}\", found the end of the text"
    ),
  ])
  func rejectsALineAndGoesOn(_ line: String, _ message: String) {
    let found = outline(records(line + "\n" + #"{"id":"z","url":"https://z"}"#))
    #expect(found == ["1: \(message)", "2 z https://z"])
  }

  @Test func namesWhatALineHasInsteadOfAURL() {
    func mistake(_ line: String) -> [String] { outline(records(line)) }
    #expect(
      mistake(#"{"id":"a","ulr":"https://a/1"}"#)
        == [#"1: the member "url" is missing (did you mean "ulr"?)"#])
    #expect(mistake(#"{"a":1}"#) == [#"1: the member "url" is missing"#])
    #expect(
      mistake(#"{"a":[1],"products":[{"url":"https://a/1"}]}"#) == [
        #"1: the member "url" is missing; if the images are in "products", write one object per line: "#
          + "jq -c '.products[]' OLD.json > NEW.jsonl"
      ])
    #expect(
      mistake(#"{"id":7,"photo":{"src":"https://a/1"},"link":"https://a/7"}"#) == [
        #"1: the member "url" is missing; say in the pipeline file where it is, such as "#
          + "columns: {url: photo.src, id: id}"
      ])
    // Images of one product, and not a list of products.
    #expect(
      mistake(#"{"sku":7,"views":[{"u":"https://a/1.jpg"}]}"#) == [
        #"1: the member "url" is missing; say in the pipeline file where it is, such as "#
          + "columns: {url: views.u, id: sku}"
      ])
  }

  /// Lists of other things that begin with the letters of a database or an archive.
  @Test func shortListsAreWhatTheyAre() {
    for text in ["P,url\n1,https://a/1", "SKU,url\n1,https://a/1"] {
      #expect(ListOutline.lines(text, chunk: 1) == ["2 https://a/1 https://a/1"])
    }
    #expect(ListOutline.lines("S", chunk: 1).count == 1)
  }

  @Test(.faults(.m4)) func rejectsInvalidUTF8AndVeryLongLinesAndGoesOn() {
    let good = Array("https://a/1\n".utf8)
    let long = [UInt8](repeating: UInt8(ascii: "x"), count: 3_000_000)
    let bytes = good + [0xC3, 0x28, 0x0A] + long + [0x0A] + good
    #expect(
      outline(records(bytes, pieces: 65_536)) == [
        "1 https://a/1 https://a/1", "2: the line is not valid UTF-8",
        "3: the line is longer than 1048576 bytes", "4 https://a/1 https://a/1",
      ])
  }

  /// A data: URL contains the image, so its limit is that of a line.
  @Test func onlyADataURLMayBeLongerThanARequestLine() {
    let long = String(repeating: "A", count: 8192)
    let text = ["https://a/\(long)", "data:image/png;base64,\(long)", "https://a/1"]
      .map { "{\"id\":\"a\",\"url\":\"\($0)\"}\n" }.joined()
    #expect(
      outline(records(text)) == [
        "1: the URL is 8202 bytes long; at most 8192 are allowed",
        "2 a data:image/png;base64,\(long)", "3 a https://a/1",
      ])
  }

  /// Entries with one id are one item only if they are the same in everything but the line.
  @Test func everyMemberIsPartOfTheContent() {
    let one = ManifestEntry(
      line: 1, id: "a", url: "u", slots: ["s"], focus: .init(x: 0.5, y: 0.25), extra: "1")
    let changes: [(inout ManifestEntry) -> Void] = [
      { $0.id = "b" }, { $0.url = "v" }, { $0.slots = nil }, { $0.slots = [] },
      { $0.slots = ["s", "t"] }, { $0.focus = nil }, { $0.focus = .init(x: 0.5, y: 0.2500001) },
      { $0.focus = .init(x: 0.25, y: 0.5) }, { $0.extra = nil }, { $0.extra = "null" },
      { $0.extra = "2" },
    ]
    var contents: Set = [one.content]
    for change in changes {
      var other = one
      change(&other)
      contents.insert(other.content)
    }
    #expect(contents.count == 1 + changes.count)
    var same = one
    same.line = 2
    #expect(same.content == one.content)
  }

  /// Texts that libcurl would accept as URLs, although their passwords could not be found and hidden.
  @Test(arguments: [
    "http:/user:secret@host/a", "http:///user:secret@host/a", "user:secret@host/a", "host/a",
    "http://", "http:///a", "https://user@/a", "ftp://host/a", "files:///etc/passwd", "://a",
  ])
  func rejectsWhatIsNoURL(_ url: String) throws {
    var writer = JSONWriter()
    writer.object { $0.member("url", url) }
    let isRelative = ["host/a", "://a"].contains(url)
    let found = url.contains("@") ? "" : ", found \"\(url)\""
    #expect(
      outline(records(writer.text)) == [
        "1: the URL must begin with http:// or https:// and name a host, or be a file:, data: or s3: URL\(found)"
          + (isRelative ? "; relative ones need a \"base\" in the pipeline" : "")
      ])
  }

  @Test func aQuoteInsideAFieldOpensNothing() {
    let text = "id,url\np1,https://a/5\"pipe.jpg\np2,https://a/2\n\"p\"\"3\",https://a/3\n"
    #expect(
      outline(records(text)) == [
        "2 p1 https://a/5%22pipe.jpg", "3 p2 https://a/2", "4 p\"3 https://a/3",
      ])
  }

  @Test(arguments: [
    ("https://a/b#c", "https://a/b"),
    ("https://a/b?token=1&x=2", "https://a/b?x=2"),
    ("https://a/b?token=1", "https://a/b"),
    ("https://a/b?x=2&token", "https://a/b?x=2"),
  ])
  func makesACacheKey(_ url: String, _ key: String) {
    #expect(SourceURL.cacheKey(url, ignoring: ["token"]) == key)
  }

  /// A redirect's target, and its place: one for all signatures.
  @Test(arguments: [
    ("https://u:p@a/b?x=1#c", "https://a/b?x=1"),
    ("https://a/b?drop=1&x=2", "https://a/b?x=2"),
    ("data:image/png;base64,AAAA", "data:image/png;base64,"),
    ("file:///images/a.jpg", "a.jpg"),
    // AWS.
    (
      "https://a/b?X-Amz-Algorithm=AWS4-HMAC-SHA256&X-Amz-Credential=k%2F1&X-Amz-Date=1&x=2"
        + "&X-Amz-Expires=60&X-Amz-SignedHeaders=host&X-Amz-Signature=s&X-Amz-Security-Token=t",
      "https://a/b?x=2"
    ),
    ("https://a/b?AWSAccessKeyId=k&Expires=1&Signature=s", "https://a/b"),
    ("https://a/b?x=1&Expires=1&Signature=s&Key-Pair-Id=k", "https://a/b?x=1"),
    ("https://a/b?Policy=p&Signature=s&Key-Pair-Id=k", "https://a/b"),
    // Google.
    (
      "https://a/b?X-Goog-Algorithm=a&X-Goog-Credential=c&X-Goog-Date=d&X-Goog-Expires=e"
        + "&X-Goog-SignedHeaders=host&X-Goog-Signature=s&generation=7",
      "https://a/b?generation=7"
    ),
    ("https://a/b?GoogleAccessId=k&Expires=1&Signature=s", "https://a/b"),
    ("https://a/b?Expires=1&KeyName=k&Signature=s&URLPrefix=p", "https://a/b"),
    // Azure.
    (
      "https://a/b?sv=2024-08-04&st=1&se=2&sr=b&sp=r&spr=https&sip=1&skoid=1&sktid=2&skt=3&ske=4"
        + "&sks=b&skv=5&sig=s%3D&snapshot=7", "https://a/b?snapshot=7"
    ),
    // Alibaba Cloud, Tencent Cloud, Qiniu, Huawei Cloud.
    ("https://a/b?OSSAccessKeyId=k&Expires=1&Signature=s&security-token=t", "https://a/b"),
    (
      "https://a/b?x-oss-signature-version=OSS4-HMAC-SHA256&x-oss-credential=c&x-oss-date=d"
        + "&x-oss-expires=1&x-oss-signature=s&x-oss-process=image%2Fresize",
      "https://a/b?x-oss-process=image%2Fresize"
    ),
    ("https://a/b?auth_key=1700000000-0-0-0123456789abcdef0123456789abcdef", "https://a/b"),
    (
      "https://a/b?q-sign-algorithm=sha1&q-ak=k&q-sign-time=1;2&q-key-time=1;2&q-header-list="
        + "&q-url-param-list=&q-signature=s&x-cos-security-token=t", "https://a/b"
    ),
    ("https://a/b?e=1451491200&token=k:s", "https://a/b"),
    ("https://a/b?AccessKeyId=k&Expires=1&Signature=s", "https://a/b"),
    // Akamai and others.
    ("https://a/b?hdnts=exp=1~acl=/*~hmac=s", "https://a/b"),
    ("https://a/b?__token__=exp=1~hmac=s&x=1", "https://a/b?x=1"),
    ("https://a/b?mine=exp%3D1~acl%3D%2F*~hmac%3Ds&x=1", "https://a/b?x=1"),
    ("https://a/b?token=s&expires=1&token_path=%2F", "https://a/b"),
    ("https://a/b?jwt=s", "https://a/b"),
    // The same names without a signature are something else.
    ("https://a/b?Expires=1&x=2", "https://a/b?Expires=1&x=2"),
    ("https://a/b?e=1", "https://a/b?e=1"),
    ("https://a/b?sv=1&sp=2", "https://a/b?sv=1&sp=2"),
    ("https://a/b?Signature=s", "https://a/b"),
    ("https://a/b?x-amz-date=1", "https://a/b?x-amz-date=1"),
  ])
  func aPlaceHasNoSignature(_ url: String, _ place: String) {
    #expect(SourceURL.place(url, ignoring: ["drop"]) == place)
    #expect(SourceURL.place(place, ignoring: ["drop"]) == place)
  }

  /// A signature is left out of what is shown and of the key, a token of what is shown only: two tokens may give
  /// two images.
  @Test(
    .faults(.p2),
    arguments: [
      // The services' signatures.
      ("https://a/b?x=2&X-Amz-Credential=k%2F1&X-Amz-Signature=s", "https://a/b?x=2", true),
      ("https://a/b?X-Amz-Credential=k&X-Amz-Sign%61ture=s", "https://a/b", true),
      ("https://a/b?Expires=1&Signature=s&Key-Pair-Id=k", "https://a/b", true),
      ("https://a/b?sv=1&se=2&sig=s", "https://a/b", true),
      ("https://a/b?X-Goog-Credential=c&X-Goog-Signature=s", "https://a/b", true),
      ("https://a/b?hdnts=exp=1~acl=/*~hmac=s", "https://a/b", true),
      ("https://a/b?md5=s&expires=1", "https://a/b", true),
      ("https://a/b?verify=1700000000-JQB8vP1z0yc5DEBnH6JGWM3mB%3D", "https://a/b", true),
      // Tokens.
      ("https://a/b?access_token=s&w=1", "https://a/b?w=1", false),
      ("https://a/b?w=1&Access-Token=s", "https://a/b?w=1", false),
      ("https://a/b?%74oken=s", "https://a/b", false), ("https://a/b?jwt=s", "https://a/b", false),
      ("https://a/b?auth=s", "https://a/b", false), ("https://a/b?api_key=s", "https://a/b", false),
      ("https://a/b?key=AIzaSyA1234567890123456789012345678901a", "https://a/b", false),
      ("https://a/b?x=eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2ln", "https://a/b", false),
      ("https://a/b;jsessionid=s/c", "https://a/b/c", false),
      ("https://a/b#access_token=s&page=2", "https://a/b#page=2", nil),
      ("https://u:p@a/b", "https://a/b", false), ("https:/u:p@a/b", "https:/a/b", false),
      // URLs in URLs.
      (
        "https://p/_next?w=64&url=https%3A%2F%2Fs%2Fa.jpg%3Fv%3D1%26X-Amz-Signature%3Ds",
        "https://p/_next?w=64&url=https%3A%2F%2Fs%2Fa.jpg%3Fv%3D1", true
      ),
      (
        "https://p/x?url=https%3A%2F%2Fu%3Ap%40s%2Fa.jpg",
        "https://p/x?url=https%3A%2F%2Fs%2Fa.jpg",
        true
      ),
      // The same letters elsewhere are not secrets.
      (
        "https://a/token/b?key=photos%2Fa.jpg&tokenizer=1",
        "https://a/token/b?key=photos%2Fa.jpg&tokenizer=1", nil
      ),
      ("https://a/b?e=1&t=2&sp=3&Expires=4", "https://a/b?e=1&t=2&sp=3&Expires=4", nil),
      ("https://a/b?verify=me", "https://a/b?verify=me", nil),
      ("https://a/b#icon=1", "https://a/b#icon=1", nil),
    ])
  func secretsAreNotShown(_ url: String, _ shown: String, _ isSignature: Bool?) {
    #expect(SourceURL.shown(url, ignoring: []) == shown)
    #expect(SourceURL.hasSecret(url) == (url != shown))
    let key = SourceURL.cacheKey(url)
    switch isSignature {
    case true?: #expect(key == shown)
    case false?: #expect(key == url)
    case nil: #expect(key == String(url.prefix { $0 != "#" }))
    }
    #expect(SourceURL.shown(shown, ignoring: []) == shown)
  }

  @Test(arguments: [
    ("file:///home/ada/photos/a%20b.jpg", ["/home/ada"], "photos/a%20b.jpg"),
    ("file:///home/ada/photos/a.jpg", ["/home/ad", "/home/ada/photos"], "a.jpg"),
    ("file:///home/ada/photos/a.jpg", ["/srv"], "a.jpg"),
    ("file://localhost/srv/x:y.jpg", ["/"], "srv/x%3Ay.jpg"), ("file:///", [], ""),
    ("FILE:///home/ada/a.jpg?b#c", [], "a.jpg"), ("file:/home/ada/a.jpg", [], "a.jpg"),
  ])
  func filesShowNoFolderOfTheMachine(_ url: String, _ folders: [String], _ shown: String) {
    #expect(SourceURL.shown(url, ignoring: [], below: folders) == shown)
  }

  /// Ids that are made of URLs contain no secrets: two lines that only a token tells apart are one id, and reported.
  @Test func idsHaveNoSecrets() {
    let found = records(
      """
      https://a/1.jpg?token=one
      https://a/2.jpg?X-Amz-Signature=s&v=1
      """)
    #expect(
      outline(found) == [
        "1 https://a/1.jpg https://a/1.jpg?token=one",
        "2 https://a/2.jpg?v=1 https://a/2.jpg?X-Amz-Signature=s&v=1",
      ])
  }

  /// A line that was signed again is the same entry; one with another token is another one.
  @Test func anotherSignatureIsNoOtherEntry() {
    func content(_ url: String) -> String { ManifestEntry(line: 1, id: "a", url: url).content }
    #expect(content("https://a/1?sig=x&sv=1") == content("https://a/1?sig=y&sv=1"))
    #expect(content("https://a/1?token=x") != content("https://a/1?token=y"))
  }

  @Test func withoutURLsEveryLineNeedsAnID() {
    var reader = ManifestReader(requiresIDs: true)
    let found = reader.read(
      Array("{\"url\":\"https://a/1\"}\n{\"id\":\"b\",\"url\":\"https://a/2\"}\n".utf8))
    #expect(
      outline(found) == [
        "1: it has no id, and its URL, which would be its id, is not to be public (catalog: {urls: none}); "
          + "give it an id", "2 b https://a/2",
      ])
  }

  // MARK: Private columns

  private static let table =
    "id,url,Cost per item,author\np1,https://a/1,7,Ada\np2,https://a/2,8,Bo\n"

  @Test(.faults(.p3)) func columnsArePrivateUnlessTheyAreNamed() {
    func extras(_ text: String, _ extra: ExtraMembers) -> ([String?], [String: Int]) {
      var reader = ManifestReader(extra: extra)
      let found = reader.read(Array(text.utf8)) + reader.finish()
      return (
        found.map { if case .entry(let entry) = $0 { entry.extra } else { "problem" } },
        reader.leftOut.counts
      )
    }
    #expect(extras(Self.table, .named([])) == ([nil, nil], ["Cost per item": 2, "author": 2]))
    #expect(
      extras(Self.table, .named(["author"]))
        == ([#"{"author":"Ada"}"#, #"{"author":"Bo"}"#], ["Cost per item": 2]))
    #expect(
      extras(Self.table, .all) == (
        [#"{"Cost per item":"7","author":"Ada"}"#, #"{"Cost per item":"8","author":"Bo"}"#], [:]
      ))
    let lines = """
      {"id":"p1","url":"https://a/1","cost":1e2,"extra":{"author":"Ada"}}
      {"id":"p2","url":"https://a/2","cost":2,"extra":{"cost":3}}
      {"id":"p3","url":"https://a/3","cost":4}
      {"id":"p4","url":"https://a/4","cost":5,"extra":{ }}
      {"id":"p5","url":"https://a/5","extra":[1]}
      """
    #expect(
      extras(lines, .named([])) == (
        [#"{"author":"Ada"}"#, #"{"cost":3}"#, nil, "{}", "[1]"], ["cost": 4]
      ))
    #expect(
      extras(lines, .named(["cost"])) == (
        [
          #"{"author":"Ada","cost":1e2}"#, #"{"cost":3}"#, #"{"cost":4}"#, #"{"cost":5}"#, "[1]",
        ], [:]
      ))
    #expect(
      extras(lines + "\n{\"url\":\"https://a\",\"cost\":1,\"extra\":[]}", .all).0.last == "problem")
    // A name like a known one is a mistake, unless it is named.
    #expect(extras(#"{"url":"https://a","fokus":1}"#, .named([])).0 == ["problem"])
    #expect(extras(#"{"url":"https://a","fokus":1}"#, .named(["fokus"])).0 == [#"{"fokus":1}"#])
  }

  @Test(.faults(.m10)) func showsNoSecrets() {
    #expect(
      SourceURL.shown("https://u:p@\u{301}h/?\u{301}token=1", ignoring: ["token"]).contains("p@")
        == false)
    #expect(
      SourceURL.shown("https://h/p?\u{301}a=1&token=2", ignoring: ["token"])
        == "https://h/p?\u{301}a=1")
    #expect(
      SourceURL.shown("https://user:pass@h:8/p?token=1&a=2#f", ignoring: ["token"])
        == "https://h:8/p?a=2#f")
    #expect(SourceURL.hostAsWritten(of: "https://user:pass@HOST:8/p?x@y") == "host:8")
  }
}

/// A list that ends within a record was cut off: what came after it is missing, too.
@Suite struct CutOffListTests {
  private static let header = "id,url,alt\na,https://example.com/a.jpg,A\n"

  private static func rejection(_ text: String, inParts: Bool) -> String? {
    var reader = ListReader(ManifestReader())
    do throws(ListRejection) {
      try reader.add(Array(text.utf8))
      while try !reader.parts(limit: 10, isCompared: inParts).isEmpty {}
      try reader.end()
      _ = try reader.finish(isCompared: inParts)
      return nil
    } catch {
      return error.reason
    }
  }

  @Test(
    arguments: [
      header + "b,https://example.com/b.jp", header + "b,https://example.com/b.jpg,\"An open",
      header + "b,https://example.com/b.jpg,\"An open\nquote", header + "b",
      "{\"url\": \"https://example.com/a.jpg\"}\n{\"url\": \"https://exam",
    ], [true, false])
  func aRecordThatIsNotWholeRejectsTheList(_ text: String, _ inParts: Bool) throws {
    let reason = try #require(Self.rejection(text, inParts: inParts))
    let line = text.hasPrefix("{") ? 2 : 3
    #expect(reason.hasPrefix("it is cut off in line \(line), "), "\(reason)")
  }

  /// One line that is wrong, or a list without its last line end, is no reason to reject it.
  @Test(
    arguments: [
      header + "b,https://example.com/b.jpg,B", header + "b,https://example.com/b.jpg\n",
      header + "b,https://example.com/b.jpg,\"An open\nquote\n", header + "   ",
      "{\"url\": \"https://example.com/a.jpg\"}", "{\"url\": \"https://exam\n", "{\"url\": x}",
      "https://example.com/a.jpg\nhttps://exam",
    ], [true, false])
  func otherMistakesAreThoseOfALine(_ text: String, _ inParts: Bool) {
    #expect(Self.rejection(text, inParts: inParts) == nil)
  }

  /// A name that no table has is a mistake; one that one of several tables has is not.
  @Test func aColumnThatNoListHasIsNamed() {
    func leftOut(_ header: String) -> LeftOutMembers {
      var reader = ManifestReader(extra: .named(["Titel"]))
      _ = reader.read(Array("\(header)\nhttps://example.com/a.jpg,A\n".utf8))
      return reader.leftOut
    }
    var list = leftOut("url,Title")
    #expect(
      list.mistakes == [
        "no list has a column \"Titel\", which \"extra\" in the pipeline file names (did you mean \"Title\"?)"
      ])
    list.add(leftOut("url,Titel"))
    #expect(list.mistakes == [])
  }
}
