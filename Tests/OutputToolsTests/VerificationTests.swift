import Foundation
import Synchronization
import TesseraManifest
import TesseraOutput
import TesseraState
import TesseraTestSupport
import Testing

@testable import tessera

/// What `verify` reports of a whole output, and what it deletes.
@Suite struct VerificationTests {
  private let small: SmallOutput
  private static let access = DeliveryAccess(concurrency: 1, timeout: .seconds(1), allow: [])

  init() throws { small = try SmallOutput() }

  private func verify(isDeep: Bool = false, removes: Bool = false) async throws -> VerifyReport {
    let found = Mutex<[String]>([])
    let report = try await Verification(
      small.root, isDeep: isDeep, removesBroken: removes, access: Self.access
    ).run { problem in found.withLock { $0.append("\(problem)") } }
    // Each problem is reported as soon as it is found.
    #expect(found.withLock { $0 } == report.problems.map { "\($0)" })
    return report
  }

  /// The problems, one a line.
  private static func text(_ report: VerifyReport) -> String {
    report.problems.map { "\($0.id) \($0.path): \($0.reason)" }.joined(separator: "\n")
  }

  private func grey() throws -> SmallOutput.Made {
    try small.make(try Places.bytes("grey.png"), width: 120, height: 80)
  }

  private func pixel() throws -> SmallOutput.Made {
    try small.make(try Places.bytes("one-pixel.png"), width: 1, height: 1)
  }

  @Test func anOutputWithoutProblems() async throws {
    try await small.publish(
      [
        SmallOutput.line("a", [try grey()]), SmallOutput.line("b", [try pixel()]),
        SmallOutput.line("c", status: "failed"),
      ],
      screens: [SmallOutput.feed], now: 1)
    try await small.publish(
      [SmallOutput.line("a", [try grey()])], screens: [SmallOutput.feed], now: 2)
    for isDeep in [false, true] {
      let report = try await verify(isDeep: isDeep)
      #expect(Self.text(report) == "")
      // The first document of a screen is a file, too.
      #expect((report.images, report.files, report.problemCount, report.removed) == (1, 2, 0, 0))
      // Neither a state nor the catalog says what was published.
      #expect(report.withoutDigest == (isDeep ? 1 : 0))
    }
  }

  /// They are counted: a catalog without files of its own was not checked.
  @Test func filesOfAServiceAreNotRequested() async throws {
    let url = "https://images.example/resize/a"
    let line = SmallOutput.line("a").replacing(
      #""variants":[]"#, with: #""variants":[\#(SmallOutput.variant(url: url))]"#)
    try await small.publish([line])
    let report = try await verify()
    #expect((report.images, report.files, report.served, report.problemCount) == (1, 0, 1, 0))
  }

  @Test func eachFileOfEachImageIsChecked() async throws {
    let (good, pixel) = (try grey(), try pixel())
    var (wrong, missing) = (good, pixel)
    wrong.height = 81
    try small.output.write(wrong.path, Places.bytes("grey.png"))
    (missing.width, missing.height, missing.source) = (2, 2, good.source)
    try await small.publish([
      SmallOutput.line("a", [good, wrong, missing]), SmallOutput.line("b", [pixel]),
      #"{"id":"c","status":"ok","variants":[{"width":1,"height":1,"bytes":[1]}]}"#,
      SmallOutput.line("d", [missing]),
    ])
    let report = try await verify()
    #expect(
      Self.text(report) == """
        a \(wrong.path): has 120 x 80 pixels instead of 120 x 81
        a \(missing.path): is missing
        c : has a malformed catalog entry
        d \(missing.path): is missing
        """)
    #expect((report.images, report.files, report.problemCount, report.removed) == (4, 5, 4, 0))
    #expect(small.has(good.path))
  }

