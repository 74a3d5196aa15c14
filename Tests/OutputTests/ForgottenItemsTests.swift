import Foundation
import TesseraBytes
import TesseraMemoryOutput
import TesseraSystem
import TesseraTestSupport
import TesseraText
import Testing

@testable import TesseraOutput

/// The marks of forgotten images.
@Suite struct ForgottenItemsTests {
  private static let key = String(repeating: "0f", count: 32)

  private static func document(
    key: String = key, marks: String = "", schema: String = "tessera-forgotten/1"
  ) -> [UInt8] {
    Array(#"{"schema":"\#(schema)","key":"\#(key)","marks":[\#(marks)]}"#.utf8)
  }

  /// The HMAC of a text under the key.
  private static func mark(_ text: String) -> String {
    MessageDigest.sha256.code(of: Array(text.utf8), key: [UInt8](repeating: 15, count: 32))
      .map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
  }

  @Test func imagesAreKnownByTheirIdOrTheirRequest() throws {
    var items = try #require(ForgottenItems(document: Self.document()))
    #expect(items.isEmpty)
    #expect(!items.has(id: "a", request: "r"))
    items.add(ids: ["a", "b"], requests: ["r", "s"])
    #expect(!items.isEmpty)
    for (id, request, isForgotten) in [
      ("a", "x", true), ("x", "r", true), ("a", "r", true), ("b", "s", true), ("x", "y", false),
      // An id is not a request.
      ("r", "a", false),
    ] {
      #expect(items.has(id: id, request: request) == isForgotten, "\(id) \(request)")
      #expect(items.has(id: id) == ["a", "b"].contains(id))
    }
    _ = items.remove(ids: ["a"], requests: ["r"])
    #expect(!items.has(id: "a", request: "r"))
    #expect(items.has(id: "b", request: "r") && items.has(id: "a", request: "s"))
    _ = items.remove(ids: ["b", "none"], requests: ["s"])
    #expect(items.isEmpty)
  }

  /// Images that differ in a secret are shown with one URL: forgetting one by its id leaves the others.
  @Test func aShownURLIsMarkedApartFromRequests() throws {
    var items = try #require(ForgottenItems(document: Self.document()))
    let url = "https://example.com/x.jpg"
    let requests = ForgottenItems.requests(of: url)
    items.add(ids: ["a"], requests: [], sources: ["a": requests])
    #expect(items.has(ids: [], url: url) && !items.has(shown: url))
    items.add(ids: ["a"], requests: [], shown: ["a": [Identifier(url)]])
    #expect(items.has(shown: url))
    #expect(items.remove(ids: ["a"], requests: []) == [])
    #expect(items.isEmpty)
    // What a person names is meant for all that show it.
    items.add(ids: [], requests: requests)
    #expect(items.has(shown: url))
  }

  /// The URLs of an image that was named by its id come back with it, and no others.
  @Test func anIdImpliesItsRequests() async throws {
    let catalogs = try MemoryCatalogs()
    var items = try #require(ForgottenItems(document: Self.document()))
    func add(_ ids: [String], _ requests: [String] = [], _ sources: [Identifier: [String]]) {
      items.add(ids: ids, requests: requests, sources: sources)
    }
    func marked() -> [String] {
      ["r", "s", "t", "u"].filter { items.has(id: "", request: $0) }
    }
    add([], ["u"], [:])
    add(["a", "b", "c"], ["t"], ["a": ["r", "s"], "b": ["s"], "c": ["t", "u"]])
    // As after a kill, when nothing else is known any more.
    add(["a"], [], [:])
    #expect(marked() == ["r", "s", "t", "u"])
    try await items.write(to: catalogs.output, catalogs.workspace)
    items = try await ForgottenItems.of(catalogs.output)
    // Another image has one of them, and the others were named.
    #expect(items.remove(ids: ["a", "c"], requests: []) == ["a", "c"])
    #expect(marked() == ["s", "t", "u"] && !items.has(id: "a") && !items.has(id: "c"))
    #expect(items.remove(ids: ["b"], requests: []) == [])
    #expect(marked() == ["t", "u"])
    #expect(items.remove(ids: [], requests: ["t", "u"]) == [] && items.isEmpty)
    // What is named later is not implied any more.
    add(["a"], [], ["a": ["r"]])
    add([], ["r"], [:])
    #expect(items.remove(ids: ["a"], requests: []) == ["a"] && marked() == ["r"])
    #expect(items.remove(ids: ["x"], requests: ["r"]) == ["x"] && items.isEmpty)
    try await items.write(to: catalogs.output, catalogs.workspace)
    #expect(try !catalogs.output.text(ForgottenItems.path).contains("implied"))
  }

  /// Neither ids nor URLs are in the document.
  @Test func marksAreAuthenticationCodes() async throws {
    let catalogs = try MemoryCatalogs()
    let output = catalogs.output
    var items = try #require(ForgottenItems(document: Self.document()))
    items.add(ids: ["a"], requests: ["r"])
    try await items.write(to: output, catalogs.workspace)
    let marks = [Self.mark("id a"), Self.mark("request r")].sorted()
    #expect(
      try output.text(".tessera/forgotten.json") == """
        {
          "schema": "tessera-forgotten/1",
          "key": "\(Self.key)",
          "marks": [
            "\(marks[0])",
            "\(marks[1])"
          ]
        }

        """)
    #expect(try await ForgottenItems.of(output) == items)
  }

