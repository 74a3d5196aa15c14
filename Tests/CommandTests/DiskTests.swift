import Foundation
import TesseraTestSupport
import Testing

/// Disk errors, lost permissions and power cuts (F2, F3, F6).
@Suite struct DiskTests {
  /// A finished output, a changed manifest, and the result of an undisturbed run over both.
  private struct Scenario {
    let nginx: Nginx
    let folder: TemporaryFolder
    let shim: Shim
    let initial: RunFixture
    let before: String
    let manifest: String
    let expected: [String]

    static let keys = "fetch: {allow: loopback, retries: 0, cache: 1MB}"
    static let slots = "slots: {a: {size: 24x24}}"

    init() async throws {
      nginx = try await Nginx(serving: Places.fixtures)
      let lines = ["one-pixel.png", "grey.png", "plain.jpg"].map { [nginx] name in
        #"{"id":"\#(name.prefix(3))","url":"\#(nginx.url("/\(name)"))"}"# + "\n"
      }
      before = lines.dropLast().joined()
      manifest = lines.joined()
      folder = try TemporaryFolder()
      shim = try await Shim(in: folder, for: "")
      initial = try RunFixture(manifest: before, keys: Self.keys, slots: Self.slots)
      let first = shim.with(root: initial.folder.path("out"), image: folder.path("image"))
      #expect(try await initial.run(environment: try first.booted("first")).status == 0)
      let undisturbed = try Self.copy(initial, manifest: before)
      try undisturbed.folder.write(manifest, to: "manifest")
      #expect(try await undisturbed.run().status == 0)
      expected = try Self.result(undisturbed)
    }

    /// A copy of the output, with the changed manifest.
    func fixture() throws -> (RunFixture, Shim) {
      let fixture = try Self.copy(initial, manifest: manifest)
      let shim = shim.with(
        root: fixture.folder.path("out"), image: fixture.folder.path("image"))
      return (fixture, shim)
    }

    private static func copy(_ fixture: RunFixture, manifest: String) throws -> RunFixture {
      let copy = try RunFixture(manifest: manifest, keys: keys, slots: slots)
      try FileManager.default.copyItem(
        atPath: fixture.folder.path("out"), toPath: copy.folder.path("out"))
      return copy
    }

    /// The catalog and the names of all files, which contain the digests of their contents.
    static func result(_ fixture: RunFixture) throws -> [String] {
      [try fixture.catalogText] + fixture.folder.files(below: "out/variants").sorted()
    }
  }

  /// The calls between which it makes a difference when the power is cut: a write that is not synced
  /// is lost, or is zeros.
  private static let boundaries = "sync,rename,link,unlink"

  /// The machine stops before each such call of a run. Whatever has reached the disk, the catalog
  /// names only complete files, and the next run has the result of an undisturbed one.
  @Test(.faults(.f6)) func powerCutBeforeAnyCallKeepsTheCatalogTrue() async throws {
    let scenario = try await Scenario()
    let (counted, counting) = try scenario.fixture()
    let count = try await counting.count(Self.boundaries) { environment in
      let status = try await counted.run(environment: environment).status
      #expect(status == 0)
    }
    #expect((16...120).contains(count), "\(count)")
    let cases = (1...count + 1).flatMap { number in
      Shim.Survival.allCases.map { (number, $0) }
    }
    try await forEach(tried(of: cases), atATime: 3) { number, survival in
      let (fixture, shim) = try scenario.fixture()
      let environment = try shim.remembering(boot: "first")
        .merging(shim.killing(Self.boundaries, at: number)) { $1 }
      _ = try await fixture.run(environment: environment)
      try shim.cutPower(survival)
      // The catalog is the old or the new one, and every file that it names is complete.
      let verified = try await Tool.tessera("verify", "--deep", fixture.folder.path("out"))
      #expect(
        verified.status == 0, "\(number) \(survival): \(verified.output)\(verified.errors)")
      let again = try await fixture.run(environment: try shim.booted("second"))
      #expect(again.status == 0, "\(number) \(survival): \(again.errors)")
      let result = try Scenario.result(fixture)
      #expect(result == scenario.expected, "\(number) \(survival)")
      try await fixture.expectWhole()
    }
    await scenario.nginx.stop()
  }

  /// Each kind of call fails once, or from some call on. The run either reports the error and keeps
  /// the last good catalog, or recovers; the next run completes everything.
  @Test func failingCallsAreNotBlamedOnImages() async throws {
    let scenario = try await Scenario()
    let kinds = [
      ("write", EIO), ("write", EDQUOT), ("write", ENOSPC), ("sync", EIO), ("rename", EACCES),
      ("open", EACCES), ("unlink", EACCES), ("open,rename,unlink,mkdir", EACCES),
    ]
    let cases = kinds.flatMap { calls, code in
      [1, 3, 8, 20].flatMap { first in [1, 0].map { (calls, code, first, $0) } }
    }
    try await forEach(cases, atATime: 3) { calls, code, first, count in
      let name = "\(calls) \(code) \(first) \(count)"
      let (fixture, shim) = try scenario.fixture()
      let text = try fixture.catalogText
      let failed = try await fixture.run(
        environment: shim.failing(calls, "\(code)", at: first, count: count))
      let isWritten = failed.errors.contains("the catalog was written, but the run could not")
      #expect(
        [0, isWritten ? 1 : 2].contains(failed.status), "\(name): \(failed.status) \(failed.errors)"
      )
      let found = try fixture.catalogText
      #expect(!isWritten || found == scenario.expected[0], "\(name)")
      if failed.status == 0 {
        #expect(found == scenario.expected[0], "\(name)")
      } else {
        #expect(found == text || found == scenario.expected[0], "\(name)")
        #expect(failed.errors.contains("out"), "\(name): \(failed.errors)")
      }
      let again = try await fixture.run()
      #expect(again.status == 0, "\(name): \(again.errors)")
      let result = try Scenario.result(fixture)
      #expect(result == scenario.expected, "\(name)")
      try await fixture.expectWhole()
    }
    await scenario.nginx.stop()
  }

  /// Partial and interrupted calls are continued.
  @Test(.faults(.f2), arguments: ["short", "interrupt"])
  func partialCallsAreContinued(_ error: String) async throws {
    let scenario = try await Scenario()
    let (fixture, shim) = try scenario.fixture()
    let result = try await fixture.run(
      environment: shim.failing("write,open", error, at: 1, count: 0))
    #expect(result.status == 0, "\(result.errors)")
    let made = try Scenario.result(fixture)
    #expect(made == scenario.expected)
    try await fixture.expectWhole()
    await scenario.nginx.stop()
  }
}