  /// A file that looks right, but has other bytes, is found by the digest in the state, or in a catalog of the full profile.
  @Test(arguments: [true, false])
  func aDeepCheckComparesWithWhatWasPublished(_ isInState: Bool) async throws {
    let good = try grey()
    let digest = SmallOutput.row([good.type: "\"\(good.sha256)\""])
    let line = SmallOutput.line("a", [good])
    if isInState {
      try await small.publish([line])
      try await SmallState.write(
        [.init(id: "a", line: line, url: "u")], to: try small.statePath, files: [good])
    } else {
      try await small.publish([line.replacing("]}],", with: "],\"sha256\":\(digest)}],")])
    }
    var report = try await verify(isDeep: true)
    #expect((Self.text(report), report.withoutDigest) == ("", 0))
    var bytes = try Places.bytes("grey.png")
    bytes[bytes.count - 20] ^= 1
    try small.output.write(good.path, bytes)
    #expect(Self.text(try await verify()) == "")
    report = try await verify(isDeep: true)
    #expect(Self.text(report) == "a \(good.path): has other content than was published")
    #expect(report.withoutDigest == 0)
    #expect(try await verify(isDeep: true, removes: true).removed == 1)
  }

  /// Broken files are deleted, and the next run looks for the files of their images.
  @Test func brokenFilesAreRemoved() async throws {
    var (good, pixel) = (try grey(), try pixel())
    var broken = good
    broken.width = 119
    try small.write("not an image", to: broken.path)
    var (outside, link) = (pixel, pixel)
    // A path that leads out of the output.
    outside.source = "..../../outside"
    let mine = try #require(outside.path.split(separator: "/").last.map(String.init))
    for path in ["..../mine", mine] { try small.folder.write("mine", to: path) }
    try #require(try small.text(outside.path) == "mine")
    link.source = String(repeating: "0", count: 32)
    let name = String(link.path.dropFirst("variants/00/".count))
    try small.folder.write("mine", to: "elsewhere/\(name)")
    try FileManager.default.createSymbolicLink(
      atPath: "\(small.root)/variants/00", withDestinationPath: small.folder.path("elsewhere"))
    try await small.publish([
      SmallOutput.line("a", [good, broken]), SmallOutput.line("b", [pixel]),
      SmallOutput.line("c", [outside]), SmallOutput.line("d", [link]),
    ])
    let shard = try small.workspace.part(try #require(Shard(0, of: 2)))
    let states = [try small.statePath, try shard.statePath()]
    for state in states {
      #expect(try await Self.settings(Self.ids, in: state) == Self.ids)
    }
    let report = try await verify(removes: true)
    #expect((report.problemCount, report.removed) == (3, 1))
    #expect(!small.has(broken.path) && small.has(good.path) && small.has(pixel.path))
    #expect(try small.folder.text(mine) == "mine")
    #expect(try small.folder.text("elsewhere/\(name)") == "mine")
    for state in states { #expect(try await Self.settings([], in: state) == ["b"]) }
    // Now it is missing, which is a problem, and nothing to remove.
    let again = try await verify(removes: true)
    #expect((again.problemCount, again.removed) == (3, 0))
    (good.height, pixel.width) = (1, 2)
    try small.output.write(good.path, Places.bytes("grey.png"))
    try small.output.write(pixel.path, Places.bytes("one-pixel.png"))
    try await small.publish([SmallOutput.line("a", [good]), SmallOutput.line("b", [pixel])])
    #expect(try await verify(removes: true).removed == 2)
    #expect(!small.has(good.path) && !small.has(pixel.path))
  }

  @Test func tablesAreChecked() async throws {
    let digest = String(repeating: "a", count: 32)
    let (path, index) = ("tables/aa/\(digest)-8x8.webp", "tables/aa/\(digest).json")
    let rest = #""width":8,"height":8,"count":1,"sha256":"","#
    func table(_ file: String) -> String {
      #"[{"scale":1,"pixels":"webp","files":[{"path":"\#(file)","prefix":"",\#(rest)"bytes":3,"#
        + #""index":"\#(index)"},{"path":"\#(file)x","prefix":"",\#(rest)"bytes":4}]}]"#
    }
    let tables = #"{"b":\#(table(path)),"a":\#(table(path.replacing("8x8", with: "9x9")))}"#
    try await small.publish(
      [], head: SmallOutput.head(#""slots":{},"scales":[1],"tables":\#(tables)"#))
    for (name, text) in [(path, "abc"), (index, "abc")] { try small.write(text, to: name) }
    let report = try await verify(removes: true)
    // The slots in alphabetical order.
    let small = path.replacing("8x8", with: "9x9")
    #expect(
      Self.text(report) == """
         \(small): is missing
         \(index): has other content than its name says
         \(small)x: is missing
         \(path): is not a recognized image
         \(index): is missing
         \(path)x: is missing
        """)
    #expect((report.files, report.problemCount) == (6, 6))
    #expect(!self.small.has(path) && !self.small.has(index))
  }

  private static let ids = ["a", "b", "c", "d"]

  /// Gives items results that the next run may use again, and returns the ids of all items that have one.
  private static func settings(_ ids: [String], in path: String) async throws -> [String] {
    let state = try StateStore(path: path)
    if !ids.isEmpty {
      let run = try await state.beginRun(boot: "")
      _ = try await state.claim(
        ids.map { .init(id: $0, line: 1, entry: "e") }, run: run)
      for id in ids {
        var change = StateStore.SourceChange()
        change.source = SourceRecord(
          content: "c",
          confirmation: .init(
            etag: nil, lastModified: nil, checked: 1, freshUntil: nil, run: run))
        try await state.save(
          .init(
            id: id, line: "{}", status: "ok", reasons: [],
            inputs: .init(settings: "s", entry: "e", source: id)), change, key: id, url: id)
      }
      try await state.commit()
    }
    let found = try await state.lookUpLines(
      Self.ids.map { .init($0, source: $0, url: $0) })
    return zip(Self.ids, found).filter { $1.line != nil }.map(\.0)
  }

  /// What is not an output stays as it is.
  @Test(arguments: [false, true])
  func withoutACatalogNothingIsCreated(_ removes: Bool) async throws {
    let folder = try TemporaryFolder()
    let text = await sentence {
      try await Verification(
        folder.url.path, isDeep: false, removesBroken: removes, access: Self.access
      ).run { _ in }
    }
    #expect(
      text == "\"\(folder.url.path)\" holds no catalog.json; it must be the output of a run")
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.url.path).isEmpty)
  }

