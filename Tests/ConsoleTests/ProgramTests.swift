import Dispatch
import Foundation
import Synchronization
import TesseraSystem
import Testing

@testable import tessera

extension StreamTests {
  /// The program as a whole: what it prints, where, and the status that it ends with.
  @Suite struct ProgramTests {
    private static let help = SampleCommands.help

    private static func end(
      _ words: [String],
      _ program: Program = Program(help: help)
    ) async throws -> (status: Int32, output: String, errors: String) {
      var status: Int32 = -1
      let texts = try await Streams.written { status = await program.main(words).rawValue }
      return (status, texts.output, texts.errors)
    }

    @Test(
      arguments: [
        (["--help"], 0, help.overview, ""), (["-h"], 0, help.overview, ""),
        (["help"], 0, help.overview, ""),
        (["help", "show"], 0, help.page(of: SampleCommands.Show.self), ""),
        (["--help", "list"], 0, help.page(of: SampleCommands.List.self), ""),
        (["--version"], 0, "tool 1.2\n", ""), (["-v"], 0, "tool 1.2\n", ""),
        (["-V"], 0, "tool 1.2\n", ""), ([], 64, "", help.overview),
        // A mistake in another word does not keep a page from being shown.
        (["show", "--none", "--help"], 0, help.page(of: SampleCommands.Show.self), ""),
        (["list", "-h", "a"], 0, help.page(of: SampleCommands.List.self), ""),
        (["show", "a", "b\u{7}"], 0, "a\nb\\u{7}\n", ""), (["show", "a", "--quiet"], 1, "a\n", ""),
        (["build"], 75, "", ""),
      ] as [([String], Int32, String, String)])
    func wordsLeadToACommand(
      _ words: [String], _ status: Int32, _ output: String, _ errors: String
    ) async throws {
      let end = try await Self.end(words)
      #expect(end == (status, output, errors))
    }

    @Test(
      arguments: [
        (
          ["lists"], .usage,
          "unknown command \"lists\" (did you mean \"list\"?); the commands are show, list, build",
          64
        ),
        (["list", "a"], .usage, "too many operands; the usage is: tessera list [options]", 64),
        (["show", "wrong"], .usage, "this is wrong", 64),
        (["show", "broken"], .busy, "it is broken", 75),
      ] as [([String], TesseraError.Code, String, Int32)])
    func errorsAreReported(
      _ words: [String], _ code: TesseraError.Code, _ message: String, _ status: Int32
    ) async throws {
      let printed = words.first == "show" ? words[1] + "\n" : ""
      let plain = try await Self.end(words)
      #expect(plain == (status, printed, "tessera: \(message)\n"))
      let json = try await Self.end(words + ["--json"])
      let document = String(decoding: ErrorReport(TesseraError(code, message)).json, as: UTF8.self)
      #expect(json == (status, printed + document, "tessera: \(message)\n"))
    }

    @Test func anErrorThatIsPrintedIsNotPrintedAgain() async throws {
      let end = try await Self.end(["show", "printed", "--json"])
      #expect(end == (75, "printed\n", "tessera: it is broken\n"))
    }

    @Test func withoutASignalACancellationIsAFailure() async throws {
      let kept = try await Self.end(["show", "cancelled"])
      #expect(
        kept == (
          2, "cancelled\n", "tessera: stopped; completed work is kept, run again to resume\n"
        ))
      let lost = try await Self.end(["list"])
      #expect(lost == (2, "", "tessera: stopped\n"))
      #expect(Interruption.status == nil)
    }

    /// In the order of the code after all others, because a signal is remembered.
    @Test func signalsStopACommand() async throws {
      let help = Help(
        name: "tool", version: "1", date: "", summary: "",
        groups: [CommandGroup("All", [Wait.self])])
      let program = Program(help: help)
      for (number, status): (Int32, Int32) in [(SIGTERM, 143), (SIGINT, 130)] {
        let end = try await Self.end(["wait", "\(number)"], program)
        #expect(end == (status, "asked\ncancelled\n", "tessera: stopped\n"))
        let once = try await Self.end(["wait", "\(number)", "now"], program)
        #expect(once == (status, "cancelled\n", "tessera: stopped\n"))
        // As before: a test that hangs can be ended.
        signal(number, SIG_DFL)
      }
    }

    /// A failure of standard output is remembered, too. The work of a command that keeps it
    /// is done, and a signal or wrong usage says more.
    @Test func resultsThatCannotBeWrittenAreAFailure() async throws {
      let full = open("/dev/full", O_WRONLY)
      defer { close(full) }
      let program = Program(help: Self.help)
      for (words, status): ([String], Int32) in [
        (["show", "a"], 1), (["show", "a", "--quiet"], 1), (["--version"], 2), (["build"], 75),
      ] {
        var end: CommandStatus?
        let errors = try await Streams.written {
          try await Streams.redirecting([1: full]) { end = await program.main(words) }
        }.errors
        #expect(end?.rawValue == status, "\(words)")
        #expect(
          errors
            == "tessera: could not write to standard output: No space left on device; free space "
            + "on its file system (also inodes), and run again\n")
      }
    }

    /// Sends itself signals. An action of its own answers the first, unless it is to end at once.
    private enum Wait: Command {
      static let name = "wait"
      static let summary = "wait"
      static let syntax = Syntax(
        [.one("SIGNAL"), .optional("NOW")], text: "", example: Example("", ""), statuses: [])
      static let timeToStop = Duration.seconds(86_400)

      static func run(_ arguments: Arguments) async throws -> CommandStatus {
        let number = Int32(arguments.operands[0]) ?? 0
        if arguments.operands.count == 1 {
          let (answers, answered) = AsyncStream.makeStream(of: Void.self)
          Interruption.onFirstSignal {
            answered.yield()
            return true
          }
          kill(getpid(), number)
          for await _ in answers { break }
          Console.line("asked")
          guard !Task.isCancelled else { return .done }
        }
        kill(getpid(), number)
        do {
          try await Task.sleep(for: .seconds(60))
        } catch {
          Console.line("cancelled")
          throw TesseraError(.local, "it was cancelled")
        }
        return .done
      }
    }
  }

  /// Lines for results and for messages.
  @Suite struct ConsoleTests {
    @Test func linesAreWrittenWhole() async throws {
      var answers: [Bool] = []
      let texts = try await Streams.written {
        answers.append(Console.write("a\u{1}\nb"))
        answers.append(Console.write(Array("c\n".utf8)))
        answers.append(Console.line("d\u{1B}[1m\ne"))
        Console.message("f\u{9B}")
      }
      #expect(texts == ("a\u{1}\nbc\nd\\u{1b}[1m\\u{a}e\n", "f\\u{9b}\n"))
      #expect(answers == [true, true, true])
      #expect(Console.printable("a\u{202E}b") == "a\\u{202e}b")
      #expect(Console.isInputTerminal == (isatty(0) == 1))
    }
  }
}
