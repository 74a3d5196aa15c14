import Foundation
import TesseraSystem
import TesseraTestSupport
import Testing

@testable import TesseraNet

/// Lists of sources to probe.
@Suite struct SourceListTests {
  /// The entries of a text: sources, and messages in brackets.
  private static func entries(_ bytes: [UInt8]) async throws -> [String] {
    let folder = try TemporaryFolder()
    try Data(bytes).write(to: URL(filePath: folder.path("list")))
    let list = SourceList(try File(folder.path("list"), .read))
    var entries: [String] = []
    while let entry = try await list.next() {
      switch entry {
      case .success(let source): entries.append(source)
      case .failure(let failure):
        #expect(failure.code == "bad-url" && !failure.isRetryable)
        entries.append("[\(failure.message)]")
      }
    }
    return entries
  }

  @Test(arguments: [
    ("", []), ("a", ["a"]), ("a\nb\n", ["a", "b"]), ("a\r\nb", ["a", "b"]),
    ("\n \t\na b\t \n\n", ["a b"]), ("  a", ["a"]), ("\ta\t", ["a"]), ("a\n\nb", ["a", "b"]),
    // A byte order mark is one at the beginning only.
    ("\u{FEFF}a\n\u{FEFF}b", ["a", "\u{FEFF}b"]), ("\u{FEFF}\na", ["a"]),
    ("\n\u{FEFF}a", ["\u{FEFF}a"]),
    ("a\u{0}b\nc\u{1}d", ["[Line 1 of the list contains a NUL character.]", "c\u{1}d"]),
    ("a\n\u{0}", ["a", "[Line 2 of the list contains a NUL character.]"]),
  ])
  func aSourceIsALine(_ text: String, _ expected: [String]) async throws {
    #expect(try await Self.entries(Array(text.utf8)) == expected)
  }

  /// Only a whole byte order mark counts.
  @Test(arguments: [[0xEF, 0xBB, 0x61], [0xEF, 0xBF, 0x61], [0xBB, 0xBF, 0x61]] as [[UInt8]])
  func otherBytesBelongToTheSource(_ bytes: [UInt8]) async throws {
    #expect(try await Self.entries(bytes) == [String(decoding: bytes, as: UTF8.self)])
  }

  /// A list may be longer than one read, and has limits for its lines.
  @Test func longListsAreRead() async throws {
    let lines = (0..<20_000).map { "https://a.example/\($0).jpg" }
    let text = lines.joined(separator: "\n")
    #expect(try await Self.entries(Array(text.utf8)) == lines)
  }
}
