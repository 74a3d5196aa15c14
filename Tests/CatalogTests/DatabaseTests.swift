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
    CatalogImage(
      id: id, url: "https://example.com/\(id)", status: .ok, width: 200, height: 100,
      placeholder: CatalogPlaceholder(color: "#010203"),
      variants: [
        CatalogVariant(
          path: "variants/aa/\(String(repeating: "a", count: 32))-20x10.webp", type: "image/webp",
          width: 20, height: 10, bytes: 5)
      ], slots: ["card": CatalogSlotUse(width: 20, height: 10, variants: [0, 0])], alt: alt,
      extra: .object(["n": .number(1.5)]))
  }

  /// Writes a catalog, and returns how many images were written.
  @discardableResult
  private func write(_ images: [CatalogImage], isNew: Bool = false, head: Catalog? = nil) throws
    -> Int
  {
    var head = head ?? CatalogFixture.catalog([])
    head.digest = String(repeating: "0", count: 64)
    let writer = try CatalogDatabaseWriter(path, isNew: isNew)
    defer { writer.close() }
    try writer.begin()
    for image in images { try writer.add(image, line: image.json) }
    try writer.end(head: head.databaseHead(nil))
    return writer.written
  }

  private func open() throws -> CatalogDatabase {
    try CatalogDatabase(path, accepting: ["image/webp"], from: "https://example.com/f/catalog.json")
  }

  private func ids() throws -> [String] {
    let database = try open()
    return try database.entries(0..<database.count).map(\.id)
  }

  @Test func imagesAreFoundByIdAndPlace() throws {
    let images = ["b", "a", "c\0d", "é"].map { Self.image($0) }
    try write(images, isNew: true)
    let database = try open()
    #expect(database.count == 4 && database.head.images.isEmpty)
    #expect(database.head.slots == CatalogFixture.catalog([]).slots)
    for image in images { #expect(try database.entry(image.id)?.image == image) }
    #expect(try database.entry("e\u{301}") == nil && database.entry("") == nil)
    #expect(try database.entries(1..<3).map(\.id) == ["a", "c\0d"])
    #expect(try database.entries(3..<9).map(\.id) == ["é"] && database.entries(9..<9).isEmpty)
    #expect(try database.position(of: "a") == 1 && database.position(of: "x") == nil)
    let file = try database.entry("a")?.file(for: "card", scale: 1)
    #expect(
      file?.url
        == "https://example.com/f/variants/aa/\(String(repeating: "a", count: 32))-20x10.webp")
    #expect(try database.entry("a")?.layoutSize(in: "card") == CatalogSize(width: 20, height: 10))
  }

  /// Only what changed is written, whatever became of the order.
  @Test func aLaterCatalogChangesADatabase() throws {
    let images = (0..<50).map { Self.image("\($0)") }
    #expect(try write(images, isNew: true) == 50)
    #expect(try write(images) == 0)
    var generator = SplitMix(seed: 3)
    var current = images
    for round in 0..<40 {
      let before = Dictionary(uniqueKeysWithValues: current.map { ($0.id, $0) })
      switch Int.random(in: 0..<4, using: &generator) {
      case 0: current.shuffle(using: &generator)
      case 1: current.insert(Self.image("new \(round)"), at: 0)
      case 2: current.remove(at: Int.random(in: 0..<current.count, using: &generator))
      default:
        current[Int.random(in: 0..<current.count, using: &generator)].alt = "changed in \(round)"
      }
      let changed = current.filter { before[$0.id] != $0 }.count
      #expect(try write(current) == changed)
      let database = try open()
      #expect(database.count == current.count)
      #expect(try database.entries(0..<current.count).map(\.image) == current)
    }
  }

  /// Nothing of an image that is gone stays in the file.
  @Test func whatIsRemovedIsOverwritten() throws {
    let secret = Self.image("gone", alt: String(repeating: "secret words ", count: 400))
    try write([Self.image("a"), secret, Self.image("b")], isNew: true)
    #expect(try folder.read("catalog.sqlite").range(of: Data("secret words".utf8)) != nil)
    try write([Self.image("a"), Self.image("b")])
    let bytes = try folder.read("catalog.sqlite")
    #expect(bytes.range(of: Data("secret words".utf8)) == nil)
    #expect(bytes.range(of: Data("gone".utf8)) == nil)
    #expect(try ids() == ["a", "b"])
  }

  /// Work that does not end leaves the database as it was, also for who has it open.
  @Test func aChangeIsVisibleAsAWhole() throws {
    try write([Self.image("a")], isNew: true)
    let reader = try open()
    let writer = try CatalogDatabaseWriter(path, isNew: false)
    try writer.begin()
    try writer.add(Self.image("b"), line: Self.image("b").json)
    #expect(try reader.entries(0..<9).map(\.id) == ["a"])
    writer.close()
    #expect(try ids() == ["a"])
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
    #expect(throws: CatalogDatabaseError(path: path, reason: "not a database of a catalog")) {
      try CatalogDatabaseWriter(path, isNew: false)
    }
    try FileManager.default.removeItem(atPath: path)
    #expect(throws: CatalogDatabaseError.self) { try open() }
    #expect(!FileManager.default.fileExists(atPath: path))
    try write([Self.image("a")], isNew: true)
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
    for side in [40, 80] {
      image.variants.append(
        CatalogVariant(path: "\(side)", type: "image/webp", width: side, height: side, bytes: 1))
    }
    image.slots = [
      "card": CatalogSlotUse(width: 1, height: 1, variants: [2, 2]),
      "hero": CatalogSlotUse(width: 1, height: 1, variants: [0, 1]),
    ]
    let part = CatalogSelection(slots: ["card"]).image(image)
    #expect(part.variants == [image.variants[2]])
    #expect(part.slots == ["card": CatalogSlotUse(width: 1, height: 1, variants: [0, 0])])
    #expect(CatalogSelection(slots: ["card", "hero"]).image(image) == image)
    let none = CatalogSelection(slots: ["x"])
    #expect(none.image(image).variants.isEmpty && none.image(image).slots.isEmpty)
    #expect(none.head(CatalogFixture.catalog([])).slots.isEmpty)
  }
}