  /// Each output has a key of its own.
  @Test func anOutputWithoutMarksGetsAKey() async throws {
    let (one, other) = (
      try await ForgottenItems.of(MemoryOutput()), try await ForgottenItems.of(MemoryOutput())
    )
    #expect(one.isEmpty && one != other)
    let catalogs = try MemoryCatalogs()
    try await one.write(to: catalogs.output, catalogs.workspace)
    let text = try catalogs.output.text(ForgottenItems.path)
    #expect(text.firstMatch(of: /"key": "[0-9a-f]{64}"/) != nil)
  }

  /// Another process may replace them between two reads, where they are larger than a first read.
  @Test(arguments: [(3_000, 6_000), (3_000, 1)])
  func marksThatAreReplacedMeanwhileAreReadAsAWhole(_ before: Int, _ after: Int) async throws {
    let catalogs = try MemoryCatalogs()
    let output = catalogs.output
    func document(_ count: Int) async throws -> [UInt8] {
      var items = ForgottenItems()
      items.add(ids: (0..<count).map { "\($0)" }, requests: [])
      try await items.write(to: output, catalogs.workspace)
      return try #require(output.files[ForgottenItems.path])
    }
    let (old, new) = (try await document(before), try await document(after))
    try output.write(ForgottenItems.path, old)
    output.interruptAfterSizes { output.files = [ForgottenItems.path: new] }
    #expect(try await ForgottenItems.of(output) == ForgottenItems(document: new))

    let folder = try TemporaryFolder()
    let path = try folder.write(
      String(decoding: old, as: UTF8.self), to: ForgottenItems.path)
    for (place, bytes) in [old, new].enumerated() {
      _ = try folder.write(String(decoding: bytes, as: UTF8.self), to: ".tessera/\(place)")
    }
    let writer = Task.detached {
      var place = 0
      while !Task.isCancelled {
        place = 1 - place
        let other = folder.path(".tessera/\(place)")
        link(other, other + ".new")
        rename(other + ".new", path)
      }
    }
    let directory = try Directory(folder.url.path)
    defer { writer.cancel() }
    for _ in 0..<(isSoak ? 2_000 : 60) { _ = try ForgottenItems(in: directory) }
  }

  /// Without it, forgotten images would come back.
  @Test(arguments: [
    document(schema: "tessera-forgotten/2"), document(key: ""),
    document(key: "xy"), document(marks: "\"a\"],\"implied\":[\"a\""),
    document(marks: "\"a\"],\"implied\":{\"a\":[1]},\"x\":["), document(marks: "1"),
    document(marks: "\"a\",null"),
    Array(#"{"schema":"tessera-forgotten/1","key":"0f"}"#.utf8),
    Array(#"{"schema":"tessera-forgotten/1","marks":[]}"#.utf8), Array("{".utf8), [],
  ])
  func aDamagedDocumentIsAnError(_ document: [UInt8]) async throws {
    #expect(ForgottenItems(document: document) == nil)
    let output = MemoryOutput()
    try output.write(ForgottenItems.path, document)
    let error = await #expect(throws: SystemError.self) { try await ForgottenItems.of(output) }
    #expect(
      error?.description
        == "\"memory/.tessera/forgotten.json\" is damaged: expected the marks of forgotten images; "
        + "restore it from a backup, or remove it, and forget those images again that the manifest "
        + "still has")
  }
}
