import TesseraJSON
import TesseraTestSupport
import Testing

@testable import tessera

/// Manual pages as source for man(1), in the macros of man(7), and the reference in Markdown.
@Suite struct ManualTests {
  private static let schema = """
    {"description": "The file.", "$defs": {
      "size": {"type": "string", "description": "Shared.", "default": "1x1",
        "enum": ["1x1", "2x2"]},
      "word": {"enum": ["a", "b"]},
      "entry": {"description": "An entry.", "properties": {"inner": {"description": "Inside."}}}},
     "properties": {
      "plain": {"description": "A text.", "default": ""},
      "number": {"description": "A number.", "default": 3, "$comment": "shapes: files"},
      "size": {"$ref": "#/$defs/size", "description": "A size."},
      "either": {"description": "Two kinds.", "anyOf": [{"enum": ["c"]}, {"$ref": "#/$defs/word"}],
        "$comment": "shapes: entries"},
      "group": {"properties": {"list": {"description": "A list.", "default": [1, "a"]}}},
      "named": {"description": "Named.", "additionalProperties": {"$ref": "#/$defs/entry"}},
      "typed": {"additionalProperties": {"type": "object", "properties": {
        "side": {"description": "A side.", "default": "left"}}}},
      "closed": {"description": "Closed.", "additionalProperties": false, "$comment": "shapes: x",
        "properties": {"own": {"description": "Its own."}}},
      "far": {"$ref": "other.json", "description": "Far."},
      "lost": {"$ref": "#/$defs/none", "description": "Lost."},
      "single": {"description": "One word.", "enum": ["only"]},
      "silent": {"default": 1}}}
    """

  private static let keys = [
    ("plain", "A text."),
    ("number", "A number. Default: 3. A change makes the files again that it affects."),
    ("size", "A size. One of 1x1, 2x2. Default: 1x1."),
    ("either", "Two kinds. One of a, b. A change renews the catalog's entries."),
    ("group.list", "A list. Default: [1,\\(dqa\\(dq]."), ("named", "Named."),
    ("named.NAME.inner", "Inside."), ("typed.NAME.side", "A side. Default: left."),
    ("closed", "Closed."), ("closed.own", "Its own."), ("far", "Far."), ("lost", "Lost."),
    ("single", "One word."),
  ]

  private static func manual() throws -> Manual {
    let rest = [
      "number", "size", "either", "group", "named", "typed", "closed", "far", "lost", "single",
      "silent",
    ]
    return Manual(
      SampleCommands.help, schema: try JSONParser.parse(Array(schema.utf8)),
      sections: [("First", ["plain"]), ("Rest", rest)])
  }

