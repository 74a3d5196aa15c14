import Foundation
import TesseraTestSupport
import Testing

/// `run --metrics`, as Prometheus and its node exporter would read it.
@Suite struct MetricsTests {
  private static func values(_ text: String) -> [String: Double] {
    var values: [String: Double] = [:]
    for line in text.split(separator: "\n") where !line.hasPrefix("#") {
      let parts = line.split(separator: " ")
      values[String(parts[0])] = Double(parts[1])
    }
    return values
  }

  private static func check(_ text: String) async throws {
    let check = try await Tool.run("/usr/bin/promtool", ["check", "metrics"], input: text)
    #expect(check.status == 0 && check.errors.isEmpty, "\(check.output)\(check.errors)")
  }

  @Test func aRunLeavesMetricsThatPrometheusAccepts() async throws {
    let nginx = try await Nginx(serving: Places.fixtures)
    let fixture = try RunFixture(
      manifest: "\(nginx.url("/plain.jpg"))\n\(nginx.url("/missing.jpg"))\n")
    let path = fixture.folder.path("feed.prom")
    #expect(try await fixture.run("--metrics", path).status == 1)
    await nginx.stop()
    let text = try fixture.folder.text("feed.prom")
    try await Self.check(text)
    let values = Self.values(text)
    let report = try fixture.report
    let pipeline = #"pipeline="feed""#
    for (metric, member) in [
      (#"items{\#(pipeline),status="ok"}"#, "items.ok"),
      (#"items{\#(pipeline),status="failed"}"#, "items.failed"),
      ("requests{\(pipeline)}", "fetch.requests"), ("fetched_bytes{\(pipeline)}", "fetch.bytes"),
      ("written_bytes{\(pipeline)}", "variants.bytesWritten"), ("decodes{\(pipeline)}", "decodes"),
      ("peak_memory_bytes{\(pipeline)}", "peakMemoryBytes"),
    ] {
      #expect(values["tessera_last_run_\(metric)"] == report[member].map(Double.init), "\(metric)")
      #expect(values["tessera_last_run_\(metric)"] != 0, "\(metric)")
    }
    let facts = try FileManager.default.attributesOfItem(atPath: path)
    #expect(facts[.posixPermissions] as? Int == 0o644)
    #expect(!fixture.folder.files(below: ".").contains { $0.hasSuffix(".new") })
  }

  @Test func aFailedRunKeepsTheLastSuccess() async throws {
    let fixture = try RunFixture(manifest: "")
    let path = fixture.folder.path("feed.prom")
    let success = #"tessera_last_success_timestamp_seconds{pipeline="feed"}"#
    let isSuccess = #"tessera_last_run_success{pipeline="feed"}"#
    #expect(try await fixture.run("--metrics", path).status == 0)
    let before = Self.values(try fixture.folder.text("feed.prom"))
    #expect(before[isSuccess] == 1 && before[success] != nil)

    try FileManager.default.removeItem(atPath: fixture.folder.path("manifest"))
    #expect(try await fixture.run("--metrics", path).status == 2)
    let missing = try fixture.folder.text("feed.prom")
    try await Self.check(missing)
    #expect(Self.values(missing)[isSuccess] == 0)
    #expect(Self.values(missing)[success] == before[success])
    #expect(!missing.contains("tessera_last_run_items"))

    // A pipeline file that can't be read has the same label.
    try fixture.folder.write("slots: [", to: "feed.yaml")
    #expect(try await fixture.run("--metrics", path).status == 2)
    let unreadable = Self.values(try fixture.folder.text("feed.prom"))
    #expect(unreadable[isSuccess] == 0 && unreadable[success] == before[success])
  }

  /// The run that holds the output will write the file itself.
  @Test func aRunThatFindsTheOutputHeldWritesNothing() async throws {
    let server = try FaultServer(["/hang": { _, connection in connection.hang() }])
    defer { server.stop() }
    let fixture = try RunFixture(
      manifest: server.url("/hang"), keys: "fetch: {allow: loopback, timeout: 60s}")
    let first = try fixture.start("--metrics", fixture.folder.path("first.prom"))
    for _ in 0..<1000 where server.count("/hang") == 0 {
      try await Task.sleep(for: .milliseconds(10))
    }
    let second = try await fixture.run("--metrics", fixture.folder.path("second.prom"))
    #expect(second.status == 75, "\(second.errors)")
    first.signal(SIGINT)
    #expect(await first.end().status == 130)
    #expect(!FileManager.default.fileExists(atPath: fixture.folder.path("second.prom")))
    // A run that was stopped did not succeed.
    let stopped = Self.values(try fixture.folder.text("first.prom"))
    #expect(stopped[#"tessera_last_run_success{pipeline="feed"}"#] == 0)
  }

  @Test func aPlaceThatCannotBeWrittenEndsTheRunBeforeItBegins() async throws {
    let fixture = try RunFixture(manifest: "")
    let result = try await fixture.run("--metrics", fixture.folder.path("missing/feed.prom"))
    #expect(result.status == 2)
    #expect(
      result.errors.contains(
        "could not open \"\(fixture.folder.path("missing"))\": No such file or directory"))
    #expect(!FileManager.default.fileExists(atPath: fixture.folder.path("out")))
    let device = try await fixture.run("--metrics", "/dev/null")
    #expect(device.status == 2)
    #expect(device.errors.contains("\"/dev/null\" is not a regular file"))
  }

  @Test func aShardHasALabel() async throws {
    let fixture = try RunFixture(manifest: "")
    let path = fixture.folder.path("feed.prom")
    #expect(try await fixture.run("--shard", "1/2", "--metrics", path).status == 0)
    let text = try fixture.folder.text("feed.prom")
    try await Self.check(text)
    #expect(text.contains(#"tessera_last_run_success{pipeline="feed",shard="1/2"} 1"#))
  }
}
