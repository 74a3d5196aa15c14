import Foundation
import TesseraCatalog
import TesseraOutput
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
    (
      "images",
      {
        var images = try $0.images()
        while try images.next() != nil {}
      }
    ),
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

  /// A catalog that another tool re-indented, minified or sorted (C13) is the same catalog.
  @Test(arguments: [["--indent", "4"], ["--compact"], ["--tab", "--sort-keys"]])
  func aReformattedCatalogIsTheSame(_ options: [String]) async throws {
    let folder = try TemporaryFolder()
    let path = try folder.write(Self.json, to: "catalog.json")
    let digest = try CatalogFile(at: path).canonicalDigest()
    let result = try await Tool.run("/usr/bin/python3", ["-m", "json.tool"] + options + [path])
    try #require(result.status == 0, "\(result.errors)")
    try folder.write(result.output, to: "catalog.json")
    #expect(try CatalogFile(at: path).canonicalDigest() == digest)
    var ids: [String] = []
    var images = try CatalogFile(at: path).images()
    while let image = try images.next() { ids.append(image.id) }
    #expect(ids == ["a", "ü", "c"])
    var lines = try CatalogFile(at: path).lines()
    var texts: [String] = []
    while let image = try lines.next() {
      #expect(try lines.image(at: lines.place) == image)
      texts.append(image.id ?? "")
    }
    #expect(texts == ids)
    // Nothing differs from the catalog as it was written.
    let diff = CatalogDiff(old: try folder.write(Self.json, to: "old.json"), new: path)
    #expect(try diff.run(onChange: { _ in }).isEmpty)
  }
}
