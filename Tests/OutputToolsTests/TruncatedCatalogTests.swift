import Foundation
import TesseraCatalog
import TesseraOutput
import TesseraTestSupport
import Testing

@testable import tessera

/// A catalog that is cut off at every byte (F10): the tools reject it in a sentence that names it.
@Suite struct TruncatedCatalogTests {
  private static let head = #"""
    {"schema":"tessera-catalog/1","generator":{"name":"tessera","version":"0.1.0","libvips":"8.14.1"},"pipeline":{"name":"p","fingerprint":"f"},"formats":[{"type":"image/png","extension":"png","recipe":"00000000000000aa"}],"slots":{"a":{"width":8,"height":8,"mode":"fit"}},"scales":[1]}
    """#
  private static let images = ["a", "ü", "c"].map {
    #"{"id":"\#($0)","url":"https://example.com/\#($0)","status":"failed","slots":{"a":{"width":8,"height":8}},"#
      + #""error":{"code":"network","message":"Gone.","retryable":true}}"#
  }

  private static let text = SmallOutput.document(images, head: head)

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
    ("digest", { _ = try $0.contentDigest() }),
  ]

  @Test(.faults(.c14, .f10)) func everyCutIsReported() throws {
    let folder = try TemporaryFolder()
    let bytes = Array(Self.text.utf8)
    for count in 0...bytes.count {
      try Data(bytes[..<count]).write(to: folder.url.appending(path: "catalog.json"))
      for (reader, read) in Self.readers {
        var sentence: String?
        do { try read(CatalogFile(at: folder.url.path)) } catch { sentence = "\(error)" }
        let cut = "\(reader) \(count) of \(bytes.count): \(sentence ?? "accepted")"
        if count == bytes.count {
          #expect(sentence == nil, "\(cut)")
        } else {
          #expect(sentence?.contains("\"\(folder.path("catalog.json"))\"") == true, "\(cut)")
          #expect(sentence?.contains("\n") == false, "\(cut)")
        }
      }
    }
  }

  /// A catalog that another tool re-indented, minified or sorted (C13) is another document, and the tools say so.
  @Test(.faults(.c13), arguments: [["--indent", "4"], ["--compact"], ["--tab", "--sort-keys"]])
  func aReformattedCatalogIsRejected(_ options: [String]) async throws {
    let folder = try TemporaryFolder()
    let path = try folder.write(Self.text, to: "catalog.json")
    let result = try await Tool.run("/usr/bin/python3", ["-m", "json.tool"] + options + [path])
    try #require(result.status == 0, "\(result.errors)")
    try folder.write(result.output, to: "catalog.json")
    for (reader, read) in Self.readers {
      let text = await sentence { try read(CatalogFile(at: path)) }
      #expect(
        text.hasPrefix("\"\(path)\", line 1, column 1: expected {\"digest\":"), "\(reader): \(text)"
      )
      #expect(text.hasSuffix("use the file as Tessera wrote it"), "\(reader): \(text)")
    }
  }
}
