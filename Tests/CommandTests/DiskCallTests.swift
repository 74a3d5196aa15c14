import Foundation
import Synchronization
import TesseraTestSupport
import Testing

/// A kill or an error at every single system call that changes the disk, SQLite's own included (F1,
/// F2, F5, F16).
@Suite(.serialized) struct DiskCallTests {
  /// An output and a manifest, and the result of an undisturbed run over both. The sources are files,
  /// so that a run takes some tens of milliseconds.
  private struct Scenario {
    let folder: TemporaryFolder
    let shim: Shim
    private let manifest: String
    private let keys: String
    /// The finished output of an earlier run; nil if there was none.
    private let earlier: String?
    /// The catalog that stands before the run.
    private(set) var before: String?
    /// The catalog that an undisturbed run makes, and the names of everything in the output.
    private(set) var after = ""
    private(set) var names: [String] = []

    /// - Parameter isFirst: whether no run was before. Otherwise one source is changed since, one is
    ///   added, and one is dropped.
    init(isFirst: Bool) async throws {
      folder = try TemporaryFolder()
      shim = try await Shim(in: folder, for: "")
      keys = """
        scales: [1]
        workers: 1
        fetch: {allow: "files:\(folder.url.path)", concurrency: 1, cache: 1MB}
        tables: {a: {pixels: [bgra8, webp]}}
        """
      let folder = folder
      func lines(_ names: [String]) -> String {
        names.map { #"{"id":"\#($0)","url":"file://\#(folder.path($0))"}"# + "\n" }
          .joined()
      }
      for (name, fixture) in [("a", "one-pixel.png"), ("b", "lossy.webp"), ("c", "grey.png")] {
        try Data(Places.bytes(fixture)).write(to: folder.url.appending(path: name))
      }
      if isFirst {
        earlier = nil
        manifest = lines(["a", "b"])
      } else {
        let first = try RunFixture(manifest: lines(["a", "b"]), keys: keys, slots: Self.slots)
        try #require(try await first.run().status == 0)
        before = try first.catalogText
        earlier = folder.path("earlier")
        try FileManager.default.copyItem(
          atPath: first.folder.path("out"), toPath: folder.path("earlier"))
        try Data(Places.bytes("palette-transparent.png"))
          .write(to: folder.url.appending(path: "a"))
        manifest = lines(["a", "c"])
      }
      let undisturbed = try fixture().run
      try #require(try await undisturbed.run().status == 0)
      after = try undisturbed.catalogText
      names = Self.names(undisturbed)
    }

    private static let slots = "slots: {a: {size: 8x8}}"

    func fixture() throws -> (run: RunFixture, shim: Shim) {
      let fixture = try RunFixture(manifest: manifest, keys: keys, slots: Self.slots)
      let output = fixture.folder.path("out")
      if let earlier { try FileManager.default.copyItem(atPath: earlier, toPath: output) }
      return (fixture, shim.with(root: output, image: fixture.folder.path("image")))
    }

    /// Files and folders of the output.
    static func names(_ fixture: RunFixture) -> [String] {
      (FileManager.default.subpaths(atPath: fixture.folder.path("out")) ?? []).sorted()
    }

    /// How many calls an undisturbed run makes.
    func count(_ calls: String) async throws -> Int {
      let (fixture, shim) = try fixture()
      return try await shim.count(calls) { environment in
        let status = try await fixture.run(environment: environment).status
        #expect(status == 0)
      }
    }
  }

  /// Kills before every call, in a first run and in one over changes. The next run has the catalog of
  /// an undisturbed one, and nothing is left over.
  @Test(.faults(.f5), arguments: [true, false])
  func aKillBeforeAnyCallLeavesNothing(isFirst: Bool) async throws {
    let scenario = try await Scenario(isFirst: isFirst)
    let count = try await scenario.count("change")
    // Lock, state, spool, variant, cache, catalog, report: with fewer, the shim misses calls.
    #expect((60...400).contains(count), "\(count)")
    let finished = Mutex(0)
    let numbers = tried(of: Array(1...count))
    try await forEach(numbers, atATime: 2) { number in
      let (fixture, shim) = try scenario.fixture()
      let killed = try await fixture.run(environment: shim.killing("change", at: number))
      // How many records one commit takes depends on time, so a run may end before the last call.
      #expect([0, 137].contains(killed.status), "\(number): \(killed.status) \(killed.errors)")
      if killed.status == 0 { finished.withLock { $0 += 1 } }
      // What the list of earlier catalogs names is whole at any time.
      let listed = Self.kept(fixture)
      #expect(listed.isEmpty || listed == [scenario.before], "\(number)")
      let again = try await fixture.run()
      #expect(again.status == 0 && again.errors.isEmpty, "\(number): \(again.errors)")
      let catalog = try fixture.catalogText
      #expect(catalog == scenario.after, "\(number)")
      let names = Scenario.names(fixture)
      #expect(names == scenario.names, "\(number)")
      let kept = Self.kept(fixture)
      #expect(kept == (isFirst ? [] : [scenario.before]), "\(number)")
    }
    let unharmed = finished.withLock(\.self)
    #expect(unharmed * 10 <= max(numbers.count, 20), "\(unharmed) of \(numbers)")
  }

