import TesseraJSON
import Testing

@testable import TesseraPipelineFile

/// A key with another name works under its former one, with a warning.
@Suite struct RenamedKeyTests {
  private struct Settings {
    var rate = 1
    var other = 0
  }

  private static let type = KeyType<Settings>.group([
    Key("rate", .int(1...9, "1 to 9"), \.rate, isRequired: true, formerly: "speed", "A rate."),
    Key("other", .int(0...9, "0 to 9"), \.other, "Another key."),
  ])

  private static func read(_ text: String) throws -> (
    settings: Settings?, mistakes: [String], warnings: [String]
  ) {
    let context = DecodingContext(folder: "", environment: { _ in nil })
    let node = try YAMLParser.parse(Array(text.utf8))
    let settings = type.read(node, KeyPlace("fetch", context), Settings())
    func lines(_ all: [Diagnostic]) -> [String] {
      all.map { "\($0.mark.line):\($0.mark.column): \($0.message)" }
    }
    return (settings, lines(context.diagnostics), lines(context.warnings))
  }

  @Test func aFormerNameWorksWithAWarning() throws {
    let former = try Self.read("other: 2\nspeed: 3\n")
    #expect(former.settings?.rate == 3 && former.settings?.other == 2 && former.mistakes == [])
    #expect(
      former.warnings == [
        "2:1: \"fetch.speed\" is now \"fetch.rate\"; the former name works until the next minor version"
      ])
    let new = try Self.read("rate: 4\n")
    #expect(new.settings?.rate == 4 && new.mistakes == [] && new.warnings == [])
    // A mistake in the value is one of the new key.
    #expect(
      try Self.read("speed: 10\n").mistakes == ["1:8: \"fetch.rate\" must be 1 to 9, found \"10\""])
  }

  @Test func bothNamesAreAMistake() throws {
    let both = try Self.read("rate: 4\nspeed: 3\n")
    #expect(both.settings?.rate == 4 && both.warnings == [])
    #expect(
      both.mistakes == [
        "2:1: \"fetch.speed\" is the former name of \"fetch.rate\", which line 1 has already; remove it"
      ])
  }

  @Test func theSchemaHasBothNames() {
    let schema = Self.type.schema(Settings())
    #expect(schema["properties"]?["speed"]?["deprecated"] == .bool(true))
    #expect(schema["properties"]?["rate"]?["deprecated"] == nil)
    // A file may have the one or the other.
    #expect(schema["required"] == nil)
  }
}
