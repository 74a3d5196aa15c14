import Foundation
import TesseraTestSupport
import Testing

@testable import TesseraCatalog
@testable import TesseraCatalogSQLite

/// A catalog in a database: what is found in it, and what a later catalog changes.
@Suite struct DatabaseTests {
  private let folder: TemporaryFolder
  private var path: String { folder.path("catalog.sqlite") }

  init() throws { folder = try TemporaryFolder() }

  private static func image(_ id: String, alt: String? = nil) -> CatalogImage {
    let source = CatalogFixture.source(id)
    return CatalogImage(
      id: id, url: "https://example.com/\(id)", status: .ok, width: 200, height: 100,
      placeholder: CatalogPlaceholder(color: "#010203"),
      variants: [CatalogFixture.variant(20, 10, of: source)],
      slots: ["card": CatalogSlotUse(width: 20, height: 10, variants: [0, 0])], source: source,
      alt: alt, extra: .object(["n": .number(1.5)]))
  }

  private func write(_ images: [CatalogImage], digest: String = "0") throws {
    try? FileManager.default.removeItem(atPath: path)
    var head = CatalogFixture.catalog([])
    head.digest = digest
    let writer = try CatalogDatabaseWriter(path)
    for image in images { try writer.add(image, line: image.json) }
    try writer.end(head: head.sortedHeadLine)
  }

  private func open() throws -> CatalogDatabase {
    try CatalogDatabase(path, accepting: ["image/webp"], from: "https://example.com/f/catalog.json")
  }

  @Test func imagesAreFoundByIdAndPlace() throws {
    let images = ["b", "a", "c\0d", "é"].map { Self.image($0) }
    try write(images)
    let database = try open()
    #expect(database.count == 4 && database.head.images.isEmpty)
    #expect(database.head.slots == CatalogFixture.catalog([]).slots)
    for image in images { #expect(try database.entry(image.id)?.image == image) }
    #expect(try database.entry("e\u{301}") == nil && database.entry("") == nil)
    #expect(try database.entries(1..<3).map(\.id) == ["a", "c\0d"])
    #expect(try database.entries(3..<9).map(\.id) == ["é"] && database.entries(9..<9).isEmpty)
    #expect(try database.position(of: "a") == 1 && database.position(of: "x") == nil)
    let file = try database.entry("a")?.file(for: "card", scale: 1)
    #expect(file?.url == "https://example.com/f/\(CatalogFixture.path(20, 10))")
    #expect(try database.entry("a")?.layoutSize(in: "card") == CatalogSize(width: 20, height: 10))
  }

  /// Of two images with the same id the first counts, as in an index; places have no gap.
  @Test func anIdIsThereOnce() throws {
    try write([Self.image("a", alt: "first"), Self.image("b"), Self.image("a"), Self.image("c")])
    let database = try open()
    #expect(database.count == 3)
    #expect(try database.entries(0..<9).map(\.id) == ["a", "b", "c"])
    #expect(try database.entry("a")?.alt == "first" && database.position(of: "c") == 2)
  }

  /// A digest of another program may be any text.
  @Test(arguments: ["0", "a\"b\\c", ""])
  func theHeadKeepsTheDigest(_ digest: String) throws {
    try write([], digest: digest)
    let database = try open()
    #expect(database.head.digest == digest && database.count == 0)
    #expect(CatalogDatabaseWriter.head(of: path) == database.head.sortedHeadLine)
    #expect(CatalogDatabaseWriter.head(of: folder.path("none")) == nil)
  }

  /// Names that would be something else in a URI, and a second slash, which would begin a host.
  @Test(arguments: ["a b", "100%25?x=1&y#z", "é", "file:x"])
  func anyNameIsOpened(_ name: String) throws {
    try write([Self.image("a")])
    for path in [folder.path(name), "/" + folder.path(name)] {
      try FileManager.default.copyItem(atPath: self.path, toPath: path)
      #expect(try CatalogDatabase(path, accepting: []).count == 1)
      try FileManager.default.removeItem(atPath: path)
    }
  }

  /// iOS ends an app in the background that has a lock on a file of a shared container.
  @Test func readingTakesNoLock() throws {
    try write([Self.image("a")])
    let database = try open()
    let other = try Connection(path, .write)
    try other.execute("BEGIN EXCLUSIVE")
    #expect(try database.entry("a")?.id == "a")
    try other.execute("ROLLBACK")
  }

  @Test func otherFilesAreRejected() throws {
    try folder.write("no database", to: "catalog.sqlite")
    #expect(throws: CatalogDatabaseError(path: path, reason: "file is not a database")) {
      try open()
    }
    try folder.write("", to: "catalog.sqlite")
    #expect(throws: CatalogDatabaseError(path: path, reason: "not a database of a catalog")) {
      try open()
    }
    #expect(CatalogDatabaseWriter.head(of: path) == nil)
    try FileManager.default.removeItem(atPath: path)
    #expect(throws: CatalogDatabaseError.self) { try open() }
    #expect(!FileManager.default.fileExists(atPath: path))
    try write([Self.image("a")])
    let connection = try Connection(path, .write)
    try connection.execute("UPDATE images SET json = '{\"id\":5}'")
    #expect {
      try open().entry("a")
    } throws: {
      "\($0)" == "\"\(path)\": an image: line 1, column 7: id: expected a string, found 5"
    }
    try connection.execute("UPDATE head SET json = '{}'")
    #expect(throws: CatalogDatabaseError.self) { try open() }
    try connection.execute("PRAGMA user_version = 2")
    #expect(
      throws: CatalogDatabaseError(
        path: path, reason: "its tables have version 2; this library reads version 1")
    ) { try open() }
  }

  /// A part of a catalog has the slots that were chosen, and no file that only others have.
  @Test func aSelectionHasItsSlotsOnly() throws {
    var image = Self.image("a")
    image.variants += [40, 80].map { CatalogFixture.variant($0, $0) }
    image.slots = [
      "card": CatalogSlotUse(width: 1, height: 1, variants: [2, 2]),
      "hero": CatalogSlotUse(width: 1, height: 1, variants: [0, 1]),
    ]
    let part = CatalogSelection(slots: ["card"]).image(image, scales: [1, 2])
    #expect(part.variants == [image.variants[2]])
    #expect(part.slots == ["card": CatalogSlotUse(width: 1, height: 1, variants: [0, 0])])
    #expect(CatalogSelection(slots: ["card", "hero"]).image(image, scales: [1, 2]) == image)
    let none = CatalogSelection(slots: ["x"])
    let empty = none.image(image, scales: [1, 2])
    #expect(empty.variants.isEmpty && empty.slots.isEmpty)
    #expect(none.head(CatalogFixture.catalog([])).slots.isEmpty)
  }
}