  @Test func keysAreAPageOfSectionFive() throws {
    let page = try #require(try Self.manual().pages.last)
    #expect(page.path == "man5/tool-pipeline.5")
    #expect(
      page.text == """
        .TH TOOL-PIPELINE 5 2026-11-23 "tool 1.2" "tool manual"
        .SH NAME
        tool\\-pipeline \\- the pipeline file: which images, which sizes, and how
        .SH DESCRIPTION
        The file.
        .SH KEYS: FIRST
        .TP
        \\fBplain\\fR
        A text.
        .SH KEYS: REST

        """
        + Self.keys.dropFirst().map { ".TP\n\\fB\($0)\\fR\n\($1)\n" }.joined() + """
          .SH SEE ALSO
          tool(1), tool\\-run(1), tool\\-check(1)

          """)
  }

  @Test func theOverviewNamesEveryCommand() throws {
    let page = try #require(try Self.manual().pages.first)
    #expect(page.path == "man1/tool.1")
    #expect(
      page.text == #"""
        .TH TOOL 1 2026-11-23 "tool 1.2" "tool manual"
        .SH NAME
        tool \- does things
        .SH SYNOPSIS
        tool COMMAND [options]
        .SH DESCRIPTION
        Results go to standard output; progress and messages go to standard error.
        .PP
        Each command has a page of its own: tool\-COMMAND(1).
        .SH COMMANDS: SOME
        .TP
        \fBshow\fR
        show images
        .SH COMMANDS: MORE
        .TP
        \fBlist\fR
        list things
        .TP
        \fBbuild\fR
        build things
        .SH EXIT STATUS
        .TP
        \fB0\fR
        All done.
        .TP
        \fB1\fR
        Done, but some items failed.
        .TP
        \fB2\fR
        Could not run.
        .TP
        \fB64\fR
        The command line can't be understood.
        .TP
        \fB75\fR
        Another run holds this output.
        .TP
        \fB130, 143\fR
        Stopped by a signal; run it again to resume.
        .SH SEE ALSO
        tool\-run(1), tool\-pipeline(5)

        """#)
  }

  @Test func aCommandHasAPage() throws {
    let page = try Self.manual().pages[1]
    #expect(page.path == "man1/tool-show.1")
    let options = [
      ("\\-\\-all", "", "All of them."), ("\\-\\-form", " \\fIFORM\\fR", "The form."),
      ("\\-\\-to", " \\fIPATH\\fR", "A file."), ("\\-\\-slot", " \\fINAME\\fR", "A slot."),
      ("\\-\\-text", " \\fITEXT\\fR", "A text."),
      ("\\-\\-json", "", "Results, and errors, as JSON on standard output."),
      ("\\-\\-quiet", "", "No messages except errors that end the command."),
      ("\\-\\-no\\-progress", "", "No progress on standard error."),
      ("\\-\\-help", "", "This page."),
    ]
    let statuses = [
      ("0", "", "Shown."), ("64", "", "The command line can't be understood."),
      ("75", "", "Another shows it."),
      ("130", "", "Stopped by a signal; run it again to go on (SIGINT)."),
      ("143", "", "Stopped by a signal; run it again to go on (SIGTERM)."),
    ]
    func items(_ rows: [(String, String, String)]) -> String {
      rows.map { ".TP\n\\fB\($0)\\fR\($1)\n\($2)\n" }.joined()
    }
    #expect(
      page.text == """
        .TH TOOL-SHOW 1 2026-11-23 "tool 1.2" "tool manual"
        .SH NAME
        tool\\-show \\- show images
        .SH SYNOPSIS
        tool show OUTPUT [ID]\\[u2026] [options]
        .SH DESCRIPTION
        Shows images. All of them.
        .SH OPTIONS
        \(items(options)).SH EXIT STATUS
        \(items(statuses)).SH EXAMPLES
        Shows p1.
        .PP
        .in +4n
        .nf
        tool show out p1
        .fi
        .in
        .SH SEE ALSO
        tool(1), tool\\-pipeline(5)

        """)
  }

  @Test func thePagesAreWritten() throws {
    let folder = try TemporaryFolder()
    let manual = try Self.manual()
    let paths = try manual.write(to: folder.path("man"))
    let names =
      [
        "man1/tool.1", "man1/tool-show.1", "man1/tool-list.1", "man1/tool-build.1",
      ] + HelpPage.all.map { "man7/tool-\($0.topic).7" } + ["man5/tool-pipeline.5"]
    #expect(paths == names.map { folder.path("man/\($0)") })
    #expect(folder.files(below: "man") == names.sorted())
    #expect(try names.map { try folder.text("man/\($0)") } == manual.pages.map(\.text))
  }
}

/// A page of a manual, line by line.
@Suite struct ManualPageTests {
  /// The lines after the head of a page.
  private static func lines(_ write: (inout ManualPage) -> Void) -> [Substring] {
    var page = ManualPage("a-b", section: 3, summary: "s", date: "d", program: "p 1")
    write(&page)
    return Array(page.text.split(separator: "\n", omittingEmptySubsequences: false).dropFirst(3))
  }

  @Test func charactersOfTheFormatAreEscaped() {
    #expect(Self.lines { $0.paragraph("a-b \\c \"d\"") } == [".PP", "a\\-b \\ec \\(dqd\\(dq", ""])
    #expect(
      Self.lines { $0.item("-t", value: "\"v", "-") } == [
        ".TP", "\\fB\\-t\\fR \\fI\\(dqv\\fR", "\\-", "",
      ])
    #expect(
      Self.lines { $0.literal("a  b\n\n.c\n'd\n e-") }
        == [".PP", ".in +4n", ".nf", "a  b", "", "\\&.c", "\\&'d", " e\\-", ".fi", ".in", ""])
    // A line of text that begins like a macro.
    let word = String(repeating: "a", count: 78)
    #expect(
      Self.lines { $0.paragraph("\(word) .b \(word) 'c") } == [
        ".PP", word[...], "\\&.b", word[...], "\\&'c", "",
      ])
  }

  @Test func paragraphsAreApart() {
    let lines = Self.lines { page in
      page.section("S")
      page.paragraph("a\n b")
      page.paragraph("")
      page.paragraph("c")
    }
    #expect(lines == [".SH S", "a b", ".PP", ".PP", "c", ""])
  }

  @Test func linesHave78ColumnsAtMost() {
    expectMost(78) { length in
      let first = String(repeating: "a", count: length - 3)
      return Self.lines { $0.paragraph("\(first) bc") } == [".PP", "\(first) bc", ""]
    }
    let long = String(repeating: "a", count: 90)
    #expect(Self.lines { $0.paragraph("a \(long) b") } == [".PP", "a", long[...], "b", ""])
  }
}
