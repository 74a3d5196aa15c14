import TesseraJSON
import TesseraSystem
import TesseraTestSupport
import Testing

@testable import TesseraOutput

/// The names of an output, the lines of its catalog, and its errors.
@Suite struct OutputPlaceTests {
  private static let digest = "0a23456789abcdef0123456789abcdef"

  @Test(
    arguments: [
      ("catalog.json", .catalog), ("catalog.jsonl", .catalog), ("catalog.xml", nil),
      (".tessera/runs.jsonl", .history), (".tessera/shards/8/3/runs.jsonl", .history),
      ("runs.jsonl", nil), ("run.json", .report), ("gallery.html", .derived),
      ("catalog.sqlite", .derived), ("catalog.json.gz", .derived), ("run.json.br", .derived),
      ("screens/feed/index.json.zst", .derived), ("catalog.sqlite.gz", .derived),
      ("catalog.json.gz.br", .derived), ("catalog.json.xz", nil), (".gz", nil),
      (".tessera/runs.jsonl.gz", nil),
      ("x/run.json", nil), ("", nil),
      ("catalog/index.json", .pages), ("catalog/\(digest).json", .pages), ("catalog/x.json", nil),
      ("catalog/x/index.json", nil), ("catalog/lookup.json", nil), ("catalog/first.json", nil),
      ("screens/feed/index.json", .pages), ("screens/feed/lookup.json", .pages),
      ("screens/feed/first.json", .pages), ("screens/feed/\(digest).json", .pages),
      ("screens/-/index.json", nil), ("screens/a/b/index.json", nil), ("screens/feed/x.json", nil),
      ("from-\(digest)\(digest).json", .patches), ("from-\(digest).json", nil),
      ("screens/feed/from-\(digest)\(digest).json", .patches),
      ("catalog/from-\(digest)\(digest).json", nil), ("variants/0a/\(digest)-8x8.webp", .files),
      ("variants/0b/\(digest)-8x8.webp", nil), ("variants/\(digest)-8x8.webp", nil),
      ("tables/0a/\(digest)-8x8.bgra8", .tables), ("tables/0a/\(digest).json", .tables),
      ("tables/0a/x.json", nil), ("shards/8/3.jsonl", .shards), ("shards/8/3.run.json", .shards),
      ("shards/8/3.txt", nil), ("shards/3.jsonl", nil), ("shards/8/x/3.jsonl", nil),
      (".tessera", nil), (".tessera/catalogs/list.json", .keptCatalogs),
      (".tessera/cache/x", .cache), (".tessera/forgotten.json", .forgotten),
      (".tessera/lock", .work), (".tessera/output", .work), (".tessera/clock", .work),
      (".tessera/shards/8/3/clock", .work), (".tessera/states/4711.json", .state),
      (".tessera/spool/x", .work),
      (".tessera/staging/x", .work), (".tessera/state.sqlite", .state),
      (".tessera/state.sqlite-wal", .state), (".tessera/state.sqlite.damaged", .state),
      (".tessera/state", nil), (".tessera/x", nil), (".tessera/shards/8/3/state.sqlite", .state),
      (".tessera/shards/8/3/cache/x", .cache), (".tessera/shards/8/3", nil),
      (".tessera/shards/8/x", nil), ("run.json.tessera-12.new", .work),
      ("x/y.tessera-12.new", .work), ("run.json.tessera-x.new", nil), ("other.txt", nil),
    ] as [(String, OutputPlace?)])
  func eachPathHasItsPlace(_ path: String, _ place: OutputPlace?) {
    #expect(OutputPlace.of(path) == place)
  }

  @Test func somePlacesNameFiles() {
    #expect(OutputPlace.naming == [.catalog, .pages, .patches, .shards, .keptCatalogs])
  }

