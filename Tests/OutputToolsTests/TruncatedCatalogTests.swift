import Foundation
import TesseraTestSupport
import Testing

@testable import TesseraOutputTools

/// A catalog that is cut off at every byte (F10): the tools reject it in a sentence that names it.
@Suite struct TruncatedCatalogTests {
  private static let head = #"""
    {"schema":"tessera-catalog/1","generator":{"name":"tessera","version":"0.1.0","libvips":"8.14.1"},"pipeline":{"name":"p","fingerprint":"f"},"slots":{"a":{"width":8,"height":8,"mode":"fit"}},"scales":[1]
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
        if Self.isComplete(name, bytes, count) {
          #expect(sentence == nil, "\(cut)")
        } else {
          #expect(sentence?.contains("\"\(folder.path(name))\"") == true, "\(cut)")
          #expect(sentence?.contains("\n") == false, "\(cut)")
        }
      }
    }
  }

  /// Whether nothing is missing but the last line's end. JSON Lines has no end of its own, so there a
  /// cut between two images is not noticed.
  private static func isComplete(_ name: String, _ bytes: [UInt8], _ count: Int) -> Bool {
    let newline = UInt8(ascii: "\n")
    if count >= bytes.count - 1 { return true }
    return name == "catalog.jsonl" && count > 0
      && (bytes[count] == newline || bytes[count - 1] == newline)
  }
}
