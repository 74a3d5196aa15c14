import TesseraTestSupport
import Testing

@testable import tessera

/// Where images are, and the ids that follow from their names.
@Suite struct ImagePlaceTests {
  /// RFC 8089: the host of a file is this one, or not named.
  @Test(
    arguments: [
      "file:/a%20b", "file:///a b", "file://localhost/a%20b", "FILE:///%61%20b", "file:///a%20b#x",
    ])
  func oneFileIsOnePlace(_ url: String) {
    #expect(ImagePlace(url) == ImagePlace("file:///a%20b"))
    #expect(ImagePlace(url).isBelow("/"))
  }

  @Test(
    arguments: [
      "/a b", "file:a%20b", "file://host/a%20b", "file:////a%20b", "file:///a%20b?x",
      "file:///a%20b%00", "file:///a%20%zz", "https://example.com/a%20b", "file:///a+b",
      "file://localhost/localhost/a%20b",
    ])
  func otherPlacesAreOthers(_ url: String) {
    #expect(ImagePlace(url) != ImagePlace("file:///a%20b"))
    #expect(ImagePlace(url) == ImagePlace(url))
  }

  @Test(
    arguments: [
      ("file:///a/b", "/a", true), ("file:///a/b/c", "/a", true), ("file:///a/b", "/a/", true),
      ("file:///b", "/", true), ("file:///a/b", "/a/b", false), ("file:///ab/c", "/a", false),
      ("file:///a/../b", "/a", false), ("file:///a/./b", "/a", false),
      ("file:///a//b", "/a", false), ("file:///a/", "/a", false), ("file:///a/...", "/a", true),
      ("https:///a/b", "/a", false), ("/a/b", "/a", false), ("file:////a/b", "/a", false),
      ("file:///a/%FF", "/a", true),
    ])
  func whatIsBelowAFolderIsKnownFromThePath(_ url: String, _ folder: String, _ isBelow: Bool) {
    #expect(ImagePlace(url).isBelow(folder) == isBelow)
  }

  @Test func whatALinkLeadsToIsNotMissing() throws {
    let folder = try TemporaryFolder()
    try folder.write("x", to: "real/a.jpg")
    try folder.link("link", to: "real")
    try folder.link("broken.jpg", to: "nothing")
    func isMissing(_ name: String) -> Bool {
      ImagePlace("file://\(folder.place)/\(name)").isMissing
    }
    #expect(isMissing("b.jpg") && isMissing("real/b.jpg") && isMissing("none/b.jpg"))
    #expect(!isMissing("real/a.jpg") && !isMissing("link/b.jpg") && !isMissing("broken.jpg"))
    // A file where a folder would be: it can't be examined.
    #expect(!isMissing("real/a.jpg/b"))
    #expect(!ImagePlace("https://example.com/b.jpg").isMissing)
    #expect(!ImagePlace("\(folder.place)/b.jpg").isMissing)
  }

  @Test func anIDHas1024BytesAtMost() {
    expectMost(1_024) { ImageID.from(String(repeating: "a", count: $0)).count == $0 }
    // 16 digits of the SHA-256 of the whole name.
    #expect(
      ImageID.from(String(repeating: "a", count: 1_025))
        == String(repeating: "a", count: 1_007) + "-4a82297889eb505c")
    #expect(
      ImageID.from(String(repeating: "é", count: 600))
        == String(repeating: "é", count: 503) + "-17b9cc826ac8cbc9")
  }

  @Test func controlCharactersAreEncoded() {
    #expect(ImageID.from("a\u{1}b\nc\u{7F}\u{85}é %") == "a%01b%0Ac%7F%C2%85é %")
    #expect(ImageID.from("") == "")
  }
}
