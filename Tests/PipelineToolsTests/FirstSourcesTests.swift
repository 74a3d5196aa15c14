import TesseraTestSupport
import TesseraText
import Testing

@testable import tessera

/// The images that a new pipeline begins with, from what a person names.
@Suite struct FirstSourcesTests {
  private static func ids(_ first: FirstSources) -> [String] { first.images.map(\.id) }

  private static func mistake(_ sources: [String]) -> String? {
    do {
      _ = try FirstSources(sources)
      return nil
    } catch {
      return "\(error)"
    }
  }

  // MARK: URLs

  @Test(
    arguments: [
      ("https://example.com/a/b.jpg?x=1", "b", []),
      ("HTTPS://Example.com/A.B.jpg#c.csv", "A.B", []),
      ("https://example.com", "https://example.com", []),
      ("https://example.com/?a/b", "https://example.com/?a/b", []),
      ("https://example.com/.hidden", ".hidden", []), ("https://example.com/a/", "a", []),
      ("https://example.com/csv", "csv", []), ("https://example.com/a.csv/b.jpg?c.csv", "b", []),
      ("http://127.0.0.1:8/b.png", "b", ["loopback"]), ("http://localhost/c", "c", ["loopback"]),
      ("http://localhost:80/c", "c", ["loopback"]), ("http://[::1]:8080/d.gif", "d", ["loopback"]),
      ("http://[::1]/d.gif", "d", ["loopback"]), ("http://me:pw@10.1.2.3/e", "e", ["private"]),
      ("http://169.254.169.254/f", "f", ["169.254.169.254/32"]), ("http://192.88.98.1/g", "g", []),
    ] as [(String, String, [String])])
  func aURLIsAnImage(_ url: String, _ id: String, _ permissions: [String]) throws {
    let first = try FirstSources([url])
    #expect(first.images == [.init(id: id, url: url)])
    #expect(first.permissions == permissions)
    #expect(first.list == nil && first.leftOut.isEmpty)
  }

  /// It is neither an image nor fetched.
  @Test(
    arguments: [
      "https://example.com/list.jsonl", "https://example.com/list.ndjson?token=1",
      "https://example.com/list.csv#a", "https://example.com/LIST.CSV",
      "https://example.com/a/list.tsv", "https://example.com/list.txt",
      "https://example.com/list.xml.gz", "http://127.0.0.1/list.csv",
    ])
  func aURLOfAListIsAList(_ url: String) async throws {
    var first = try FirstSources([url])
    try await first.readList()
    #expect(first.list == url && first.images.isEmpty && first.found == nil)
    #expect(first.permissions == (url.contains("127") ? ["loopback"] : []))
  }

  @Test func aPermissionIsNamedOnce() throws {
    let first = try FirstSources([
      "http://127.0.0.1/a", "http://10.0.0.1/b", "http://127.0.0.2/c", "http://10.0.0.2/d",
    ])
    #expect(first.permissions == ["loopback", "private"])
    #expect(Self.ids(first) == ["a", "b", "c", "d"])
  }

  // MARK: Files