  /// The catalogs that the list of earlier ones names.
  private static func kept(_ fixture: RunFixture) -> [String?] {
    guard let list = try? fixture.folder.text("out/.tessera/catalogs/list.json") else { return [] }
    return list.matches(of: /"path": "([^"]+)"/).map {
      try? fixture.folder.text("out/\($0.output.1)")
    }
  }

  /// Every call fails once. The run goes on and has the right result, or ends with the call's error:
  /// the state is not blamed, the catalog is the old or the new one, and the next run is whole.
  @Test(
    .faults(.f1, .f2, .f16, .r1),
    arguments: [
      ("change", "\(EIO)"), ("write,copy,truncate,allocate,create,mkdir", "\(ENOSPC)"),
      ("write,copy", "\(EDQUOT)"), ("write,copy", "short"), ("write,sync,create", "\(EINTR)"),
    ])
  func aFailingCallIsReportedAsWhatItIs(_ calls: String, _ error: String) async throws {
    let scenario = try await Scenario(isFirst: false)
    let count = try await scenario.count(calls)
    try await forEach(tried(of: Array(1...count)), atATime: 2) { number in
      let (fixture, shim) = try scenario.fixture()
      let failed = try await fixture.run(
        environment: shim.failing(calls, error, at: number, count: 1))
      let sentence = failed.errors
      // With status 1 the catalog was replaced, and something after it could not be written.
      let written =
        "warning: the catalog was written, but the run could not be completed: "
      let isWritten = sentence.hasPrefix(written)
      #expect(
        [0, isWritten ? 1 : 2].contains(failed.status), "\(number): \(failed.status) \(sentence)")
      #expect(
        failed.status == 0
          || Self.names(error, sentence.replacing(written, with: "tessera: "), fixture),
        "\(number): \(sentence)")
      #expect(!sentence.contains("set aside"), "\(number): \(sentence)")
      var found = try fixture.catalogText
      #expect(
        found == scenario.after || (failed.status == 2 && found == scenario.before), "\(number)")
      #expect(!isWritten || found == scenario.after, "\(number)")
      if failed.status == 0, Self.isWhole(fixture, scenario) { return }
      let again = try await fixture.run()
      #expect(again.status == 0 && again.errors.isEmpty, "\(number): \(again.errors)")
      found = try fixture.catalogText
      #expect(found == scenario.after, "\(number)")
      #expect(Self.isWhole(fixture, scenario), "\(number): \(Scenario.names(fixture))")
    }
  }

  /// Whether the output has the names of an undisturbed run's, apart from cached sources: a run does
  /// not fail because a source can't be cached.
  private static func isWhole(_ fixture: RunFixture, _ scenario: Scenario) -> Bool {
    let cache = ".tessera/cache"
    return Scenario.names(fixture).filter { !$0.hasPrefix(cache) }
      == scenario.names.filter { !$0.hasPrefix(cache) }
  }

  /// Whether one sentence names a file of the output and the error. SQLite has its own words, where it
  /// does not say what the system said.
  private static func names(
    _ error: String, _ sentence: String, _ fixture: RunFixture
  ) -> Bool {
    let reasons = [
      "disk is full", "readonly database", "unable to open database file",
      Int32(error).map { String(cString: strerror($0)) } ?? error,
    ]
    return sentence.hasPrefix("tessera: ") && sentence.filter { $0 == "\n" }.count == 1
      && sentence.contains("\"" + fixture.folder.path("out"))
      && reasons.contains { sentence.contains($0) } && sentence.hasSuffix(", and run again\n")
  }
}
