import Foundation
import TesseraSystem
import TesseraTestSupport
import Testing

@testable import TesseraOutput
@testable import tessera

/// How catalogs are found and read, and how they are compared as JSON.
@Suite struct CatalogFileTests {
  private let small: SmallOutput

  init() throws { small = try SmallOutput() }

  private static func ids(_ path: String) throws -> [String?] {
    var lines = try CatalogFile(at: path).lines()
    var ids: [String?] = []
    while let image = try lines.next() { ids.append(image.id) }
    return ids
  }

  private static func text(_ ids: String) -> String {
    SmallOutput.document(ids.map { SmallOutput.line(String($0)) })
  }

  /// The user may name a link; in an output none is followed.
  @Test func aLinkIsFollowedWhereTheUserNamesIt() async throws {
    try small.folder.write(Self.text("ab"), to: "elsewhere/list.json")
    let link = "\(small.root)/catalog.json"
    try FileManager.default.createSymbolicLink(
      atPath: link, withDestinationPath: small.folder.path("elsewhere/list.json"))
    #expect(try Self.ids(link) == ["a", "b"])
    // Paths in it are relative to where it is.
    #expect(try CatalogFile(at: link).folder.path.hasSuffix("/elsewhere"))
    #expect(try CatalogFile(at: link).path == link)
    #expect(await sentence { try Self.ids(small.root) }.contains("\(link)\" is a symbolic link"))
  }

  @Test func whatIsMissingIsNamed() async throws {
    let none = small.folder.path("none")
    #expect(
      await sentence { try Self.ids(none) }
        == "there is no file or folder \"\(none)\"; it must be the output of a run")
    #expect(
      await sentence { try Self.ids(small.root) }
        == "\"\(small.root)\" holds no catalog yet: no run has come to its end; run again, which goes on where the last one was stopped"
    )
    #expect(
      await sentence { try await LocalOutput(none) } == "no error",
      "It is looked for when it is read.")
    let error = #expect(throws: TesseraError.self) { try OutputFolder(none) }
    #expect(error?.isBusy == false)
    #expect(
      await sentence { try OutputFolder(none) }
        == "there is no file or folder \"\(none)\"; it must be the output of a run")
    let file = try small.folder.write("x", to: "file")
    #expect(
      await sentence { try OutputFolder(file) }
        == "\"\(file)\" holds no catalog.json; it must be the output of a run")
    #expect(
      await sentence { try OutputFolder(small.root, state: none) }
        == "\"\(small.root)\" is a directory and holds its own state; --state is for an output in an "
        + "object store")
  }

  @Test func damageIsNamedWithItsLine() async throws {
    let path = "\(small.root)/catalog.json"
    let line = SmallOutput.line("b")
    try small.write(Self.text("abc").replacing(line, with: "{\"id\":}"), to: "catalog.json")
    let text = await sentence { try Self.ids(path) }
    #expect(text.hasPrefix("\"\(path)\", line 3: "), "\(text)")
    #expect(text.hasSuffix("; the catalog is damaged, run again to regenerate it"), "\(text)")
    for text in ["{}", "{\"a\":1", "lines\n"] {
      try small.write(text, to: "catalog.json")
      #expect(
        await sentence { try CatalogFile(at: path).head() }
          .hasPrefix("\"\(path)\", line 1, column 1: expected {\"digest\":"))
    }
  }

  // MARK: Differences as JSON

  private func difference(
    _ old: String, _ new: String
  ) throws -> (json: String, failure: String?) {
    var bytes: [UInt8] = []
    var parts = 0
    var failure: String?
    do {
      try CatalogDiff(old: old, new: new).writeJSON { part in
        bytes += part
        parts += 1
      }
    } catch {
      failure = "\(error)"
    }
    // What is found is written at once.
    #expect(
      parts > 1 || failure != nil || !String(decoding: bytes, as: UTF8.self).contains("change\""))
    return (String(decoding: bytes, as: UTF8.self), failure)
  }

  @Test func differencesAreAListAndSums() async throws {
    let text = SmallOutput.document(
      "bacez".map { id in
        SmallOutput.line(String(id)).replacing(
          #""url":"https://example.com/c","status":"ok""#, with: #""url":"v","status":"stale""#)
      }, head: SmallOutput.head(#""slots":{},"scales":[1,2]"#))
    let old = try small.folder.write(Self.text("abcdf"), to: "old.json")
    let new = try small.folder.write(text, to: "new.json")
    let digests = try CatalogDiff(old: old, new: new).digests()
    #expect(digests.old != digests.new)
    let (json, failure) = try difference(old, new)
    #expect(failure == nil)
    #expect(
      json == """
        {
          "schema": "tessera-diff/1",
          "changes": [
            {
              "change": "changed",
              "id": "c",
              "members": [
                "url",
                "status"
              ]
            },
            {
              "change": "added",
              "id": "e"
            },
            {
              "change": "added",
              "id": "z"
            },
            {
              "change": "removed",
              "id": "d"
            },
            {
              "change": "removed",
              "id": "f"
            }
          ],
          "old": "\(digests.old)",
          "new": "\(digests.new)",
          "added": 2,
          "removed": 2,
          "changed": 1,
          "same": 2,
          "moved": 2,
          "members": [
            "scales"
          ]
        }

        """)
    #expect(
      try difference(old, old).json.hasPrefix(
        "{\n  \"schema\": \"tessera-diff/1\",\n  \"changes\": [],\n  \"old\": \""))
  }

  /// After an error the document is complete, and says so.
  @Test func anErrorTakesThePlaceOfTheSums() async throws {
    try small.folder.write(Self.text("ab"), to: "old.json")
    try small.folder.write(Self.text("xx"), to: "new.json")
    let (json, failure) = try difference(
      small.folder.path("old.json"), small.folder.path("new.json"))
    let message = try #require(failure)
    #expect(message.contains("duplicate id \"x\""))
    #expect(
      json == """
        {
          "schema": "tessera-diff/1",
          "changes": [
            {
              "change": "added",
              "id": "x"
            }
          ],
          "error": {
            "code": "output",
            "message": "\(message.replacing("\"", with: "\\\""))",
            "retryable": false
          }
        }

        """)
    for (name, text) in [("old.json", "old"), ("new.json", "new")] {
      let whole = try small.folder.text(name)
      try small.folder.write(
        whole.replacing(#""id":"\#(text == "old" ? "b" : "x")","#, with: ""), to: name)
      let found = try difference(small.folder.path("old.json"), small.folder.path("new.json"))
      #expect(found.failure?.contains("an image has no id") == true, "\(found.failure ?? "")")
      try small.folder.write(whole, to: name)
    }
  }

  @Test(
    arguments: [
      (0, 0, 0, 0, [], true), (1, 0, 0, 0, [], false), (0, 1, 0, 0, [], false),
      (0, 0, 1, 0, [], false), (0, 0, 0, 1, [], false),
      (1, 1, 0, 0, [], false), (0, 1, 1, 0, [], false), (0, 0, 1, 1, [], false),
      (0, 0, 0, 0, ["scales"], false),
    ] as [(Int, Int, Int, Int, [String], Bool)])
  func whetherNothingDiffers(
    _ added: Int, _ removed: Int, _ changed: Int, _ moved: Int, _ members: [String], _ isEmpty: Bool
  ) {
    var report = CatalogDiff.Report()
    (report.added, report.removed, report.changed) = (added, removed, changed)
    (report.moved, report.members, report.same) = (moved, members, 5)
    #expect(report.isEmpty == isEmpty)
  }
}
