import Testing

@testable import TesseraOutputTools

/// Names for files and resources, made of ids that may hold anything.
@Suite struct FileNamesTests {
  @Test(
    arguments: [
      ("p1", "p1"), ("A-b_9", "A-b_9"), ("", "_e3b0c44298fc"), ("a/b", "a_b_c14cddc033f6"),
      ("..", "___5ec1f7e700f3"),
    ])
  func fileNamesAreSafe(_ id: String, _ name: String) {
    #expect(id.fileName == name)
  }

  @Test(
    arguments: [
      ("card_p1", "card_p1"), ("9", "i_9"), ("_a", "i__a"),
    ])
  func resourceNamesBeginWithALetter(_ id: String, _ name: String) {
    #expect(id.resourceName == name)
  }

  /// A name that had to be changed has a digest, so that two ids are two names.
  @Test func changedNamesStayDifferent() {
    let ids = ["a/b", "a_b", "a b", "A", "é", "e\u{301}", String(repeating: "x", count: 200)]
    #expect(Set(ids.map(\.fileName)).count == ids.count)
    #expect(Set(ids.map(\.resourceName)).count == ids.count)
    #expect(ids.allSatisfy { $0.fileName.utf8.count <= 93 })
    #expect("A".resourceName.hasPrefix("__") == false && "A".resourceName.hasPrefix("i__"))
  }

  /// "A" and "a" are one file on a Mac.
  @Test func takenNamesGetADigest() {
    var names = FileNames()
    #expect(names.unique("a", for: "1") == "a")
    let second = names.unique("A", for: "2")
    #expect(second.hasPrefix("A_") && second.count == 14)
    #expect(names.unique("A", for: "2") != second)
  }

  @Test(arguments: [("a.webp", "webp"), ("a.tar.gz", "gz"), ("a", ""), ("a.", "")])
  func theExtensionFollowsTheLastDot(_ name: String, _ expected: String) {
    #expect(name.fileExtension == expected)
  }

  @Test func sourceSetURLsHaveNoBlanksOrCommas() {
    #expect("https://a/b, c.webp?d,e".sourceSetURL == "https://a/b%2C%20c.webp?d%2Ce")
  }

  @Test func nothingInAScriptElementEndsIt() {
    let text = GalleryPage.escaped(Array("{\"a\":\"</script><!--\"}".utf8))
    #expect(
      String(decoding: text, as: UTF8.self) == #"{"a":"\u003c/script>\u003c!--"}"#)
  }
}
