import Testing

@testable import tessera

/// Sorting words into operands and options, and reading the values of options.
@Suite struct ArgumentsTests {
  private enum Form: String, CaseIterable, Sendable { case html, android }

  private static let deep = Flag("--deep", "read every file")
  private static let output = Option("--output", "DIR", "write here")
  private static let deadline = Option.duration("--deadline", "stop after this time")
  private static let grace = Option.duration("--grace", "wait this long", allowsZero: true)
  private static let limit = Option.number("--limit", "at most N", in: 1...Int.max)
  private static let concurrency = Option.number("--concurrency", "at a time", in: 1...256)
  private static let size = Option.bytes("--size", "read at most this much")
  private static let form = Option<Form>.choice("--as", "FORM", "the form")

  private static let syntax = Syntax(
    [.one("INPUT"), .optional("MORE")], text: "Tests the parser.",
    options: [deep, output, deadline, grace, limit, concurrency, size, form],
    example: Example("tessera test a", "Tests."), statuses: [])

  private static func parse(_ words: String) throws(UsageError) -> Arguments {
    try Arguments(
      words.split(separator: " ").map(String.init), syntax: syntax, command: "test")
  }

  @Test(
    arguments: [
      ("a", ["a"], [], false), ("a b", ["a", "b"], [], false),
      ("--deep a", ["a"], [], true), ("a --output o", ["a"], ["o"], false),
      ("a --output=o", ["a"], ["o"], false), ("a --output=o=p", ["a"], ["o=p"], false),
      ("a --output= --deep", ["a"], [""], true),
      ("--output o a --output p", ["a"], ["o", "p"], false),
      // A value may look like an option, and "-" is an operand.
      ("a --output --deep", ["a"], ["--deep"], false), ("-", ["-"], [], false),
      ("a -- --deep", ["a", "--deep"], [], false), ("-- -- a", ["--", "a"], [], false),
    ] as [(String, [String], [String], Bool)])
  func wordsAreSorted(
    _ words: String, _ operands: [String], _ outputs: [String], _ isDeep: Bool
  ) throws {
    let arguments = try Self.parse(words)
    #expect(arguments.operands == operands)
    #expect(try arguments.all(Self.output) == outputs)
    #expect(try arguments.value(Self.output) == outputs.last)
    #expect(arguments.has(Self.deep) == isDeep)
    #expect(!arguments.has(CommonFlag.json))
  }

  @Test(
    arguments: [
      ("", "missing operands; the usage is: tessera test INPUT [MORE] [options]"),
      ("a b c", "too many operands; the usage is: tessera test INPUT [MORE] [options]"),
      (
        "a --deeep",
        "test has no option \"--deeep\" (did you mean \"--deep\"?); see tessera test --help"
      ),
      (
        "a --jsno",
        "test has no option \"--jsno\" (did you mean \"--json\"?); see tessera test --help"
      ),
      ("a -x", "test has no option \"-x\"; see tessera test --help"),
      ("a --output", "the option --output needs a value: --output DIR"),
      ("a --deep=yes", "the option --deep takes no value"),
      ("a --quiet=", "the option --quiet takes no value"),
    ])
  func wrongWordsAreUsageErrors(_ words: String, _ message: String) {
    let error = #expect(throws: UsageError.self) { try Self.parse(words) }
    #expect(error?.description == message)
  }

  @Test func valuesAreRead() throws {
    let arguments = try Self.parse(
      "a --deadline 50m --grace 0s --limit 5000000000 --concurrency 256 --size 64MB --as android")
    #expect(try arguments.value(Self.deadline) == .seconds(3_000))
    #expect(try arguments.value(Self.grace) == .zero)
    #expect(try arguments.value(Self.limit) == 5_000_000_000)
    #expect(try arguments.value(Self.concurrency) == 256)
    #expect(try arguments.value(Self.size) == 64_000_000)
    #expect(try arguments.value(Self.form) == .android)
    #expect(try Self.parse("a").value(Self.form) == nil)
    // The last value counts; the others are not read.
    #expect(try Self.parse("a --limit x --limit 2").value(Self.limit) == 2)
  }

  /// Every kind of value has one wording, whatever the option.
  @Test(
    arguments: [
      (
        "--deadline soon",
        "--deadline must be a duration above zero, such as 15s, 50m or 7d, found \"soon\""
      ),
      (
        "--deadline 0s",
        "--deadline must be a duration above zero, such as 15s, 50m or 7d, found \"0s\""
      ),
      ("--grace -1s", "--grace must be a duration, such as 15s, 50m or 7d, found \"-1s\""),
      ("--limit 0", "--limit must be a whole number from 1, found \"0\""),
      ("--concurrency 257", "--concurrency must be a whole number from 1 to 256, found \"257\""),
      ("--size 0", "--size must be a size such as 64MB, found \"0\""),
      ("--as htm", "--as must be one of html, android, found \"htm\" (did you mean \"html\"?)"),
      // A password does not get into a message.
      (
        "--limit http://me:secret@host/",
        "--limit must be a whole number from 1, found \"http://host/\""
      ),
    ])
  func wrongValuesAreUsageErrors(_ words: String, _ message: String) throws {
    let arguments = try Self.parse("a " + words)
    let error = #expect(throws: UsageError.self) {
      _ = try arguments.value(Self.deadline)
      _ = try arguments.value(Self.grace)
      _ = try arguments.value(Self.limit)
      _ = try arguments.value(Self.concurrency)
      _ = try arguments.value(Self.size)
      _ = try arguments.value(Self.form)
    }
    #expect(error?.description == message)
  }
}
