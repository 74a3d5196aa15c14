import Foundation
import TesseraTestSupport
import Testing

@testable import TesseraOutput
@testable import tessera

/// After a `forget` that was killed when it had written its marks, and while one is at work, no tool publishes the image.
@Suite struct ForgottenDocumentsTests {
  private let folder: TemporaryFolder
  private let small: SmallOutput
  private static let secret = "secret"
  private static let ids = ["a", secret, "b"]
  private static let head = SmallOutput.head(
    #""slots":{"card":{"width":8,"mode":"fit"}},"scales":[1]"#)

  init() throws {
    folder = try TemporaryFolder()
    small = try SmallOutput(folder)
  }

  private func lines(_ ids: [String], in output: SmallOutput) throws -> [String] {
    try ids.map { SmallOutput.line($0, [try output.make($0)], isCard: true) }
  }

  /// Two catalogs with the image, the current one and one that is kept, and the results of two shards.
  private func begin() async throws {
    for (time, ids) in [(100.0, Self.ids), (200, Self.ids + ["c"])] {
      try await small.publish(
        lines(ids, in: small), head: Self.head, screens: [SmallOutput.feed], changes: 3, now: time)
    }
    try writeShards(to: small)
  }

  private func writeShards(to output: SmallOutput) throws {
    for shard in 0..<2 {
      let own = Self.ids.enumerated().filter { $0.offset % 2 == shard }
      let header = ShardHeader(
        shard: shard, shards: 2, manifest: "m", pipeline: "p", libvips: "8",
        screens: [SmallOutput.feed],
        retention: CatalogRetention(count: 3, age: 1_000_000, changes: 3), lostAbove: 100,
        head: Self.head, images: own.count, counts: ["ok": own.count], problems: 0)
      var text = String(decoding: header.line, as: UTF8.self) + "\n"
      for (place, id) in own {
        let file = try output.make(id)
        let line = ShardHeader.line(
          place, SmallOutput.line(id, [file], isCard: true).utf8, sha256: [file.sha256])
        text += String(decoding: line, as: UTF8.self) + "\n"
      }
      try output.write(text, to: ShardHeader.path(shard, of: 2))
      try output.write(
        #"{"slowest":[{"id":"\#(own[0].element)","seconds":1}]}"#,
        to: ShardHeader.reportPath(shard, of: 2))
    }
  }

  private func mark(in output: SmallOutput? = nil) async throws {
    let output = output ?? small
    var marks = try await ForgottenItems.of(output.output)
    marks.add(ids: [Self.secret], requests: [])
    try await marks.write(to: output.output, output.workspace)
  }

  /// Documents below a folder that name the image.
  private func found(_ name: String) throws -> [String] {
    try folder.files(below: name).filter { path in
      guard OutputPlace.of(path) != .files else { return false }
      return try folder.read("\(name)/\(path)").range(of: Data(Self.secret.utf8)) != nil
    }
  }

  /// The next holder of the output erases what was left.
  @Test(.faults(.p9), arguments: ["merge", "merge --into", "rollback", "prune", "forget another"])
  func aKilledForgetIsObeyed(_ tool: String) async throws {
    try await begin()
    try await mark()
    #expect(try found("out").count > 4)
    switch tool {
    case "merge":
      let report = try await Merging([small.root], into: nil, shards: nil).run()
      #expect((report.images, report.counts) == (2, ["ok": 2]))
    case "merge --into":
      // New scratch disks have no marks.
      let disk = try SmallOutput(folder, name: "disk")
      try writeShards(to: disk)
      let report = try await Merging([disk.root], into: small.root, shards: nil).run()
      #expect((report.images, report.copied) == (2, 0))
    case "rollback":
      let report = try await Rollback(small.root, now: 300).run(to: 1)
      #expect(report.counts == ["ok": 2])
    case "forget another":
      _ = try await Forgetting(small.root, ids: ["a"], urls: [], now: 300).run()
    default:
      _ = try await Pruning(small.root, grace: .seconds(1), isDryRun: false, now: 300)
        .run(onDelete: { _ in })
      // It writes no document, and publishes nothing.
      return
    }
    #expect(try found("out") == [], "\(tool)")
    print("\(tool): after a killed forget, in no document")
    #expect(try small.text("catalog.json").contains("\"b\""))
  }

  /// An image that was forgotten where a shard ran leaves the earlier documents of the target, too.
  @Test(.faults(.p9)) func marksOfSourcesReachTheTarget() async throws {
    try await begin()
    let disk = try SmallOutput(folder, name: "disk")
    try writeShards(to: disk)
    try await mark(in: disk)
    let merging = Merging([disk.root], into: small.root, shards: nil)
    #expect(try await merging.run().images == 2)
    #expect(try found("out") == [])
    // It is not looked for again.
    let list = try await CatalogHistory.kept(in: small.output)
    #expect(
      try await list?.marks == LineGate(of: small.output, and: [disk.output]).digest)
    try await small.publish(lines(["a"], in: small), head: Self.head, now: 300)
    #expect(try await merging.run().images == 2)
  }

