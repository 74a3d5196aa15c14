import TesseraTestSupport
import Testing

@testable import tessera

/// Options, operands and statuses as they are declared.
@Suite struct OptionTests {
  private static func accepts<Value>(_ option: Option<Value>, _ text: String) -> Bool {
    option.parse(text) != nil
  }

  @Test func valuesHaveBounds() {
    let concurrency = Option.number("--n", "n", in: 2...256)
    expectLeast(2) { Self.accepts(concurrency, "\($0)") }
    expectMost(256) { Self.accepts(concurrency, "\($0)") }
    expectLeast(1) { Self.accepts(Option.bytes("--size", "s"), "\($0)B") }
    expectLeast(1) { Self.accepts(Option.duration("--time", "t"), "\($0)s") }
    expectLeast(0) { Self.accepts(Option.duration("--time", "t", allowsZero: true), "\($0)s") }
    #expect(Option.number("--n", "n", in: 1...Int.max).parse("\(Int.max)") == .max)
  }

  @Test func optionsKeepWhatTheyAreDeclaredWith() {
    let text = Option("--a", "A", "about a", completes: .folders)
    let size = Option.bytes("--b", "about b")
    let form = Option<SampleCommands.Form>.choice("--d", "D", "about d")
    let words = ["html", "hypertext", "next"]
    let all: [any OptionSyntax] = [
      Flag("--f", "about f"), text, size, form, Option.number("--n", "about n", in: 1...2),
      Option.duration("--t", "about t"),
    ]
    #expect(all.map(\.name) == ["--f", "--a", "--b", "--d", "--n", "--t"])
    #expect(all.map(\.usage) == ["--f", "--a A", "--b SIZE", "--d D", "--n N", "--t TIME"])
    #expect(all.map(\.help) == ["f", "a", "b", "d", "n", "t"].map { "about \($0)" })
    #expect(
      all.map(\.completion) == [.nothing, .folders, .nothing, .words(words), .nothing, .nothing])
    #expect(text.parse("anything") == "anything" && text.expected == "a text")
    #expect(form.choices == words && text.choices.isEmpty)
  }

  @Test func commonFlagsAreOfEveryCommand() {
    let names = ["--json", "--quiet", "--no-progress", "--help"]
    #expect(CommonFlag.all.map(\.name) == names)
    #expect(SampleCommands.List.syntax.allOptions.map(\.name) == names)
  }

  @Test(
    arguments: [
      (Operand.one("A"), 1...1, "A"), (.optional("A"), 0...1, "[A]"),
      (.several("A"), 1...Int.max, "A…"), (.any("A"), 0...Int.max, "[A]…"),
    ] as [(Operand, ClosedRange<Int>, String)])
  func operandsHaveANumber(_ operand: Operand, _ count: ClosedRange<Int>, _ usage: String) {
    func syntax(_ operands: [Operand]) -> Syntax {
      Syntax(operands, text: "", example: Example("", ""), statuses: [])
    }
    #expect(syntax([operand]).operandCount == count)
    #expect(syntax([operand]).usage("tool", "do") == "tool do \(usage) [options]")
    let two = syntax([.one("B"), operand])
    #expect(two.operandCount.lowerBound == count.lowerBound + 1)
    #expect(two.operandCount.upperBound == (count.upperBound == .max ? .max : 2))
    #expect(two.usage("tool", "do") == "tool do B \(usage) [options]")
    #expect(operand.completion == .nothing)
  }

  @Test func operandsSayWhatAShellOffers() {
    let operands = [
      Operand.one("A", .files), .optional("A", .folders), .several("A", .words(["w"])),
      .any("A", .nothing),
    ]
    #expect(operands.map(\.completion) == [.files, .folders, .words(["w"]), .nothing])
  }

  @Test func aMissingOptionIsNamed() {
    #expect(
      UsageError.missing(Flag("--to", ""), "PATH").description == "--to is missing: --to PATH")
  }

  /// sysexits(3), and 128 with the numbers of SIGINT and SIGTERM.
  @Test func statusesAreThoseOfShells() {
    let all: [CommandStatus] = [
      .done, .someFailed, .failed, .usage, .busy, .interrupted, .terminated,
    ]
    #expect(all.map(\.rawValue) == [0, 1, 2, 64, 75, 130, 143])
  }

  @Test func statusesAreListedByTheirNumbers() {
    #expect(
      SampleCommands.Build.exitMeanings.map { "\($0.status.rawValue) \($0.text)" } == [
        "64 the command line can't be understood", "130 stopped by a signal (SIGINT)",
        "143 stopped by a signal (SIGTERM)",
      ])
    #expect(SampleCommands.Show.exitMeanings.map(\.status.rawValue) == [0, 64, 75, 130, 143])
    #expect(!SampleCommands.Build.keepsWork && SampleCommands.Build.timeToStop == .seconds(2))
  }

  /// What all commands share is there once.
  @Test func theReferenceIsMarkdown() {
    let reference = SampleCommands.help.reference
    let shared = """
      ```text
        --json         results, and errors, as JSON on standard output
        --quiet        no messages except errors that end the command
        --no-progress  no progress on standard error
        --help         this page

        64   the command line can't be understood
        130  stopped by a signal (SIGINT)
        143  stopped by a signal (SIGTERM)
      ```

      ## tool show

      Show images.

      ```text
      \(SampleCommands.help.page(of: SampleCommands.Show.self).prefix { $0 != "\n" })

      """
    #expect(reference.contains(shared), "\(reference)")
    #expect(reference.matches(of: /(?m)^## tool (.*)$/).map(\.1) == ["show", "list", "build"])
    #expect(reference.ranges(of: "--quiet").count == 1)
  }
}
