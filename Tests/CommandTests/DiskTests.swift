import Foundation
import TesseraTestSupport
import Testing

/// A disk that fails, a folder that loses its permissions, and a machine that stops (F2, F3, F6).
@Suite struct DiskTests {
  /// A finished output, a change to its manifest, and what a run makes of both.
  private struct Scene {
    let nginx: Nginx
    let folder: TemporaryFolder
    let shim: Shim
    let begun: Workshop
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
      begun = try Workshop(manifest: before, keys: Self.keys, slots: Self.slots)
      let first = shim.with(root: begun.folder.path("out"), image: folder.path("image"))
      #expect(try await begun.run(environment: try first.booted("first")).status == 0)
      let undisturbed = try Self.copy(begun, manifest: before)
      try undisturbed.folder.write(manifest, to: "manifest")
      #expect(try await undisturbed.run().status == 0)
      expected = try Self.result(undisturbed)
    }

    /// An output that is to be changed.
    func workshop() throws -> (Workshop, Shim) {
      let workshop = try Self.copy(begun, manifest: manifest)
      let shim = shim.with(
        root: workshop.folder.path("out"), image: workshop.folder.path("image"))
      return (workshop, shim)
    }

    private static func copy(_ workshop: Workshop, manifest: String) throws -> Workshop {
      let copy = try Workshop(manifest: manifest, keys: keys, slots: slots)
      try FileManager.default.copyItem(
        atPath: workshop.folder.path("out"), toPath: copy.folder.path("out"))
      return copy
    }

    /// The catalog, and the names of all files, which are made of their contents.
    static func result(_ workshop: Workshop) throws -> [String] {
      [try workshop.catalogText] + workshop.folder.files(below: "out/variants").sorted()
    }
  }

  /// Does some things three at a time, as most of it is waiting.
  private static func forEach<Case: Sendable>(
    _ cases: [Case], _ body: @escaping @Sendable (Case) async throws -> Void
  ) async throws {
    try await withThrowingTaskGroup(of: Void.self) { group in
      for (index, one) in cases.enumerated() {
        if index >= 3 { try await group.next() }
        group.addTask { try await body(one) }
      }
      try await group.waitForAll()
    }
  }

  /// Killed after every effect, together with the machine: whatever else has reached the disk, the catalog on it
  /// names only files that are whole, and the next run makes what an undisturbed one makes.
  @Test func aPowerCutAtAnyEffectLosesNothingThatWasTold() async throws {
    let scene = try await Scene()
    let (counted, _) = try scene.workshop()
    var effects = 0
    // Twice as many at a time, until the run is no longer killed: the exact number does not matter.
    while try await counted.run(environment: ["TESSERA_KILL_AFTER_EFFECT": "\(effects + 8)"]).status
      != 0
    { effects += 8 }
    #expect(effects >= 16)
    let cases = (1...effects + 8).flatMap { effect in
      Shim.Survival.allCases.map { (effect, $0) }
    }
    try await Self.forEach(cases) { effect, survival in
      let (workshop, shim) = try scene.workshop()
      var environment = try shim.remembering(boot: "first")
      environment["TESSERA_KILL_AFTER_EFFECT"] = "\(effect)"
      _ = try await workshop.run(environment: environment)
      try shim.cutPower(survival)
      // What was told before the cut, or what is told now: either is true.
      let told = try await Tool.tessera("verify", "--deep", workshop.folder.path("out"))
      #expect(told.status == 0, "\(effect) \(survival): \(told.output)\(told.errors)")
      let again = try await workshop.run(environment: try shim.booted("second"))
      #expect(again.status == 0, "\(effect) \(survival): \(again.errors)")
      let result = try Scene.result(workshop)
      #expect(result == scene.expected, "\(effect) \(survival)")
      try await workshop.expectWhole()
    }
    await scene.nginx.stop()
  }

  /// Each kind of call fails once, or from some moment on: the run says so and stops, with the last good catalog in its
  /// place, or does without; the next run makes everything.
  @Test func aCallThatFailsIsNoPicturesFault() async throws {
    let scene = try await Scene()
    let kinds = [
      ("write", EIO), ("write", EDQUOT), ("write", ENOSPC), ("sync", EIO), ("rename", EACCES),
      ("open", EACCES), ("unlink", EACCES), ("open,rename,unlink,mkdir", EACCES),
    ]
    let cases = kinds.flatMap { calls, code in
      [1, 3, 8, 20].flatMap { first in [1, 0].map { (calls, code, first, $0) } }
    }
    try await Self.forEach(cases) { calls, code, first, count in
      let name = "\(calls) \(code) \(first) \(count)"
      let (workshop, shim) = try scene.workshop()
      let text = try workshop.catalogText
      let failed = try await workshop.run(
        environment: shim.failing(calls, "\(code)", at: first, count: count))
      #expect([0, 2].contains(failed.status), "\(name): \(failed.status) \(failed.errors)")
      let told = try workshop.catalogText
      if failed.status == 0 {
        #expect(told == scene.expected[0], "\(name)")
      } else {
        #expect(told == text || told == scene.expected[0], "\(name)")
        #expect(failed.errors.contains("out"), "\(name): \(failed.errors)")
      }
      let again = try await workshop.run()
      #expect(again.status == 0, "\(name): \(again.errors)")
      let result = try Scene.result(workshop)
      #expect(result == scene.expected, "\(name)")
      try await workshop.expectWhole()
    }
    await scene.nginx.stop()
  }

  /// Calls that do a part, or are interrupted, are gone on with.
  @Test(arguments: ["short", "interrupt"])
  func aPartIsGoneOnWith(_ error: String) async throws {
    let scene = try await Scene()
    let (workshop, shim) = try scene.workshop()
    let result = try await workshop.run(
      environment: shim.failing("write,open", error, at: 1, count: 0))
    #expect(result.status == 0, "\(result.errors)")
    let made = try Scene.result(workshop)
    #expect(made == scene.expected)
    try await workshop.expectWhole()
    await scene.nginx.stop()
  }
}
