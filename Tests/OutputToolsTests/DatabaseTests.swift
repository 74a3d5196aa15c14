import Foundation
import TesseraCatalog
import TesseraState
import TesseraTestSupport
import Testing

@testable import tessera

/// A catalog in a database, looked up as an app does, with the queries of `Pipelines/CATALOG.md`.
@Suite struct DatabaseTests {
  private let folder: TemporaryFolder
  private var path: String { folder.path("catalog.sqlite") }

  init() throws { folder = try TemporaryFolder() }

  private static let head = Array(SmallOutput.head().utf8)

  private func write(_ ids: [String], head: [UInt8] = head) throws {
    try? FileManager.default.removeItem(atPath: path)
    let writer = try DatabaseWriter(path)
    for (place, id) in ids.enumerated() {
      let image = CatalogImage(id: id, status: .failed, alt: "\(place)")
      try writer.add(image, line: image.json)
    }
    try writer.end(head: head)
  }

  private func query(_ sql: String) throws -> [[UInt8]] {
    let database = try Database(path, isReadOnly: true)
    var lines: [[UInt8]] = []
    try database.prepare(sql).run { lines.append(Array($0.bytes(0))) }
    return lines
  }

  @Test func imagesAreFoundByIdAndPlace() throws {
    // Of two images with the same id the first counts, as in an index; places have no gap.
    try write(["b", "a", "c\0d", "é", "a", "e"])
    let head = try Catalog(readingHead: query("SELECT json FROM head")[0])
    let index = try CatalogIndex(head, accepting: [], from: "https://example.com/catalog.json")
    func images(_ condition: String) throws -> [String] {
      try query("SELECT json FROM images WHERE \(condition) ORDER BY place").map {
        let image = try index.image(reading: $0)
        return "\(image.id) \(image.alt ?? "")"
      }
    }
    #expect(try images("id = 'a'") == ["a 1"])
    #expect(try images("place >= 1 AND place < 9") == ["a 1", "c\0d 2", "é 3", "e 5"])
    #expect(try images("id = 'e\u{301}'").isEmpty)
    #expect(try query("SELECT count(*) FROM images") == [Array("5".utf8)])
    #expect(DatabaseWriter.head(of: path) == Self.head)
  }

  @Test func aDatabaseMayBeBelowALink() throws {
    try FileManager.default.createSymbolicLink(
      atPath: folder.path("link"), withDestinationPath: folder.path(""))
    let path = folder.path("link/other.sqlite")
    let writer = try DatabaseWriter(path)
    try writer.end(head: Self.head)
    #expect(DatabaseWriter.head(of: path) == Self.head)
    #expect(DatabaseWriter.head(of: folder.path("other.sqlite")) == Self.head)
  }

  @Test func otherFilesHaveNoHead() throws {
    #expect(DatabaseWriter.head(of: folder.path("none")) == nil)
    for text in ["no database", ""] {
      try folder.write(text, to: "catalog.sqlite")
      #expect(DatabaseWriter.head(of: path) == nil)
    }
    #expect(throws: DatabaseError.self) { try DatabaseWriter(folder.path("no/folder")) }
    for change in ["user_version = 2", "application_id = 1"] {
      try write(["a"])
      try Database(path).execute("PRAGMA \(change)")
      #expect(DatabaseWriter.head(of: path) == nil)
    }
  }
}
