import Foundation
import TesseraCatalog
import TesseraTestSupport
import Testing

/// The gallery in a browser, with images that load late.
@Suite struct GalleryTests {
  /// The least contrast of a text, and that text.
  private struct Contrast: Decodable {
    var ratio: Double
    var text: String

    init(from decoder: any Decoder) throws {
      var list = try decoder.unkeyedContainer()
      (ratio, text) = (try list.decode(Double.self), try list.decode(String.self))
    }
  }

  private struct Seen: Decodable {
    var shift: Double
    var contrast: Contrast
    var names: Int
    var observes: Bool
    var shown: Int
    var ratio: Double
    var columns: Int
    var overflow: Bool
    var background: String
    var behind: [String]
    var totals: String
    var keyboard: [Bool]
    var failed: [String]
    var count: String
    var console: [String]
    var requests: [String]
  }

  private static func look(
    _ fixture: RunFixture, page: String = "gallery.html", scale: Int,
    size: (Int, Int) = (1000, 800), _ options: String...
  ) async throws -> Seen {
    let screenshot = fixture.folder.path("gallery-\(scale)\(options.joined()).png")
    let result = try await Tool.run(
      "/usr/bin/python3",
      [
        Places.root.appending(path: "Tests/Browser/measure.py").path, fixture.folder.path("out"),
        page, "\(scale)", "\(size.0)", "\(size.1)", screenshot,
      ] + options)
    try #require(result.status == 0, "\(result.errors)")
    let image = try Data(contentsOf: URL(filePath: screenshot))
    Attachment.record(Array(image), named: URL(filePath: screenshot).lastPathComponent)
    return try JSONDecoder().decode(Seen.self, from: Data(result.output.utf8))
  }

