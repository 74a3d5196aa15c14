import TesseraCatalog
import Testing

@testable import TesseraManifest

@Suite struct PackedEntryTests {
  /// An entry that waited in a file is the entry that was read, with every digit of its focus.
  @Test(arguments: [
    ManifestEntry(line: 7, id: "a", url: "https://a/1"),
    ManifestEntry(
      line: 8, id: "\u{1F431}\"", url: "https://a/2", slots: [], focus: .init(x: 0.123456789, y: 1)),
    ManifestEntry(
      line: 9, id: "c", url: "https://a/3", slots: ["card"], focus: .init(x: 1e-7, y: 0.3),
      extra: "null"),
    {
      var entry = ManifestEntry(line: 9, id: "v", url: "https://a/5")
      entry.views = 1234567.125
      return entry
    }(),
    ManifestEntry(
      line: 10, id: "d", url: "https://a/4", extra: #"{"n":1.10,"é":["\""]}"#),
  ])
  func unpacksWhatWasPacked(_ entry: ManifestEntry) throws {
    let (unpacked, position) = try #require(ManifestEntry.unpacked(entry.packed(position: 3)))
    #expect(unpacked == entry)
    #expect(unpacked.content == entry.content)
    #expect(position == 3)
  }

  @Test(arguments: [
    "", "[]", "{}", #"{"position":1,"line":2,"id":"a","url":4}"#,
    #"{"position":1,"line":2,"id":"a","url":"u""#,
  ])
  func rejectsOtherBytes(_ text: String) {
    #expect(ManifestEntry.unpacked(Array(text.utf8)) == nil)
  }
}
