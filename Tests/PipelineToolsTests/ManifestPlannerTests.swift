import TesseraPipelineFile
import TesseraTestSupport
import Testing

@testable import tessera

/// `plan` over a whole manifest.
@Suite struct ManifestPlannerTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func plan(
    _ lines: [String], probes: Bool, ladders: [String] = [], _ keys: String = ""
  ) async throws -> (summary: PlanSummary, messages: [String]) {
    try folder.write(lines.map { $0 + "\n" }.joined(), to: "list.jsonl")
    let path = try folder.write(
      """
      manifest: list.jsonl
      output: out
      slots: {thumb: {size: 10x10, mode: clip}, card: {size: 20x}}
      scales: [1]
      rounding: exact
      fetch: {allow: ["files:\(folder.place)"], retries: 0}
      \(keys)
      """, to: "feed.yaml")
    let file = try PipelineFile.load(path, manifest: nil, output: nil)
    var planner = try await ManifestPlanner(
      file, ladders: ladders.compactMap { Ladder(name: $0) }, probes: probes)
    var messages: [String] = []
    let summary = try await planner.run { messages.append("\($0): \($1)") }
    return (summary, messages)
  }

  private func lines() throws -> [String] {
    try folder.add("plain.jpg", as: "a.jpg")
    try folder.add("animated.gif", as: "b.gif")
    let place = "file://\(folder.place)"
    return [
      #"{"id":"a","url":"\#(place)/a.jpg"}"#,
      #"{"id":"b","url":"\#(place)/b.gif","slots":["card"]}"#,
      "nonsense", #"{"id":"a","url":"\#(place)/a.jpg"}"#,
      #"{"id":"c","url":"\#(place)/a.jpg","slots":["card","none"]}"#,
      #"{"id":"d","url":"\#(place)/gone.jpg"}"#,
    ]
  }

  @Test func sizesAreNotKnownAtFirst() async throws {
    let found = try await plan(try lines(), probes: false, ladders: ["half-steps", "exact"])
    #expect(found.messages == ["3: not valid JSON at column 1: expected a value, found \"n\""])
    #expect(found.summary.items == 4 && found.summary.unknown == 4)
    #expect(found.summary.ladders.map(\.name) == ["half-steps", "exact"])
    #expect(found.summary.ladders.allSatisfy { $0.asked == 0 })
    #expect(found.summary.failures.isEmpty)
    // Planning writes nothing.
    #expect(!folder.has("out"))
  }

  @Test func sizesAreProbed() async throws {
    let found = try await plan(try lines(), probes: true)
    #expect(found.summary.items == 4 && found.summary.unknown == 2)
    #expect(found.summary.failures.map(\.source) == ["gone.jpg"])
    let ladder = try #require(found.summary.ladders.first)
    #expect(found.summary.ladders.count == 1 && ladder.name == "exact")
    #expect(ladder.asked == 3 && ladder.made == 3 && ladder.rungs == [10: 1, 20: 2])
  }

  @Test func whatARunRejectsIsNotPlanned() async throws {
    let found = try await plan(try lines(), probes: true, "accept: [gif]")
    #expect(found.summary.unknown == 3)
    #expect(
      found.summary.failures.map { "\($0.source) \($0.reason)" }.first
        == "a.jpg The file is a JPEG image; \"accept\" lists gif.")
    #expect(found.summary.ladders.first?.asked == 1)
  }
}
