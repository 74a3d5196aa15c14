import Foundation
import TesseraCatalog
import TesseraTestSupport
import Testing

@testable import TesseraOutputTools

/// A catalog that is cut off at every byte (F10): the tools reject it in a sentence that names it.
@Suite struct TruncatedCatalogTests {
  private static let head = #"""
    {"schema":"tessera-catalog/1","generator":{"name":"tessera","version":"0.1.0","libvips":"8.14.1"},"pipeline":{"name":"p","fingerprint":"f"},"slots":{"a":{"width":8,"height":8,"mode":"fit"}},"scales":[1],"count":3
    """#
  private static let images = ["a", "ü", "c"].map {
    #"{"id":"\#($0)","url":"https://example.com/\#($0)","status":"failed","variants":[],"slots":{},"#
      + #""error":{"code":"network","message":"Gone.","retryable":true}}"#
  }

  private static let json = head + ",\"images\":[\n" + images.joined(separator: ",\n") + "\n]}\n"
  private static let lines = head + "}\n" + images.joined(separator: "\n") + "\n"

  /// The ways in which tools read a catalog.
  private static let readers: [(name: String, read: @Sendable (CatalogFile) throws -> Void)] = [
    (
      "lines",
      {
        var lines = try $0.lines()
        while try lines.next() != nil {}
      }
    ),
    ("images", { try $0.forEachImage { _ in } }),
    ("digest", { _ = try $0.canonicalDigest() }),
  ]

  @Test(arguments: [("catalog.json", json), ("catalog.jsonl", lines)])
  func everyCutIsReported(_ name: String, _ text: String) throws {
    let folder = try TemporaryFolder()
    let bytes = Array(text.utf8)
    for count in 0...bytes.count {
      try Data(bytes[..<count]).write(to: folder.url.appending(path: name))
      for (reader, read) in Self.readers {
        var sentence: String?
        do { try read(CatalogFile(at: folder.url.path)) } catch { sentence = "\(error)" }
        let cut = "\(reader) \(count) of \(bytes.count): \(sentence ?? "accepted")"
        // Only the last line's end may be missing.
        if count >= bytes.count - 1 {
          #expect(sentence == nil, "\(cut)")
        } else {
          #expect(sentence?.contains("\"\(folder.path(name))\"") == true, "\(cut)")
          #expect(sentence?.contains("\n") == false, "\(cut)")
        }
      }
    }
  }

  /// A catalog that another tool re-indented or minified (C13) is the same catalog for what reads
  /// images. What reads lines says that it is not as a run writes it.
  @Test(arguments: [["--indent", "4"], ["--compact"], ["--tab", "--sort-keys"]])
  func aReformattedCatalogIsTheSameOrRejected(_ options: [String]) async throws {
    let folder = try TemporaryFolder()
    let path = try folder.write(Self.json, to: "catalog.json")
    let digest = try CatalogFile(at: path).canonicalDigest()
    let result = try await Tool.run("/usr/bin/python3", ["-m", "json.tool"] + options + [path])
    try #require(result.status == 0, "\(result.errors)")
    try folder.write(result.output, to: "catalog.json")
    #expect(try CatalogFile(at: path).canonicalDigest() == digest)
    var ids: [String] = []
    try CatalogFile(at: path).forEachImage { ids.append($0.id) }
    #expect(ids == ["a", "ü", "c"])
    let error = try #require(throws: OutputToolError.self) {
      try Self.readers[0].read(CatalogFile(at: path))
    }
    #expect("\(error)".contains("\"\(path)\" is not a catalog of this version"))
    #expect("\(error)".contains("as a run writes it"))
  }
}
