import TesseraBytes
import TesseraCatalog
import TesseraManifest
import TesseraPipelineFile
import TesseraPlan
import TesseraState
import Testing

@testable import TesseraPipeline

@Suite struct ItemTests {
  private func item(
    _ url: String, _ change: (inout PipelineFile.Fetch) -> Void = { _ in }
  ) -> Item {
    var settings = PipelineFile.fetch()
    change(&settings)
    return Item(ManifestEntry(line: 1, id: "a", url: url), position: 3, settings)
  }

  @Test func anItemDerivesItsURLs() {
    typealias Case = (
      url: String, rewrites: [PipelineFile.Rewrite], ignored: [String], request: String,
      host: String, shown: String, key: String
    )
    let mirror = PipelineFile.Rewrite(from: "https://img.example/", to: "http://localhost:9/m/")
    let other = PipelineFile.Rewrite(from: "https://img.example/a", to: "http://other/")
    let cases: [Case] = [
      (
        "https://IMG.example/a.jpg", [], [], "https://IMG.example/a.jpg", "img.example",
        "https://IMG.example/a.jpg", "https://IMG.example/a.jpg"
      ),
      // The first rewrite that applies counts; the shown URL stays the manifest's.
      (
        "https://img.example/a.jpg", [mirror, other], [], "http://localhost:9/m/a.jpg",
        "localhost:9", "https://img.example/a.jpg", "http://localhost:9/m/a.jpg"
      ),
      (
        "https://img.example/a.jpg", [other, mirror], [], "http://other/.jpg", "other",
        "https://img.example/a.jpg", "http://other/.jpg"
      ),
      (
        "https://x.example/https://img.example/", [mirror], [],
        "https://x.example/https://img.example/", "x.example",
        "https://x.example/https://img.example/", "https://x.example/https://img.example/"
      ),
      // Ignored parameters are sent, but neither shown nor part of the source's key.
      (
        "https://img.example/a?w=1&token=s&v=2", [], ["token"],
        "https://img.example/a?w=1&token=s&v=2", "img.example", "https://img.example/a?w=1&v=2",
        "https://img.example/a?w=1&v=2"
      ),
      (
        "https://img.example/a?token=s", [], ["token"], "https://img.example/a?token=s",
        "img.example", "https://img.example/a", "https://img.example/a"
      ),
      // A fragment is shown, and is not part of the key.
      (
        "https://img.example/a#top", [], [], "https://img.example/a#top", "img.example",
        "https://img.example/a#top", "https://img.example/a"
      ),
      // A password is sent and part of the key, but not shown.
      (
        "https://me:secret@img.example:81/a", [], [], "https://me:secret@img.example:81/a",
        "img.example:81", "https://img.example:81/a", "https://me:secret@img.example:81/a"
      ),
      (
        "data:image/gif;base64,R0lGODlh", [], [], "data:image/gif;base64,R0lGODlh", "",
        "data:image/gif;base64,", "data:image/gif;base64,R0lGODlh"
      ),
      (
        "file:///images/a.jpg", [], [], "file:///images/a.jpg", "", "a.jpg",
        "file:///images/a.jpg"
      ),
    ]
    for value in cases {
      let item = item(value.url) {
        $0.rewrites = value.rewrites
        $0.ignoredQuery = value.ignored
      }
      #expect(item.requestURL == value.request)
      #expect(item.host == value.host, "\(value.url)")
      #expect(item.shownURL == value.shown)
      #expect(item.sourceKey == RecordKey.of(value.key), "\(value.url)")
    }
  }

  @Test func twoTokensAreOneSourceAndTwoRequests() {
    let items = ["1", "2"].map { token in
      item("https://img.example/a?token=\(token)&v=1") { $0.ignoredQuery = ["token"] }
    }
    #expect(items[0].sourceKey == items[1].sourceKey)
    #expect(items[0].requestKey != items[1].requestKey)
    #expect(items[0].requestKey != items[0].sourceKey)
    #expect(items[0].entryDigest != items[1].entryDigest)
    let strict = ["1", "2"].map { item("https://img.example/a?token=\($0)") }
    #expect(strict[0].sourceKey != strict[1].sourceKey)
    #expect(strict[0].requestKey == strict[0].sourceKey)
  }

  @Test func fragmentsAreOneRequest() {
    let (one, other) = (item("https://img.example/a#1"), item("https://img.example/a#2"))
    #expect(one.requestKey == other.requestKey)
    #expect(one.sourceKey == other.sourceKey)
    #expect(one.entryDigest != other.entryDigest)
  }

  @Test func theSameSourceBehindTwoNamesHasOneKey() {
    let rewritten = item("https://img.example/a") {
      $0.rewrites = [.init(from: "https://img.example", to: "https://cdn.example")]
    }
    #expect(rewritten.sourceKey == item("https://cdn.example/a").sourceKey)
  }

  @Test func theEntryIsPassedOn() {
    let entry = ManifestEntry(
      line: 9, id: "b", url: "https://img.example/b", slots: ["card"],
      focus: .init(x: 0.25, y: 0.75))
    let item = Item(entry, position: 3, PipelineFile.fetch())
    #expect(item.entry == entry)
    #expect(item.position == 3)
    #expect(item.id == "b")
    #expect(item.slots == ["card"])
    #expect(item.focus?.x == 0.25)
    #expect(item.focus?.y == 0.75)
    #expect(item.entryDigest == SHA256.of(entry.content))
    #expect(item.weight == entry.content.utf8.count + 32)
  }

  @Test func atAnotherPositionAnItemIsTheSame() {
    let item = item("https://me:x@img.example/a?token=1#2") { $0.ignoredQuery = ["token"] }
    let placed = item.placed(at: 12, in: 5, slot: 7)
    #expect(placed.position == 12)
    #expect((placed.chunk, placed.slot) == (5, 7))
    #expect((placed.upgrading().chunk, placed.upgrading().slot) == (5, 7))
    #expect(placed.entry == item.entry)
    #expect(placed.requestURL == item.requestURL)
    #expect(placed.host == item.host)
    #expect(placed.shownURL == item.shownURL)
    #expect(placed.sourceKey == item.sourceKey)
    #expect(placed.requestKey == item.requestKey)
    #expect(placed.entryDigest == item.entryDigest)
    #expect(placed.weight == item.weight)
  }

  @Test func theLineNumberIsNotPartOfTheEntry() {
    var entry = ManifestEntry(line: 1, id: "a", url: "https://img.example/a")
    let first = Item(entry, position: 0, PipelineFile.fetch())
    entry.line = 2
    #expect(Item(entry, position: 0, PipelineFile.fetch()).entryDigest == first.entryDigest)
  }
}