  private static func made() async throws -> RunFixture {
    let nginx = try await Nginx(serving: Places.fixtures)
    let names = [
      "plain.jpg", "rotated-phone-shot.jpg", "gone.jpg", "grey.png", "transparent.png",
      "animated.gif",
      "cmyk.jpg", "display-p3.jpg", "orientation-6.jpg",
    ]
    let fixture = try RunFixture(
      manifest: (names + names.map { "\($0)?2" }).map { name in
        #"{"id":"\#(name)","url":"\#(nginx.url("/\(name)"))","alt":"</script><!-- \#(name)"}"#
          + "\n"
      }.joined(),
      keys: "placeholders: [color, thumbhash, blurhash]\nvariants: {format: [webp, compatible]}")
    #expect(try await fixture.run().status == 1)
    await nginx.stop()
    let made = try await Tool.tessera("gallery", fixture.folder.path("out"))
    #expect(
      made.status == 0 && made.output.hasSuffix("out/gallery.html: 18 images\n"), "\(made.errors)"
    )
    return fixture
  }

  /// On screens with one, two and three device pixels per point, nothing moves when an image loads,
  /// and each tile requests exactly the file for its slot and scale.
  @Test(arguments: [1, 2, 3])
  func nothingMovesAndTheRightFilesAreRequested(_ scale: Int) async throws {
    let fixture = try await Self.made()
    let seen = try await Self.look(fixture, scale: scale)
    #expect(seen.contrast.ratio >= 4.5, "\(seen.contrast)")
    #expect(seen.names == 0)
    #expect(seen.observes)
    #expect(seen.shift == 0)
    #expect(seen.ratio == Double(scale))
    #expect(seen.console == [])
    #expect(seen.shown == 16)
    #expect(!seen.overflow)
    // After loading, no placeholder shows through an image that is not opaque.
    #expect(seen.behind.count == 4)
    #expect(seen.behind.allSatisfy { $0.hasPrefix("rgba(0, 0, 0, 0) repeating-conic-gradient(") })
    let catalog = try fixture.catalog
    let expected = catalog.images.compactMap {
      $0.variant(for: "card", scale: Double(scale), in: catalog).map { "/\($0.reference)" }
    }
    #expect(Set(seen.requests.filter { $0 != "/gallery.html" }) == Set(expected))
    #expect(seen.requests.count == Set(expected).count + 1)
    #expect(seen.keyboard == [true, true, true], "Enter, Escape, an arrow")
    #expect(seen.totals.hasPrefix("18 images · 16 ok · 2 failed · "))
    #expect(
      seen.failed == ["gone.jpg", "gone.jpg?2"].map { "\($0): The server answered 404 Not Found." })
    #expect(seen.count == "2 of 18")
  }

  /// The page of what has changed since the last run, which a link leads to.
  @Test func aLinkShowsWhatHasChanged() async throws {
    let nginx = try await Nginx(serving: Places.fixtures)
    func manifest(_ images: (id: String, alt: String)...) -> String {
      images.map { id, alt in
        let url = nginx.url("/plain.jpg?\(id)")
        return #"{"id":"\#(id)","url":"\#(url)","alt":"\#(alt)"}"# + "\n"
      }.joined()
    }
    let fixture = try RunFixture(
      manifest: manifest(("a", "One"), ("b", "Two"), ("gone", "Three"), ("c", "Four")))
    #expect(try await fixture.run().status == 0)
    try fixture.folder.write(
      manifest(("a", "One"), ("new", "Five"), ("b", "2"), ("c", "Four")), to: "manifest")
    #expect(try await fixture.run().status == 0)
    await nginx.stop()
    let made = try await Tool.tessera("gallery", fixture.folder.path("out"))
    #expect(made.output.contains(": 1 new, 1 changed, 1 gone\n"), "\(made)")
    let seen = try await Self.look(fixture, page: "gallery.html#changes", scale: 1)
    #expect(seen.shown == 2 && seen.console == [] && seen.shift == 0, "\(seen)")
    #expect(seen.names == 0 && seen.contrast.ratio >= 4.5)
    #expect(seen.totals.hasSuffix(": 1 new, 1 changed, 1 gone"), "\(seen.totals)")
  }

  /// The same page without the catalog's sizes moves, so the measurement can fail.
  @Test func withoutTheCatalogsSizesThePageMoves() async throws {
    let fixture = try await Self.made()
    let phone = (390, 844)
    let seen = try await Self.look(fixture, scale: 1, size: phone, "--without-sizes")
    #expect(seen.shift > 0.1)
    #expect(seen.shown == 16)
    let with = try await Self.look(fixture, scale: 1, size: phone)
    #expect(with.shift == 0)
    #expect(with.shown == 16)
  }

  /// On a phone in dark mode, and opened as a file.
  @Test func itWorksOnAPhoneInDarkModeAndAsAFile() async throws {
    let fixture = try await Self.made()
    let phone = try await Self.look(fixture, scale: 3, size: (390, 844), "--dark")
    #expect(phone.shift == 0 && phone.console == [])
    #expect(phone.contrast.ratio >= 4.5, "\(phone.contrast)")
    #expect(phone.columns == 2)
    #expect(!phone.overflow)
    #expect(phone.background == "rgb(20, 20, 22)")
    let file = try await Self.look(fixture, scale: 1, "--file")
    #expect(file.shown == 16 && file.console == [] && file.shift == 0)
    #expect(file.requests == [])
  }

  @Test func theLimitAppliesAndDamagedCatalogsAreRejected() async throws {
    let fixture = try await Self.made()
    let out = fixture.folder.path("out")
    let some = try await Tool.tessera("gallery", out, "--limit", "3")
    #expect(
      some.output.hasSuffix("gallery.html: 18 images, 3 shown\n"), "\(some.output)")
    let page = try fixture.folder.text("out/gallery.html")
    #expect(page.contains("\"id\":\"gone.jpg\"") && !page.contains("\"id\":\"grey.png\""))
    // Nothing in the catalog ends the script element that contains it.
    #expect(page.components(separatedBy: "</script>").count == 3)
    #expect(try await Tool.tessera("gallery", out, "--limit", "0").status == 64)
    // A name that leads out of the output, or is a script, is rejected.
    let text = try fixture.catalogText
    let source = try #require(try fixture.catalog.images[0].source)
    let elsewhere = text.replacingOccurrences(of: source, with: "javascript:alert(1)//")
    for (damaged, sentence) in [
      (elsewhere, "source: expected 32 hexadecimal digits"),
      // A second mistake does not hide the first.
      (elsewhere.replacingOccurrences(of: "\"bytes\":[", with: "\"bytes\":[0.5"), "line "),
      (text.replacingOccurrences(of: "\"variants\":[0", with: "\"variants\":[99"), "is not there"),
      (text.replacingOccurrences(of: "\"variants\":[{", with: "\"variants\":[null,{"), "line "),
    ] {
      #expect(damaged != text)
      try fixture.folder.write(damaged, to: "out/catalog.json")
      for command in [
        ["gallery", out], ["export", out, "--as", "html", "--to", fixture.folder.path("x")],
      ] {
        let rejected = try await Tool.run(Places.tessera, command)
        #expect(rejected.status == 2 && rejected.errors.contains(sentence), "\(rejected.errors)")
      }
    }
    let nothing = try await Tool.tessera("gallery", fixture.folder.path("nothing"))
    #expect(nothing.status == 2 && nothing.errors.contains("it must be the output of a run"))
    #expect(fixture.folder.files(below: "out").allSatisfy { !$0.contains(".new") })
  }
}