  /// Of a merged output no state knows a URL, and the lines of the catalog do.
  @Test(.faults(.p9)) func urlsOfAMergedOutputAreMarked() async throws {
    try await begin()
    _ = try await Merging([small.root], into: nil, shards: nil).run()
    _ = try await Forgetting(small.root, ids: [Self.secret], urls: [], now: 300).run()
    let marks = try await ForgottenItems.of(small.output)
    #expect(marks.has(ids: ["x"], url: "https://example.com/\(Self.secret)"))
    #expect(!marks.has(ids: ["x"], url: "https://example.com/a"))
    #expect(try found("out") == [])
  }

  /// A secret that is not shown may be all that tells two images apart.
  @Test func aURLThatOthersShowIsNotMarked() async throws {
    let url = "https://example.com/get"
    let lines = ["a", "b"].map {
      SmallOutput.line($0).replacing("https://example.com/\($0)", with: url)
    }
    try await small.publish(lines, head: Self.head)
    _ = try await Forgetting(small.root, ids: ["a"], urls: [], now: 300).run()
    #expect(try await !ForgottenItems.of(small.output).has(ids: ["x"], url: url))
    #expect(try small.text("catalog.json").contains("\"b\""))
  }

  // MARK: What is made of a catalog

  private static let exports: [CatalogExport.Form: String] = [
    .html: "page.html", .sqlite: "catalog.sqlite", .csv: "rows.csv", .jsonl: "rows.jsonl",
    .xcassets: "A.xcassets", .android: "res",
  ]

  @Test(.faults(.p9), arguments: CatalogExport.Form.allCases)
  func exportsLeaveOutWhatWasForgotten(_ form: CatalogExport.Form) async throws {
    try await begin()
    let target = folder.path("exports/\(try #require(Self.exports[form]))")
    var options = ExportOptions()
    options.replaces = true
    let export = CatalogExport(small.root, as: form, options, worker: "none")
    // Assets need a worker, and then nothing is left.
    let needsWorker = form == .xcassets || form == .android
    if needsWorker {
      _ = await sentence { try await export.write(to: target) }
    } else {
      _ = try await export.write(to: target)
      #expect(try !found("exports").isEmpty)
      try await mark()
      // One of the same catalog is not current.
      #expect(try await !export.write(to: target).isCurrent)
    }
    #expect(try found("exports") == [], "\(form)")
    print("export \(form.rawValue): after a killed forget, in no file")
  }

  @Test func theGalleryLeavesOutWhatWasForgotten() async throws {
    try await begin()
    let gallery = Gallery(small.root, limit: 10)
    #expect(try await gallery.write().images == 4)
    try await mark()
    #expect(try await gallery.write().images == 3)
    #expect(try !small.text("gallery.html").contains(Self.secret))
    print("gallery: after a killed forget, not on the page")
  }