  @Test func aFileIsAnImageOrAList() async throws {
    let folder = try TemporaryFolder()
    let image = try folder.add("plain.jpg", as: "a/shot one.v2.jpg")
    // What a file holds counts, and not its name.
    let disguised = try folder.add("grey.png", as: "b/data.csv")
    try folder.link("link", to: "a/shot one.v2.jpg")
    // Both ends before the size: in the middle of the file, and of what is read of it.
    let start = try folder.write(Array(Places.bytes("plain.jpg").prefix(20)), to: "start")
    let long = [0xFF, 0xD8, 0xFF, 0xE1, 0xFF, 0xFF] + [UInt8](repeating: 0, count: 9_000)
    let far = try folder.write(long, to: "far.v1")
    let first = try FirstSources([image, disguised, folder.path("link"), start, far])
    #expect(
      first.images == [
        .init(id: "shot one.v2", url: "file://\(folder.place)/a/shot%20one.v2.jpg"),
        .init(id: "data", url: "file://\(folder.place)/b/data.csv"),
        .init(id: "start", url: "file://\(folder.place)/start"),
        .init(id: "far", url: "file://\(folder.place)/far.v1"),
      ])
    #expect(
      first.permissions
        == ["files:\(folder.place)/a", "files:\(folder.place)/b", "files:\(folder.place)"])

    let path = try folder.write("https://example.com/a.jpg\nnonsense\n", to: "list.TXT")
    var list = try FirstSources([path])
    #expect(list.list == path && list.images.isEmpty && list.permissions.isEmpty)
    #expect(list.found == nil)
    try await list.readList()
    #expect(list.found?.images == 1 && list.found?.problems == 1)
  }

  @Test func whatIsNoSourceIsAMistake() throws {
    let folder = try TemporaryFolder()
    let notes = try folder.write("x", to: "notes.doc")
    let list = try folder.write("x", to: "list.csv")
    let svg = try folder.write(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"9\" height=\"9\"/>", to: "a.svg")
    try folder.makeFolder("empty")
    try folder.makeFolder("out/.tessera")
    let (empty, out) = (folder.path("empty"), folder.path("out"))
    let combined = "a list can't be combined with other images; add them to the list"
    let image = "https://example.com/a.jpg"
    #expect(
      Self.mistake([notes])
        == "\"\(notes)\" is neither an image nor a list; a list ends in .jsonl, .ndjson, .csv, "
        + ".tsv, .txt, .xml, .rss, .atom, .json, .gz")
    #expect(
      Self.mistake([svg])
        == "\"\(svg)\" is an image of the format svg, which a run reads only if \"accept\" in its "
        + "pipeline names it")
    #expect(Self.mistake([list, image]) == combined)
    #expect(Self.mistake([image, list]) == combined)
    #expect(Self.mistake([image, "https://example.com/b.csv"]) == combined)
    #expect(Self.mistake([list, list]) == combined)
    #expect(
      Self.mistake([empty, empty])
        == "no image was found in \(empty), \(empty); name images, folders of images, URLs, or "
        + "a list of URLs")
    #expect(
      Self.mistake([out]) == "\"\(out)\" is the output of a run; name the folder of its sources")
    for url in ["ftp://a/b.jpg", "file:///a.jpg", "http:///b.jpg"] {
      #expect(
        Self.mistake([url]) == "\"\(url)\" can't be fetched; expected a URL of http or https")
    }
    #expect(
      Self.mistake(["mailto:x"]) == "could not open \"mailto:x\": No such file or directory")
    #expect(Self.mistake([]) == nil)
  }

  // MARK: Folders

  @Test func imagesBelowAFolderAreInTheOrderOfTheirNames() throws {
    let folder = try TemporaryFolder()
    for name in ["b.jpg", "more/deep/c.v1.jpg", "more/b.jpg", "a.png", "out/d.jpg", ".e.jpg"] {
      try folder.add("plain.jpg", as: "photos/\(name)")
    }
    try folder.add("plain.jpg", as: "elsewhere/f.jpg")
    try folder.makeFolder("photos/out/.tessera")
    try folder.makeFolder("photos/.git")
    try folder.write("x", to: "photos/notes.txt")
    try folder.write("x", to: "photos/more/list.csv")
    try folder.link("photos/link", to: "elsewhere")
    try folder.link("photos/far.jpg", to: "elsewhere/f.jpg")
    let first = try FirstSources([folder.path("photos")])
    let place = "file://\(folder.place)/photos"
    #expect(
      first.images == [
        .init(id: "a", url: "\(place)/a.png"), .init(id: "b", url: "\(place)/b.jpg"),
        .init(id: "more/b", url: "\(place)/more/b.jpg"),
        .init(id: "more/deep/c.v1", url: "\(place)/more/deep/c.v1.jpg"),
      ])
    #expect(first.leftOut.all == ["far.jpg", "link", "more/list.csv", "notes.txt", "out/"])
    #expect(first.permissions == ["files:\(folder.place)/photos"])
  }

  /// Bytes that are not an image, under the name of one: its run fails with the reason, and the person sees it.
  @Test func aBrokenImageStays() throws {
    let folder = try TemporaryFolder()
    let names = ["a.jpg", "b.PNG", "c.jfif", "d.heic", "e.v1.tif", "f.webp"]
    for (index, name) in names.enumerated() {
      try folder.write(index == 0 ? "" : "no image \(index)", to: "p/\(name)")
    }
    for name in ["jpg", "notes.txt", "x.svg", "y.jpg.bak", "z"] {
      try folder.write("no image", to: "p/\(name)")
    }
    try folder.write(
      "<svg xmlns='http://www.w3.org/2000/svg' width='9' height='9'/>", to: "p/g.svg")
    try folder.makeFolder("p/out/.tessera")
    try folder.link("p/link", to: "p/notes.txt")
    let first = try FirstSources([folder.path("p")])
    #expect(Self.ids(first) == ["a", "b", "c", "d", "e.v1", "f"])
    #expect(
      first.leftOut.texts == [
        "left out as of the format svg, which \"accept\" does not name: 1 (g.svg)",
        "left out as not an image: 5 (jpg, notes.txt, x.svg and 2 more)",
        "left out as a link or a special file: 1 (link)",
        "left out as the output of a run: 1 (out/)",
      ])
    #expect(Self.ids(try FirstSources([folder.path("p/a.jpg")])) == ["a"])
    #expect(Self.mistake([folder.path("p/z")])?.contains("is neither an image nor a list") == true)
  }

  @Test func everyImageHasAnIDOfItsOwn() throws {
    let folder = try TemporaryFolder()
    for name in ["a.jpg", "a.png", "a.gif", "a-2.jpg"] {
      try folder.add("plain.jpg", as: "p/\(name)")
    }
    let named = [folder.path("p"), folder.path("p/a.jpg"), "https://example.com/a.jpg"]
    let first = try FirstSources(named)
    // One that is named twice is one.
    #expect(Self.ids(first) == ["a-2", "a", "a-3", "a-4", "a-5"])
    #expect(Self.ids(try FirstSources([named[2]], ids: ["a", "a-2", "b"])) == ["a-3"])
    // What has an id needs no other.
    let known: Set = [ImagePlace(named[2])]
    #expect(Self.ids(try FirstSources([named[2]], known: known, ids: ["a"])) == ["a"])
    let both = ["https://example.com/b/a.jpg", named[2]]
    #expect(Self.ids(try FirstSources(both, known: known)) == ["a", "a"])
  }

  /// A folder without an image shows nothing: its disk may not be mounted.
  @Test func imagesThatAreGoneAreMissed() throws {
    let folder = try TemporaryFolder()
    let image = try folder.add("plain.jpg", as: "photos/a.jpg")
    try folder.write("x", to: "photos/notes.txt")
    try folder.makeFolder("photos/empty")
    func place(_ name: String) -> ImagePlace { ImagePlace("file://\(folder.place)/\(name)") }
    // The image was named before, and is one of the folder nevertheless.
    for sources in [["photos"], ["photos/a.jpg", "photos"]] {
      let first = try FirstSources(sources.map(folder.path))
      #expect(first.lacks(place("photos/gone.jpg")) && first.lacks(place("photos/empty/gone.jpg")))
      for name in ["photos/a.jpg", "photos/notes.txt", "gone.jpg", "photos/../gone.jpg"] {
        #expect(!first.lacks(place(name)), "\(name)")
      }
      #expect(!first.lacks(ImagePlace("https://example.com/a.jpg")))
    }
    let both = try FirstSources([folder.path("photos"), folder.path("photos/empty")])
    #expect(both.lacks(place("photos/gone.jpg")) && !both.lacks(place("photos/empty/gone.jpg")))
    #expect(!(try FirstSources([image]).lacks(place("photos/gone.jpg"))))
  }
}
