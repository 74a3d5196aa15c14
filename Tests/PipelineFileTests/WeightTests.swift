import TesseraPlan
import Testing

@testable import TesseraPipelineFile

/// How often images are viewed, and which side is rounded.
@Suite struct WeightTests {
  private static func plan(_ lines: String) throws -> PlanSettings {
    let text = "manifest: m\noutput: o\nslots: {a: {size: 9x}, b: {size: 9x}}\n\(lines)\n"
    return try PipelineFile.decode(Array(text.utf8), path: "p.yaml") { _ in nil }.plan
  }

  private static func mistakes(_ lines: String) -> [String] {
    MistakeTests.mistakes(lines + "\n", after: "manifest: m\noutput: o\nslots: {abc: {size: 9x}}\n")
  }

  @Test func slotsAndScalesHaveWeights() throws {
    let plain = try Self.plan("")
    #expect(plain.weight(of: "a", scale: 1) == 1 && plain.scales == [1, 2, 3])
    let plan = try Self.plan("weights: {a: 10, b: 0.5}\nscales: {3: 4e-1, 1: 2}")
    #expect(plan.scales == [1, 3])
    #expect(plan.weight(of: "a", scale: 1) == 20 && plan.weight(of: "b", scale: 3) == 0.2)
    #expect(plan.weight(of: "a", scale: 2) == 10 && plan.weight(of: "c", scale: 3) == 0.4)
    #expect(try Self.plan("scales: [2, 1]\nweights: {a: 3}").scales == [1, 2])
  }

  @Test(arguments: [
    (
      "weights: {abd: 1}",
      "1:11 \"weights.abd\": \"slots\" has no slot of this name (did you mean \"abc\"?)"
    ),
    ("weights: {}", "1:10 \"weights\" must name at least one slot"),
    (
      "weights: {abc: 0}",
      "1:16 \"weights.abc\" must be a number above zero, such as 10 or 0.5, found \"0\""
    ),
    (
      "weights: {abc: 1000000001}",
      "1:16 \"weights.abc\" must be a number above zero, such as 10 or 0.5, found \"1000000001\""
    ),
    (
      "weights: {abc: nan}",
      "1:16 \"weights.abc\" must be a number above zero, such as 10 or 0.5, found \"nan\""
    ),
    ("scales: {}", "1:9 \"scales\" must name at least one scale"),
    ("scales: {0: 1}", "1:10 a scale is a whole number from 1 to 8, found \"0\""),
    ("scales: {9: 1}", "1:10 a scale is a whole number from 1 to 8, found \"9\""),
    ("scales: {01: 1}", "1:10 a scale is a whole number from 1 to 8, found \"01\""),
    (
      "rounding: {by: width}",
      "1:11 the key \"rounding.steps\" is missing; it must be \"power-of-two\", \"half-steps\", \"exact\" or a list such as [320, 640, 1280]"
    ),
    (
      "rounding: {by: height, steps: exact}",
      "1:16 \"rounding.by\" must be one of \"longer\", \"width\", found \"height\""
    ),
  ])
  func mistakesAreNamed(_ line: String, _ message: String) {
    #expect(Self.mistakes(line) == [message])
  }

  /// A weight changes no file.
  @Test func weightsAreInNoFingerprint() throws {
    func shape(_ lines: String) throws -> [String] {
      let text = "manifest: m\noutput: o\nslots: {a: {size: 9x}}\n\(lines)\n"
      let file = try PipelineFile.decode(Array(text.utf8), path: "p.yaml") { _ in nil }
      return [file.shape([.files, .entries, .catalog, .acceptance])]
    }
    #expect(try shape("scales: [1, 2]") == shape("scales: {1: 5, 2: 3}\nweights: {a: 7}"))
    #expect(try shape("scales: [1, 2]") != shape("scales: {1: 5, 3: 3}"))
    #expect(try shape("rounding: exact") == shape("rounding: {by: longer, steps: exact}"))
    #expect(try shape("rounding: exact") != shape("rounding: {by: width, steps: exact}"))
  }

  @Test func aSideIsRounded() throws {
    #expect(try Self.plan("rounding: [30, 20]").rounding == .list([20, 30]))
    #expect(
      try Self.plan("rounding: {by: width, steps: [30, 20]}").rounding
        == Rounding(.list([20, 30]), by: .width))
    #expect(try Self.plan("rounding: {steps: half-steps}").rounding == .halfSteps)
  }
}
