import Foundation
import TesseraTestSupport
import Testing

/// What every command prints with `--json`, against the JSON Schemas that ship with the product.
@Suite struct ReportSchemaTests {
  private static let slots = "slots: {card: {size: 36x36, mode: fill}, hero: {size: 48x}}"

  /// Documents by the names of their schemas, which each names itself.
  private final class Reports {
    private(set) var all: [(schema: String, text: String)] = []

    func add(_ text: String) throws {
      let named = text.prefixMatch(of: /\{\s*"schema": ?"tessera-([a-z-]+)\/1"/)
      all.append((String(try #require(named?.1, "\(text)")), text))
    }

    /// Runs a command that prints one document.
    func tessera(_ words: String...) async throws {
      let result = try await Tool.run(Places.tessera, words + ["--json"])
      try #require(!result.output.isEmpty, "\(words): \(result.errors)")
      try add(result.output)
    }
  }

  private static func fixture() throws -> RunFixture {
    let names = ["plain.jpg", "grey.png", "transparent.png", "truncated.jpg", "none.jpg"]
    let lines = names.map { name in
      #"{"id":"\#(name)","url":"file://\#(Places.fixtures.path)/\#(name)","colour":"red"}"# + "\n"
    }
    return try RunFixture(
      manifest: lines.joined() + "{}\n",
      keys: """
        fetch: {allow: "files:\(Places.fixtures.path)", retries: 0}
        workers: 1
        keep-catalogs: 3
        """, slots: slots)
  }

  /// Of a pipeline and its list.
  private static func beforeARun(_ fixture: RunFixture, _ reports: Reports) async throws {
    let (path, folder) = (fixture.folder.path("feed.yaml"), fixture.folder)
    try folder.write("text", to: "images/notes.txt")
    for name in ["plain.jpg", "grey.png"] {
      try Data(Places.bytes(name)).write(to: folder.url.appending(path: "images/\(name)"))
    }
    let new = folder.path("new")
    try await reports.tessera("init", new, "--from", folder.path("images"))
    try FileManager.default.removeItem(atPath: folder.path("images/plain.jpg"))
    try await reports.tessera("init", new, "--manifest-only", "--from", folder.path("images"))
    try await reports.tessera("check", path, "--probe")
    try await reports.tessera("check", folder.path("none.yaml"))
    try await reports.tessera(
      "plan", path, "--picture", "400x300", "--rounding", "exact", "--rounding", "half-steps")
    try await reports.tessera("split", folder.path("manifest"), "2", folder.path("parts"))
    let image = Places.fixture("plain.jpg").path
    let probed = try await Tool.tessera("probe", "--json", image, folder.path("manifest"))
    let made = try await Tool.tessera(
      "make", "--json", image, Places.fixture("truncated.jpg").path, "--size", "64x", "--to",
      folder.path("made"))
    for line in (probed.output + made.output).split(separator: "\n") {
      try reports.add(String(line))
    }
    try await reports.tessera("compare", image, image)
    try folder.write("outputs: x\n", to: "bad.yaml")
    try await reports.tessera("check", folder.path("bad.yaml"))
  }

  /// Of an output.
  private static func afterRuns(_ fixture: RunFixture, _ reports: Reports) async throws {
    let (path, out) = (fixture.folder.path("feed.yaml"), fixture.folder.path("out"))
    try await reports.tessera("run", path)
    try reports.add(fixture.folder.text("out/run.json"))
    try await reports.tessera("status", out)
    let list = try fixture.folder.text("manifest").replacing(/.*grey.*\n/, with: "")
    try fixture.folder.write(list, to: "manifest")
    try await reports.tessera("plan", path, "--probe")
    try await reports.tessera("plan", path, "--fit", "3")
    try await reports.tessera("run", path)
    try await reports.tessera("plan", path, "--only", "plain.jpg")
    try await reports.tessera("doctor", out)
    try await reports.tessera("gallery", out)
    for form in ["html", "sqlite", "sqlite", "swift"] {
      try await reports.tessera(
        "export", out, "--as", form, "--to", fixture.folder.path("export.\(form)"))
    }
    for id in ["plain.jpg", "none.jpg", "grey.png"] { try await reports.tessera("why", out, id) }
    let file = try fixture.file("plain.jpg", "card")
    try FileManager.default.removeItem(atPath: file)
    try await reports.tessera("verify", out)
    try await reports.tessera("run", path, "--retry-failed")
    try await reports.tessera("prune", out)
    try await reports.tessera("rollback", out, "--list")
    try await reports.tessera("verify", out, "--remove-broken")
    try await reports.tessera("diff", "\(out)/catalog.json", out)
    try await reports.tessera("run", path, "--refresh", "--only", "plain.jpg")
    try await reports.tessera("rollback", out)
    try await reports.tessera("status", out, "--runs", "20")
    try await reports.tessera("forget", out, "plain.jpg")
    try await reports.tessera("status", fixture.folder.path("none"))
    for shard in ["0/2", "1/2"] {
      try await reports.tessera("run", path, "--shard", shard, "--output", "\(out)-of-shards")
    }
    try await reports.tessera("merge", "\(out)-of-shards")
    try await reports.tessera("status", "\(out)-of-shards")
  }

  @Test func everyReportFollowsItsSchema() async throws {
    let (fixture, reports) = (try Self.fixture(), Reports())
    try await Self.beforeARun(fixture, reports)
    try await Self.afterRuns(fixture, reports)
    let errors = try await JSONSchema.errors(ofReports: reports.all)
    #expect(errors.isEmpty, "\(errors)")
    // And no schema is of a document that no command prints.
    #expect(try JSONSchema.reports == Set(reports.all.map(\.schema)))
  }
}