  /// What was forgotten while a document was made of the catalog does not get its name, or loses it.
  @Test(.faults(.p9)) func whatIsForgottenMeanwhileIsNotPublished() async throws {
    try await begin()
    let before = try CatalogFile(at: small.root)
    var steps: [String] = []
    try await before.publish {
      steps.append("published")
    } orWithdraw: {
      steps.append("withdrawn")
    }
    #expect(steps == ["published"])
    let text = await sentence {
      try await before.publish {
        steps.append("published")
        try await mark()
      } orWithdraw: {
        steps.append("withdrawn")
      }
    }
    #expect(
      text
        == "images were forgotten (tessera forget) while the catalog \"\(before.path)\" was read; "
        + "run the same command again")
    #expect(steps == ["published", "published", "withdrawn"])
    _ = await sentence {
      try await before.publish {
        steps.append("again")
      } orWithdraw: {
      }
    }
    #expect(steps.count == 3)
  }

  /// `verify` looks at all that is there.
  @Test func verifySeesEachLine() async throws {
    try await begin()
    try await mark()
    let report = try await Verification(
      small.root, isDeep: false, removesBroken: false,
      access: DeliveryAccess(concurrency: 1, timeout: .seconds(1), allow: [])
    ).run { _ in }
    #expect(report.images == 4)
    #expect(
      report.problems.filter { $0.path.isEmpty }.map { "\($0.id) \($0.reason)" }
        == ["\(Self.secret) was forgotten, and is still listed; call tessera forget for it again"])
  }

  /// Each kind of document that a killed process may have been at work on.
  private static let drafts = [
    "catalog.json", "run.json", "gallery.html", "from-\(String(repeating: "0", count: 64)).json",
    "screens/feed/first.json", "shards/2/0.jsonl", "shards/2/0.run.json",
    ".tessera/catalogs/list.json", ".tessera/runs.jsonl", ".tessera/shards/2/0/runs.jsonl",
  ].map { "\($0).tessera-7.new" }
  private static let work = [
    ".tessera/spool/0", ".tessera/staging/catalog.json", ".tessera/shards/2/0/spool/0",
    ".tessera/shards/2/0/staging/shard.jsonl",
  ]

  /// `verify` finds drafts, and the next holder of the output removes them with all work of killed processes.
  @Test(.faults(.p10), arguments: ["merge", "rollback", "prune", "verify", "forget"])
  func whatKilledProcessesLeftIsRemoved(_ tool: String) async throws {
    try await begin()
    for path in Self.drafts + Self.work {
      try folder.write("\"\(Self.secret)\"", to: "out/\(path)")
    }
    // A folder that a tool made something in.
    try folder.write(Self.secret, to: "out/catalog.sqlite.tessera-9.new/draft")
    func left() -> [String] {
      let files = Set(folder.files(below: "out"))
      return (Self.drafts + Self.work + ["catalog.sqlite.tessera-9.new/draft"])
        .filter(files.contains)
    }
    func verify(removing removes: Bool) async throws -> [String] {
      try await Verification(
        small.root, isDeep: false, removesBroken: removes,
        access: DeliveryAccess(concurrency: 1, timeout: .seconds(1), allow: [])
      ).run { _ in }.drafts
    }
    #expect(
      try await verify(removing: false)
        == (Self.drafts.filter {
          !$0.hasPrefix(".tessera/runs") && !$0.hasPrefix(".tessera/shards")
        }
        + ["catalog.sqlite.tessera-9.new"]).sorted())
    #expect(left().count == Self.drafts.count + Self.work.count + 1)
    switch tool {
    case "merge": _ = try await Merging([small.root], into: nil, shards: nil).run()
    case "rollback": _ = try await Rollback(small.root, now: 300).run(to: 1)
    case "prune":
      _ = try await Pruning(small.root, grace: .seconds(1), isDryRun: false, now: 300)
        .run(onDelete: { _ in })
    case "verify": #expect(try await verify(removing: true) == [])
    default:
      _ = try await Forgetting(small.root, ids: [Self.secret], urls: [], now: 300).run()
      #expect(try found("out") == [])
    }
    #expect(left() == [], "\(tool)")
  }
}
