import TesseraPipelineFile
import TesseraPlan
import TesseraTestSupport
import Testing

@testable import tessera

/// A ladder in the text of a pipeline file.
@Suite struct RoundingEditTests {
  private static let line = "rounding: [1, 2]"

  @Test(
    arguments: [
      ("a: 1\n", "a: 1\nrounding: [1, 2]\n"), ("a: 1", "a: 1\nrounding: [1, 2]\n"),
      ("", "rounding: [1, 2]\n"),
      ("# x\nrounding: exact  # why\nb: 2\n", "# x\nrounding: [1, 2] # why\nb: 2\n"),
      ("rounding :\n  - 3\n  # c\n  - 4\nb: 2\n", "rounding: [1, 2]\n  # c\nb: 2\n"),
      ("a: 1\r\nrounding: exact\r\nb: 2\r\n", "a: 1\r\nrounding: [1, 2]\r\nb: 2\r\n"),
      ("a: 1\r\n", "a: 1\r\nrounding: [1, 2]\r\n"),
      ("rounding:\n- 3\n- 4\nb: 2\n", "rounding: [1, 2]\nb: 2\n"),
      ("\"rounding\": {by: width,\n  steps: exact}\n\n# end\n", "rounding: [1, 2]\n\n# end\n"),
      (
        "roundings: 1\na: {rounding: exact}\n",
        "roundings: 1\na: {rounding: exact}\nrounding: [1, 2]\n"
      ),
    ])
  func onlyItsLinesChange(_ text: String, _ expected: String) {
    #expect(RoundingEdit.edited(text, Self.line) == expected)
  }

  private static func choice() -> LadderChoice {
    let settings = PlanSettings(slots: [Slot("a", width: 100, height: nil)], scales: [1])
    var summary = PlanSummary(ladders: [], settings)
    for length in [100, 140] { summary.demand.add(.init(length: length, longest: 999, area: 1)) }
    return LadderChoice(summary, wanted: 2)
  }

  private func written(_ text: String) throws -> String {
    let folder = try TemporaryFolder()
    try folder.write(text, to: "feed.yaml")
    let file = try PipelineFile.load(folder.path("feed.yaml"))
    try RoundingEdit.write(Self.choice(), into: file)
    return try folder.text("feed.yaml")
  }

  @Test func withoutSizesThereIsNoLadder() throws {
    let folder = try TemporaryFolder()
    try folder.write("manifest: m\noutput: o\nslots: {a: {size: 100x}}\n", to: "feed.yaml")
    let file = try PipelineFile.load(folder.path("feed.yaml"))
    let none = LadderChoice(PlanSummary(ladders: [], file.plan), wanted: 2)
    let error = #expect(throws: RoundingEdit.Unsuitable.self) {
      try RoundingEdit.write(none, into: file)
    }
    #expect(error?.description.hasSuffix("run it first, or add --probe") == true)
  }

  @Test func theFileIsReadBack() throws {
    let head = "manifest: m\noutput: o\nslots: {a: {size: 100x}}  # one\n"
    #expect(try written(head) == head + "rounding: [100, 140]\n")
    #expect(
      try written(head + "rounding: exact\n# end\n") == head + "rounding: [100, 140]\n# end\n")
  }

  /// A line would not be what it has to be.
  @Test(arguments: [
    "{manifest: m, output: o, slots: {a: {size: 100x}}}\n",
    "manifest: m\noutput: o\nslots: {a: {size: 100x}}\n...\n",
  ])
  func aFileInAnotherFormIsNotChanged(_ text: String) throws {
    let folder = try TemporaryFolder()
    try folder.write(text, to: "feed.yaml")
    let file = try PipelineFile.load(folder.path("feed.yaml"))
    let error = #expect(throws: RoundingEdit.Unsuitable.self) {
      try RoundingEdit.write(Self.choice(), into: file)
    }
    #expect(
      error?.description
        == "\(file.path): the ladder can't be put into this file; write the line \"rounding: [100, 140]\" into it"
    )
    #expect(try folder.text("feed.yaml") == text)
  }
}