  @Test func filesAreNamedByTheirDigestAndSize() {
    let digest = Self.digest + Self.digest
    #expect(
      PublishedFile.path(digest: digest, width: 64, height: 48, fileExtension: "webp")
        == "variants/0a/\(Self.digest)-64x48.webp")
    #expect(
      PublishedFile.tablePath(digest: digest, width: 64, height: 48, fileExtension: "bgra8")
        == "tables/0a/\(Self.digest)-64x48.bgra8")
    #expect(PublishedFile.indexPath(digest: digest) == "tables/0a/\(Self.digest).json")
    let file = PublishedFile(
      path: "variants/0a/\(Self.digest)-6x4.webp", type: "image/webp", bytes: 5, width: 6,
      height: 4)
    #expect((file.type, file.bytes, file.width, file.height) == ("image/webp", 5, 6, 4))
    #expect(file.digest == Self.digest[...])
    for (path, isOwn) in [
      ("tables/0a/DIGEST.json", true), ("tables/0a/DIGEST.jso", false),
      ("tables/0a/DIGEST-1x1.bgra8", true), ("variants/0a/DIGEST.json", false),
      ("variants/0a/DIGEST-1/", false),
      ("variants/0a/DIGEST-1x1.a_b", false), ("variants/0a/DIGEST-1x1.a{", false),
      ("variants/0a/DIGEST-1x1.a`", false), ("variants/0a/DIGEST-:", false),
      ("variants/0a/DIGEST-0az9.z", true), ("variants/0a", false),
    ] {
      let path = path.replacing("DIGEST", with: Self.digest)
      #expect(PublishedFile.digest(in: path) == (isOwn ? Self.digest[...] : nil), "\(path)")
    }
    // One digit that is none.
    for digit in "/:`gG" {
      let odd = "0a\(digit)3456789abcdef0123456789abcdef"
      #expect(PublishedFile.digest(in: "variants/0a/\(odd)-1x1.webp") == nil, "\(digit)")
    }
  }

  @Test func imagesOfACatalogHaveFiles() throws {
    let line = try #require(
      CatalogLine(
        Array(
          """
          {"id":"a","status":"stale","url":"u","error":{"code":"x"},"variants":[
            {"path":"p","type":"t","bytes":1,"width":2,"height":3,
             "also":[{"path":"q","type":"s","bytes":4},{"url":"v"}]},
            {"url":"w","width":5,"height":6}]}
          """.utf8)))
    #expect((line.id, line.status, line.url, line.isShown) == ("a", "stale", "u", true))
    #expect(line.error?["code"]?.stringValue == "x")
    #expect(line.files?.map(\.path) == ["p", "q"])
    #expect(line.files?.map(\.type) == ["t", "s"])
    #expect(line.files?.map(\.bytes) == [1, 4])
    #expect(line.files?.map { "\($0.width) \($0.height)" } == ["2 3", "2 3"])
    #expect(line.serviceURLs == ["v", "w"])
    #expect(CatalogLine(Array("{".utf8)) == nil)
    for (status, isShown) in [("ok", true), ("stale", true), ("failed", false)] {
      #expect(CatalogLine(["status": .string(status)] as JSONValue).isShown == isShown)
    }
    let bare = CatalogLine([:] as JSONValue)
    #expect(!bare.isShown && bare.id == nil && bare.url == nil && bare.error == nil)
    #expect(bare.files?.isEmpty == true && bare.serviceURLs == [])
  }

  /// Of a file with a member missing, nothing is known.
  @Test(arguments: ["width", "height", "path", "type", "bytes"])
  func aFileHasAllItsMembers(_ name: String) {
    let text = #"{"variants":[{"path":"p","type":"t","bytes":1,"width":2,"height":3}]}"#
    #expect(CatalogLine(Array(text.utf8))?.files?.count == 1)
    let other = text.replacing("\"\(name)\"", with: "\"x\"")
    #expect(CatalogLine(Array(other.utf8))?.files == nil)
  }

  /// Of two of one moment the first form, on which readers agree.
  @Test(
    arguments: [
      ([:], nil), ([.json: 1], .json), ([.jsonl: 1], .jsonl), ([.json: 1, .jsonl: 2], .jsonl),
      ([.json: 2, .jsonl: 1], .json), ([.json: 1, .jsonl: 1], .json),
    ] as [([CatalogForm: Double], CatalogForm?)])
  func theNewestCatalogIsTheOutputs(_ times: [CatalogForm: Double], _ form: CatalogForm?) {
    #expect(CatalogForm.newest(times) == form)
    #expect(CatalogForm.allCases.map(\.name) == ["catalog.json", "catalog.jsonl"])
  }

  @Test(
    arguments: [
      (
        .busy("the output \"o\"", holder: "12"), true,
        "another run holds the output \"o\" (process 12); wait for it, or end it"
      ),
      (
        .busy("p", holder: ""), true,
        "another run holds p (another process); wait for it, or end it"
      ),
      (
        .overtaken("p"), true,
        "another run has published the result of p meanwhile, from another manifest or pipeline; "
          + "run it again"
      ),
      (
        .otherOutput(state: "s", of: "a", output: "b"), false,
        "the state \"s\" is that of the output \"a\"; name another directory for \"b\" (state: DIR)"
      ),
      (
        .twoStates("s", output: "o"), false,
        "the output \"o\" has a state in its store, which \"s\" does not know; remove \"state\" "
          + "from the pipeline file"
      ),
      (
        .leased("p", holder: "h", age: .seconds(7)), true,
        "another run holds p (h, last heard of 7 s ago); wait for it, or end it: 120 s after its "
          + "end it is forgotten"
      ),
      (
        .leased("p", holder: "", age: .zero), true,
        "another run holds p (another process, last heard of 0 s ago); wait for it, or end it: "
          + "120 s after its end it is forgotten"
      ),
      (
        .lost("p"), true,
        "another run has taken over p, because this one was not heard of for 120 s; run it again"
      ),
      (
        .noConditions("o"), false,
        "the store of the output \"o\" can't write an object on a condition, so two runs would "
          + "not see each other; keep the state on a disk of this machine: add \"state: DIR\" to "
          + "the pipeline file"
      ), (.system(.notAFile("f")), false, "\"f\" is not a regular file"),
    ] as [(OutputError, Bool, String)])
  func errorsSayWhatToDo(_ error: OutputError, _ isBusy: Bool, _ text: String) {
    #expect(error.isBusy == isBusy)
    #expect("\(error)" == text)
  }
}