  @Test func anAlteredCatalogAndADuplicateAreProblems() async throws {
    let lines = ["a", "b", "c", "b", "b", "a"].map { SmallOutput.line($0) }
    try await small.publish(lines)
    #expect(
      Self.text(try await verify()) == """
        a catalog.json: has this image 2 times
        b catalog.json: has this image 3 times
        """)
    let text = try small.text("catalog.json")
    try small.write(text.replacing(#""id":"c""#, with: #""id":"d""#), to: "catalog.json")
    #expect(
      Self.text(try await verify()) == """
         catalog.json: was altered after it was written
        a catalog.json: has this image 2 times
        b catalog.json: has this image 3 times
        """)
  }

  @Test func keptCatalogsHaveTheSizeThatTheListSays() async throws {
    for (time, id) in ["a", "b", "c"].enumerated() {
      try await small.publish([SmallOutput.line(id)], now: Double(time))
    }
    let kept = small.folder.files(below: "out/.tessera/catalogs").filter { $0 != "list.json" }
    try #require(kept.count == 2)
    #expect(Self.text(try await verify()) == "")
    // One that was removed by hand is not a problem.
    try small.remove(".tessera/catalogs/\(kept[0])")
    let path = ".tessera/catalogs/\(kept[1])"
    let size = try small.text(path).utf8.count
    try small.write("{}", to: path)
    #expect(
      Self.text(try await verify())
        == " \(path): has 2 bytes, and the list of kept catalogs says \(size)")
  }
}
