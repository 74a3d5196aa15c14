import TesseraCatalog
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
      ("catalog.json", .catalog), ("catalog.jsonl", nil), ("catalog.xml", nil),
      (".tessera/runs.jsonl", .history), (".tessera/shards/8/3/runs.jsonl", .history),
      ("runs.jsonl", nil), ("run.json", .report), ("gallery.html", .derived),
      ("catalog.sqlite", .derived), ("catalog.json.gz", .derived), ("run.json.br", .derived),
      ("screens/feed/first.json.zst", .derived), ("catalog.sqlite.gz", .derived),
      ("catalog.json.gz.br", .derived), ("catalog.json.xz", nil), (".gz", nil),
      (".tessera/runs.jsonl.gz", nil),
      ("x/run.json", nil), ("", nil),
      ("catalog/index.json", nil), ("catalog/\(digest).json", nil),
      ("screens/feed/first.json", .screens), ("screens/feed/\(digest).json", .screens),
      ("screens/-/first.json", nil), ("screens/a/b/first.json", nil), ("screens/feed/x.json", nil),
      ("screens/feed/index.json", nil), ("screens/-/\(digest).json", nil),
      ("screens/feed/\(digest)0.json", nil), ("first.json", nil),
      ("from-\(digest)\(digest).json", .changes), ("from-\(digest).json", nil),
      ("from-\(digest)\(digest).json.gz", .derived),
      ("screens/feed/from-\(digest)\(digest).json", nil),
      ("variants/0a/23/\(digest)-8x8-0123456789abcdef.webp", .files),
      ("variants/0a/23/\(digest)-8x8-89abcdef-0123456789abcdef.webp", .files),
      ("variants/0a/24/\(digest)-8x8-0123456789abcdef.webp", nil),
      ("variants/0a/\(digest)-8x8-0123456789abcdef.webp", nil),
      ("variants/0a/23/\(digest)-8x8.webp", nil),
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
    #expect(OutputPlace.naming == [.catalog, .screens, .changes, .shards, .keptCatalogs])
  }

  @Test func tablesAreNamedByTheirDigestAndSize() {
    let digest = Self.digest + Self.digest
    #expect(
      PublishedFile.tablePath(digest: digest, width: 64, height: 48, fileExtension: "bgra8")
        == "tables/0a/\(Self.digest)-64x48.bgra8")
    #expect(PublishedFile.indexPath(digest: digest) == "tables/0a/\(Self.digest).json")
    for (path, isOwn) in [
      ("tables/0a/DIGEST.json", true), ("tables/0a/DIGEST.jso", false),
      ("tables/0a/DIGEST-1x1.bgra8", true), ("variants/0a/DIGEST-1x1.bgra8", false),
      ("tables/0b/DIGEST-1x1.bgra8", false), ("tables/0a/DIGEST-1/", false),
      ("tables/0a/DIGEST-1x1.a_b", false), ("tables/0a/DIGEST-1x1.a{", false),
      ("tables/0a/DIGEST-1x1.a`", false), ("tables/0a/DIGEST-:", false),
      ("tables/0a/DIGEST-0az9.z", true), ("tables/0a", false),
      ("tables/0a/\u{301}DIGEST-1x1.bgra8", false),
    ] {
      let path = path.replacing("DIGEST", with: Self.digest)
      #expect(PublishedFile.tableDigest(in: path) == (isOwn ? Self.digest[...] : nil), "\(path)")
      #expect(PublishedFile.isOne(path) == isOwn, "\(path)")
    }
    // One digit that is none.
    for digit in "/:`gG" {
      let odd = "0a\(digit)3456789abcdef0123456789abcdef"
      #expect(PublishedFile.tableDigest(in: "tables/0a/\(odd)-1x1.webp") == nil, "\(digit)")
    }
  }

  @Test func imagesOfACatalogHaveFiles() throws {
    let line = try #require(
      CatalogLine(
        Array(
          """
          {"id":"a","status":"stale","url":"u","error":{"code":"x"},
           "source":"\(Self.digest)","variants":[
            {"width":2,"height":3,"bytes":[1,null,4],"urls":[null,"v"],"sha256":["f0"]},
            {"width":5,"height":6,"crop":"89abcdef","bytes":[null,null,7]},
            {"width":5,"height":6,"urls":["w"],"original":{"url":"x","type":"t"}}]}
          """.utf8)))
    #expect((line.id, line.status, line.url, line.isShown) == ("a", "stale", "u", true))
    #expect(line.error?["code"]?.stringValue == "x")
    let files = try #require(line.files(Self.formats))
    let start = "variants/0a/23/\(Self.digest)"
    #expect(
      files.map(\.path) == [
        "\(start)-2x3-0123456789abcdef.webp", "\(start)-2x3-fedcba9876543210.jpg",
        "\(start)-5x6-89abcdef-fedcba9876543210.jpg",
      ])
    #expect(files.map(\.type) == ["image/webp", "image/jpeg", "image/jpeg"])
    #expect(files.map(\.bytes) == [1, 4, 7])
    #expect(files.map { "\($0.width) \($0.height)" } == ["2 3", "2 3", "5 6"])
    #expect(files.map(\.sha256) == ["f0", nil, nil])
    #expect(line.serviceURLs == ["v", "w", "x"])
    #expect(CatalogLine(Array("{".utf8)) == nil)
    for (status, isShown) in [("ok", true), ("stale", true), ("failed", false)] {
      #expect(CatalogLine(["status": .string(status)] as JSONValue).isShown == isShown)
    }
    let bare = CatalogLine([:] as JSONValue)
    #expect(!bare.isShown && bare.id == nil && bare.url == nil && bare.error == nil)
    #expect(bare.files(Self.formats)?.isEmpty == true && bare.serviceURLs == [])
  }

  private static let formats = [
    CatalogFormat(type: "image/webp", fileExtension: "webp", recipe: "0123456789abcdef"),
    CatalogFormat(type: "image/avif"),
    CatalogFormat(type: "image/jpeg", fileExtension: "jpg", recipe: "fedcba9876543210"),
  ]

  /// Of a file without a name nothing is known: a member is missing, or the catalog has no such format.
  @Test(arguments: [
    ("\"width\"", "\"x\""), ("\"height\"", "\"x\""), ("\"source\"", "\"x\""), ("[1]", "[\"1\"]"),
    ("[1]", "[1,2]"), ("[1]", "[1,null,3,null]"),
  ])
  func aFileHasAName(_ text: String, _ replacement: String) {
    let line = #"{"source":"\#(Self.digest)","variants":[{"width":2,"height":3,"bytes":[1]}]}"#
    #expect(CatalogLine(Array(line.utf8))?.files(Self.formats)?.count == 1)
    let other = line.replacing(text, with: replacement)
    #expect(CatalogLine(Array(other.utf8))?.files(Self.formats) == nil)
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
      ), (TesseraError(SystemError.notAFile("f")), false, "\"f\" is not a regular file"),
    ] as [(TesseraError, Bool, String)])
  func errorsSayWhatToDo(_ error: TesseraError, _ isBusy: Bool, _ text: String) {
    #expect(error.isBusy == isBusy)
    #expect("\(error)" == text)
  }
}
