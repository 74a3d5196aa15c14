import Foundation
import TesseraPlan
import TesseraSystem
import TesseraTestSupport
import Testing

@testable import TesseraPipelineFile

/// The text of mistakes: the place, the sentence, the line, and a caret under the position.
@Suite struct ErrorTextTests {
  private static func text(_ file: String, _ diagnostics: [Diagnostic]) -> String {
    PipelineFileError(path: "d/p.yaml", bytes: Array(file.utf8), diagnostics: diagnostics)
      .description
  }

  private static func at(_ line: Int, _ column: Int, _ message: String = "no") -> Diagnostic {
    Diagnostic(Mark(line: line, column: column), message)
  }

  @Test func mistakesAreInTheOrderOfTheFile() {
    let file = "ab: c\nde: f\r\n\ng"
    #expect(
      Self.text(
        file,
        [
          Self.at(2, 5, "d"), Self.at(4, 2, "f"), Self.at(1, 5, "b"), Self.at(1, 1, "a"),
          Self.at(2, 1, "c"), Self.at(3, 1, "e"), Self.at(9, 9, "g"),
        ])
          == """
          d/p.yaml:1:1: error: a
            ab: c
            ^
          d/p.yaml:1:5: error: b
            ab: c
                ^
          d/p.yaml:2:1: error: c
            de: f
            ^
          d/p.yaml:2:5: error: d
            de: f
                ^
          d/p.yaml:3:1: error: e
          d/p.yaml:4:2: error: f
            g
             ^
          d/p.yaml:9:9: error: g
          """)
  }

  @Test(arguments: [
    ("a\tb", 3, "a\tb", " \t^"), ("\t\tb", 3, "\t\tb", "\t\t^"), ("日本: x", 3, "日本: x", "    ^"),
    ("e\u{301}x", 3, "e\u{301}x", " ^"), ("😀x", 2, "😀x", "  ^"), ("ab", 9, "ab", "  ^"),
  ])
  func theCaretIsUnderThePosition(_ line: String, _ column: Int, _ shown: String, _ caret: String) {
    #expect(
      Self.text(line, [Self.at(1, column)])
        == "d/p.yaml:1:\(column): error: no\n  \(shown)\n  \(caret)")
  }

  /// Sixty characters around the position are shown.
  @Test(arguments: [
    (60, 1, 0), (60, 60, 0), (61, 1, 0), (61, 31, 0), (61, 32, 1), (61, 61, 1), (100, 31, 0),
    (100, 32, 1), (100, 51, 20), (100, 70, 39), (100, 71, 40), (100, 100, 40),
  ])
  func ofALongLineAPartIsShown(_ length: Int, _ column: Int, _ start: Int) {
    let line = String((0..<length).map { Character("\($0 % 10)") })
    let shown = line.dropFirst(start).prefix(60)
    let caret = String(repeating: " ", count: column - 1 - start)
    #expect(
      Self.text(line, [Self.at(1, column)])
        == "d/p.yaml:1:\(column): error: no\n  \(shown)\n  \(caret)^")
  }

  @Test func aFileThatIsNoPipelineFileIsNotShown() {
    let error = PipelineFileError(path: "p", bytes: nil, diagnostics: [Self.at(1, 1)])
    #expect(error.description == "p:1:1: error: no")
  }

  /// The ranges of Unicode Standard Annex 11 for wide characters, at their ends and beyond them.
  @Test func charactersHaveTheirWidths() throws {
    let wide: [ClosedRange<UInt32>] = [
      0x1100...0x115F, 0x2E80...0x303E, 0x3041...0xA4CF, 0xAC00...0xD7A3, 0xF900...0xFAFF,
      0xFE30...0xFE6F, 0xFF00...0xFF60, 0xFFE0...0xFFE6, 0x1F300...0x1F64F, 0x1F900...0x1F9FF,
      0x20000...0x3FFFD,
    ]
    func width(_ value: UInt32) throws -> Int {
      try #require(Unicode.Scalar(value)).terminalWidth
    }
    for range in wide {
      #expect(try width(range.lowerBound) == 2 && width(range.upperBound) == 2, "\(range)")
      #expect(try width(range.upperBound + 1) == 1, "\(range)")
      // A combining mark is before one of them, and a byte order mark before another.
      if ![0xFE30, 0xFF00].contains(range.lowerBound) {
        #expect(try width(range.lowerBound - 1) == 1, "\(range)")
      }
    }
    for mark: UInt32 in [0x301, 0x200D, 0x20DD, 0xFEFF] { #expect(try width(mark) == 0) }
    for usual: UInt32 in [0x20, 0x41, 0x7F, 0xE9, 0x1FFFD] { #expect(try width(usual) == 1) }
  }

  // MARK: Files in the place of a pipeline file

  private static func message(_ text: String, path: String = "x") -> String? {
    MistakenFile.diagnostic(of: Array(text.utf8), at: path)?.message
  }

  @Test(arguments: [
    "hello\n", "password: x\n", "image:a/b.jpg\n", "# a\nb\n", "manifests: x\n", "my_slots: x\n",
    "x/y z\n",
    "[]", "{\"a\": 1}", "1.5 2\n", "a.b: c\n",
  ])
  func aFileOfAnotherKindIsNamed(_ text: String) {
    #expect(
      Self.message(text)
        == "this is not a pipeline file, which has the keys \"manifest\", \"output\" and "
        + "\"slots\"; "
        + "tessera init writes one")
  }

  @Test(arguments: [
    "a.jpg\n", "a/b\n", "https://a/1 \n", "# x\n\n a.jpg", "{\"url\":\"a.jpg\"}", "url\na.jpg\n",
    "a.jpg\nno: b\n",
  ])
  func aManifestIsNamed(_ text: String) {
    #expect(
      Self.message(text, path: "m.txt")
        == "this looks like a manifest, not like a pipeline file; tessera init --from m.txt writes "
        + "a "
        + "pipeline file for it, and --manifest m.txt has another pipeline read it")
  }

  @Test(arguments: [
    "", "\n \t\n", "# a\n  # b\n", "manifest: a", "x: 1\noutput : o\n", "\"slots\": {}",
    "'manifest' : a",
    "{manifest: a}", "a\nslots:\n",
  ])
  func aPipelineFileWithMistakesIsNone(_ text: String) {
    #expect(Self.message(text) == nil)
  }

  // MARK: Files

  /// Longer than a mebibyte, a file is a mistake in the path.
  @Test func aFileHasAtMostAMebibyte() throws {
    let folder = try TemporaryFolder()
    let keys = "manifest: m\noutput: o\nslots: {a: {size: 1x}}\n#"
    try expectMost(1 << 20) { count in
      let rest = String(repeating: "x", count: count - keys.utf8.count)
      let path = try folder.write(keys + rest, to: "a.yaml")
      do {
        return try PipelineFile.load(path) { _ in nil }.name == "a"
      } catch is SystemError {
        return false
      }
    }
  }

  @Test func anotherManifestAndOutputTakeTheirPlaces() throws {
    let folder = try TemporaryFolder()
    let path = try folder.write(
      "manifest: m\noutput: o\nslots: {a: {size: 1x}}\n",
      to: "my.feed.yaml")
    let own = try PipelineFile.load(path, manifest: nil, output: nil)
    #expect(own.name == "my.feed" && own.path == path)
    #expect(own.manifest == .file(folder.path("m")) && own.output == folder.path("o"))
    #expect(own.catalogPath == folder.path("o/catalog.json"))
    let other = try PipelineFile.load(path, manifest: .url("https://a/m"), output: "p")
    #expect(other.manifest == .url("https://a/m") && other.output == "p")
    #expect(other.catalogPath == "p/catalog.json")
    let reading = PipelineFile(reading: .file("n"))
    #expect(reading.manifest == .file("n") && reading.name == "" && reading.plan.slots.isEmpty)
    for (path, name) in [
      ("a/b.yaml", "b"), ("a.b/c", "c"), (".hidden", ".hidden"), ("a.b.yml", "a.b"), ("x.", "x"),
    ] { #expect(PipelineFile.name(of: path) == name) }
  }

  @Test(
    arguments: [
      ("", nil), ("-", .standardInput), ("s3://b/k", .object("s3://b/k")),
      ("http://a/m", .url("http://a/m")), ("HTTPS://a/m", .url("HTTPS://a/m")), ("ftp://a/m", nil),
      ("https:///m", nil), ("m", .file("d/m")), ("/m", .file("/m")), ("-m", .file("d/-m")),
    ] as [(String, PipelineFile.Manifest?)])
  func aManifestHasAPlace(_ text: String, _ manifest: PipelineFile.Manifest?) {
    #expect(PipelineFile.Manifest(text, directory: "d") == manifest)
  }
}
