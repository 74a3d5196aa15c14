import Foundation
import Glibc
import TesseraCatalog
import TesseraTestSupport
import Testing

/// Outputs whose parts do not agree, and tools that change what they only have to read.
@Suite struct OutputFaultTests {
  private static let slots = "slots: {a: {size: 8x8}}"

  private static func fixture(_ keys: String = "") throws -> RunFixture {
    try RunFixture(
      manifest: "",
      keys: "fetch: {allow: \"files:\(Places.fixtures.path)\", retries: 0}\nworkers: 1\n\(keys)",
      slots: slots)
  }

  private static func run(_ fixture: RunFixture, _ names: [String]) async throws {
    let lines = names.map {
      #"{"id":"\#($0)","url":"file://\#(Places.fixtures.path)/\#($0)"}"# + "\n"
    }
    try fixture.folder.write(lines.joined(), to: "manifest")
    let result = try await fixture.run("--allow-shrink")
    #expect(result.status == 0, "\(result.errors)")
  }

  private static let screen = "catalog: {screens: {feed: {slots: [a], first: 1, part: 10}}}"

  /// R2: each call of a rollback that changes the disk fails: the catalog and the first document of its screen stay those of
  /// one catalog, the old one or the new one.
  @Test(.faults(.r2)) func aRollbackThatFailsLeavesCatalogAndScreenOfOne() async throws {
    let begun = try Self.fixture(Self.screen)
    try await Self.run(begun, ["plain.jpg", "grey.png"])
    try await Self.run(begun, ["plain.jpg", "one-pixel.png"])
    let folder = try TemporaryFolder()
    let shim = try await Shim(in: folder, for: "")
    @Sendable func copy() throws -> (run: RunFixture, shim: Shim) {
      let fixture = try Self.fixture(Self.screen)
      let out = fixture.folder.path("out")
      try FileManager.default.copyItem(atPath: begun.folder.path("out"), toPath: out)
      return (fixture, shim.with(root: out, image: fixture.folder.path("image")))
    }
    let undisturbed = try copy()
    let count = try await undisturbed.shim.count("change") { environment in
      let result = try await Tool.tessera(
        "rollback", undisturbed.run.folder.path("out"), environment: environment)
      #expect(result.status == 0, "\(result.errors)")
    }
    #expect(count > 10)
    try await forEach(tried(of: Array(1...count)), atATime: 2) { number in
      let (fixture, shim) = try copy()
      let out = fixture.folder.path("out")
      // The remedy may need what has just failed; once is what a full disk that is cleared looks like.
      let failed = try await Tool.tessera(
        "rollback", out, environment: shim.failing("change", "\(ENOSPC)", at: number, count: 1))
      #expect([0, 2].contains(failed.status), "\(number): \(failed.errors)")
      let digest = try fixture.catalog.digest
      let first = try Catalog(reading: fixture.folder.read("out/screens/feed/first.json"))
      #expect(digest != nil && digest == first.catalogDigest, "\(number): \(failed.errors)")
      let verified = try await Tool.tessera("verify", out)
      #expect(verified.status == 0, "\(number): \(verified.output)")
    }
  }

  /// A screen of another catalog, an id that two images have, and a count that is wrong.
  @Test(.faults(.r2)) func verifyFindsPartsThatDoNotAgree() async throws {
    let fixture = try Self.fixture(Self.screen)
    try await Self.run(fixture, ["plain.jpg", "grey.png"])
    let first = try fixture.folder.text("out/screens/feed/first.json")
    let catalog = try fixture.catalogText
    try await Self.run(fixture, ["plain.jpg", "grey.png", "one-pixel.png"])
    let out = fixture.folder.path("out")
    #expect(try await Tool.tessera("verify", out).status == 0)
    try fixture.folder.write(first, to: "out/screens/feed/first.json")
    let other = try await Tool.tessera("verify", out)
    #expect(other.status == 1)
    #expect(
      other.output.contains(
        "screens/feed/first.json belongs to another catalog than the current one"),
      "\(other.output)")
    // One image in the place of the other, as another program may leave it.
    let twice = catalog.replacing("\"id\":\"grey.png\"", with: "\"id\":\"plain.jpg\"")
    try fixture.folder.write(twice, to: "out/catalog.json")
    let repeated = try await Tool.tessera("verify", out, "--json")
    #expect(repeated.status == 1, "\(repeated.errors)\(repeated.output)")
    #expect(repeated.output.contains("has this image 2 times"), "\(repeated.output)")
    // A count that differs is an error of the catalog itself.
    try fixture.folder.write(
      catalog.replacing("\"count\":2", with: "\"count\":3"), to: "out/catalog.json")
    let short = try await Tool.tessera("verify", out)
    #expect(short.status == 2 && short.errors.contains("2 of its 3 images"), "\(short.errors)")
  }

  /// R3: a file that was named again after `prune` had seen it unnamed waits for the whole time again.
  @Test(.faults(.r3)) func aNoteDoesNotOutliveANewNaming() async throws {
    let fixture = try Self.fixture("keep-catalogs: 0")
    let out = fixture.folder.path("out")
    let both = ["plain.jpg", "grey.png"]
    try await Self.run(fixture, both)
    try await Self.run(fixture, ["grey.png"])
    #expect(try await Tool.tessera("prune", out).status == 0)
    try await Self.run(fixture, both)
    try await Self.run(fixture, ["grey.png"])
    let files = fixture.folder.files(below: "out/variants").count
    let library = try await Shim.build("clock", in: fixture.folder)
    func prune(daysAhead days: Int) async throws -> Int {
      let result = try await Tool.tessera(
        "prune", out, environment: ["LD_PRELOAD": library, "SHIM_SHIFT": "\(days * 86_400)"])
      #expect(result.status == 0, "\(result.errors)")
      return fixture.folder.files(below: "out/variants").count
    }
    #expect(try await prune(daysAhead: 8) == files)
    #expect(try await prune(daysAhead: 16) < files)
  }

  /// A state of another version is set aside by a run, whose files keep their names; tools that read leave it as it is.
  @Test func aStateOfAnEarlierVersionIsSetAsideByARun() async throws {
    let fixture = try Self.fixture()
    try await Self.run(fixture, ["plain.jpg", "grey.png"])
    let state = fixture.folder.path("out/.tessera/state.sqlite")
    let program = """
      import sqlite3, sys
      state = sqlite3.connect(sys.argv[1])
      state.execute("DROP TABLE former")
      state.execute("PRAGMA user_version = 12")
      state.commit()
      state.execute("PRAGMA wal_checkpoint(TRUNCATE)")
      """
    let earlier = try await Tool.run("/usr/bin/python3", ["-c", program, state])
    #expect(earlier.status == 0, "\(earlier.errors)")
    let before = try Data(contentsOf: URL(filePath: state))
    let files = fixture.folder.files(below: "out/variants").sorted()
    let why = try await Tool.tessera("why", fixture.folder.path("out"), "plain.jpg")
    #expect(why.status == 2 && why.errors.contains("another version of tessera wrote it"))
    #expect(why.errors.contains("run the pipeline, which sets it aside"), "\(why.errors)")
    #expect(try Data(contentsOf: URL(filePath: state)) == before)
    let run = try await fixture.run()
    #expect(run.status == 0 && run.errors.contains("it was set aside as"), "\(run.errors)")
    #expect(fixture.folder.files(below: "out/variants").sorted() == files)
  }
}
