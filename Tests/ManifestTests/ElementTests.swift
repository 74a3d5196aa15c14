import TesseraTestSupport
import Testing

@testable import TesseraManifest

/// A list that is a JSON array.
@Suite struct ElementTests {
  /// In pieces of several lengths, the last of which is the whole.
  private static func lines(_ text: String, columns: ColumnMapping? = nil) -> [String] {
    let all = [1, 2, 7, 10_000].map { ListOutline.lines(text, columns: columns, chunk: $0) }
      // What is before the cause of a rejection may have been read.
      .map { $0.last?.hasPrefix("rejected: ") == true ? $0.suffix(1) : $0[...] }.map(Array.init)
    #expect(Set(all).count == 1, "\(text)")
    return all[3]
  }

  @Test(arguments: [
    (#"[{"id":"a","url":"https://a/1"},{"id":"b","url":"https://a/2"}]"#, ["1 a", "2 b"]),
    // Each has the number of its line, or the next one.
    (
      "\n[\n  {\n    \"id\": \"a\",\r\n\t\"url\": \"https://a/1\"\n  },\n  {\"id\": \"b\", \"url\": \"https://a/2\"}"
        + ", {\"id\": \"c\", \"url\": \"https://a/3\"}\n]\n\n", ["3 a", "7 b", "8 c"]
    ),
    // Marks in texts and in members end nothing.
    (
      #"[{"id":"a ]},[{\"\\","url":"https://a/1","t":[[1],{"u":["]"]}]},{"id":"b","url":"https://a/2"}]"#,
      [#"1 a ]},[{"\"#, "2 b"]
    ),
    // Pages of an API, after each other.
    (
      #"[{"id":"a","url":"https://a/1"}][]"# + "\n" + #"[{"id":"b","url":"https://a/2"}]"#,
      ["1 a", "2 b"]
    ),
    (#"["https://a/1", "https://a/2"]"#, ["1 https://a/1", "2 https://a/2"]),
    ("[]", []), ("[ ,, ]", []),
  ])
  func eachElementIsAnImage(_ text: String, _ ids: [String]) {
    #expect(Self.lines(text).map { $0.replacing(/\ https:\/\/a\/.$/, with: "") } == ids)
  }

  @Test(arguments: [
    ("[5]", "1: \"url\" must be a string, found a number"),
    ("[null]", "1: \"url\" must be a string, found null"),
    ("[[]]", "1: \"url\" must be a string, found an array"),
    ("[{}]", "1: the member \"url\" is missing"),
  ])
  func anElementThatIsNoneIsAProblemOfItsOwn(_ text: String, _ problem: String) {
    let more = text.dropLast() + #", {"id": "b", "url": "https://a/2"}]"#
    let found = Self.lines(String(more))
    #expect(found.count == 2 && found[0] == problem, "\(found)")
    #expect(found.last?.hasSuffix(" b https://a/2") == true)
  }

  /// The elements behind the cut would leave the catalog.
  @Test func whatIsCutOffIsRejected() {
    let text = "[\n{\"url\":\"https://a/1\"},\n{\"url\":\"https://a/]\"}\n]"
    for count in 1..<text.utf8.count {
      let found = Self.lines(String(decoding: text.utf8.prefix(count), as: UTF8.self))
      let last = found.last ?? ""
      #expect(
        last.hasPrefix("rejected: it is cut off after line ")
          && last.hasSuffix(": its JSON array has no end; make or fetch the list again"), "\(count)"
      )
    }
    #expect(Self.lines(text).count == 2)
  }

  /// It is not known where the next one begins: a quote too many takes in others until the next one.
  @Test(arguments: [
    (
      "[{\"url\":\"https://a/1\"} {}, {\"url\":\"https://a/2\"}]", 1,
      "expected the end of the text, found \"{\""
    ),
    ("[\n}]", 2, "expected a value, found \"}\""),
    ("[section]\nurl=https://a/1\n", 1, "expected a value, found \"s\""),
    ("[{\"url\":\"https://a/1\"}];", 2, "expected a value, found \";\""),
    (
      "[{\"url\":\"https://a/1\"},\n{\"id\":\"b,\"url\":\"https://a/2\"},\n{\"url\":\"https://a/3\"}, {\"id\":\"c}]",
      2,
      "expected \",\" or \"}\", found \"u\""
    ),
  ])
  func anElementThatCannotBeReadIsTheEnd(_ text: String, _ line: Int, _ problem: String) {
    #expect(
      Self.lines(text).last
        == "rejected: it begins as a JSON array does, and what is on line \(line) is not an element of one: \(problem); correct it, "
        + "or write one object per line (JSON Lines), of which only that line would be lost")
  }

  @Test(.takesSeconds) func anElementThatIsTooLongIsTheEnd() {
    func lines(_ blank: String, _ text: String) -> [String] {
      ListOutline.lines("[\n{\"id\":\(blank)\"\(text)\",\"url\":\"https://a/1\"},{}]", chunk: 1_000)
    }
    let more = String(repeating: "\\\" ]},", count: RecordSplitter.maximumLength / 6 + 1)
    #expect(lines("", more).count == 1)
    #expect(
      lines("", more)[0].contains(
        "line 2 is not an element of one: the line is longer than \(RecordSplitter.maximumLength) bytes;"
      ))
    // Indentation does not count.
    #expect(lines(more.replacing(/./, with: " "), "a").map { $0.prefix(3) } == ["2 a", "3: "])
  }

  /// As some databases write rows.
  @Test func textsOfLaterArraysAreNoImages() {
    let problem = "expected an object such as {\"id\": \"p1\", \"url\": \"…\"}, found a string"
    #expect(
      Self.lines("[\"https://a/1\"]\n[\"https://a/2\", \"b\"]")
        == ["1 https://a/1 https://a/1", "2: \(problem)", "3: \(problem)"])
  }

  @Test func aMappingSaysWhereTheImagesAre() {
    let columns = ColumnMapping([.url: ["image.src"], .id: ["sku"]], prefix: "https://a/")
    let text = "[{\"sku\": 1, \"image\": {\"src\": \"1.jpg\"}}, {\"sku\": 2}]"
    #expect(Self.lines(text, columns: columns).map { $0.prefix(13) } == ["1 1 https://a"])
  }

  /// Parts whose text is as before are found again, wherever they are.
  @Test func unchangedElementsAreFoundAgain() {
    func digests(_ ids: some Sequence<Int>, _ between: String) -> Set<String> {
      var reader = ListReader(ManifestReader())
      let text = ids.map { "{\"id\":\"\($0)\",\"url\":\"https://a/\($0)\"}" }.joined(
        separator: between)
      var parts: [ManifestChunk] = []
      do throws(ListRejection) {
        try reader.add(Array("[\(text)]".utf8))
        parts = try reader.parts(limit: .max, isCompared: true)
        try reader.end()
        parts += try reader.finish(isCompared: true)
      } catch {
        Issue.record("\(error)")
      }
      return Set(parts.compactMap(\.digest))
    }
    let before = digests(1...200, ",")
    let after = digests([500] + (1...200), "\n,\n")
    #expect(before.count > 5 && before.intersection(after).count * 2 > before.count)
  }
}
