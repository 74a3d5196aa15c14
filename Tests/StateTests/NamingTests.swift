import TesseraTestSupport
import Testing

@testable import TesseraState

/// Which files are named, since when others are not, and the images of tables.
@Suite struct NamingTests {
  @Test func theFirstThatNamesAFileStays() async throws {
    let state = try StateStore(path: "")
    for _ in 0..<2 {
      try await state.beginNaming()
      #expect(try await state.naming(of: "a") == nil)
      try await state.name(["a", "b"], by: .init("the catalog"))
      try await state.name(["b", "c"], by: .init("a kept catalog", until: 7.5))
      #expect(try await state.naming(of: "a") == .init("the catalog"))
      #expect(try await state.naming(of: "b") == .init("the catalog", until: nil))
      #expect(try await state.naming(of: "c") == .init("a kept catalog", until: 7.5))
      #expect(try await state.naming(of: "d") == nil)
    }
  }

  @Test func theFirstTimeOfARetiredFileStays() async throws {
    let folder = try TemporaryFolder()
    let state = try StateStore(path: folder.path("state"))
    #expect(try await state.hasNotes() == false)
    // Without a note, each time is the first.
    for now in [3.0, 5] {
      #expect(try await state.retired("a", now: now, notes: false) == now)
    }
    #expect(try await state.hasNotes() == false)
    #expect(try await state.retired("a", now: 7.5, notes: true) == 7.5)
    for now in [7.5, 8, 100] {
      for notes in [true, false] {
        #expect(try await state.retired("a", now: now, notes: notes) == 7.5)
      }
    }
    // The clock was set back.
    #expect(try await state.retired("a", now: 6, notes: false) == 6)
    #expect(try await state.retired("a", now: 100, notes: true) == 7.5)
    #expect(try await state.retired("a", now: 6, notes: true) == 6)
    #expect(try await state.retired("a", now: 100, notes: true) == 6)
    #expect(try await state.hasNotes())
    for file in ["b", "c", "d"] { _ = try await state.retired(file, now: 1, notes: true) }
    try await state.clearNotes(on: ["a", "b"])
    try await state.forgetRetired("c")
    try await state.commit()
    let next = try StateStore(path: folder.path("state"))
    for (file, since) in [("a", 9.0), ("b", 9), ("c", 9), ("d", 1)] {
      #expect(try await next.retired(file, now: 9, notes: false) == since, "\(file)")
    }
    try await next.forgetRetired("d")
    #expect(try await next.hasNotes() == false)
  }

  private static func entry(_ hash: String, _ id: String, width: Int = 4, height: Int = 5)
    -> StateStore.TableEntry
  {
    .init(
      hash: hash, id: id, path: "variants/\(id)", type: "image/webp", width: width,
      height: height, bytes: 9)
  }

  @Test func tablesHaveTheImagesOfTheirPlaces() async throws {
    let state = try StateStore(path: "")
    try await state.beginTables()
    let (a, b, c) = (
      Self.entry("1f", "a", width: 7, height: 2), Self.entry("20", "b", width: 3, height: 6),
      Self.entry("2f", "c")
    )
    try await state.addToTables([(0, b), (0, a), (1, c)])
    // The first of two with one hash stays.
    try await state.addToTables([(0, Self.entry("20", "other"))])
    #expect(try await state.tableEntries(0, "00"..."ff") == [a, b])
    #expect(try await state.tableEntries(0, "1f"..."1f") == [a])
    #expect(try await state.tableEntries(0, "1f"..."20") == [a, b])
    #expect(try await state.tableEntries(0, "20"..."ff") == [b])
    #expect(try await state.tableEntries(1, "00"..."ff") == [c])
    #expect(try await state.tableEntries(2, "00"..."ff") == [])
    let both = try await state.tableContent(0, "00"..."ff")
    #expect(both.map { "\($0.count) \($0.width) \($0.height)" } == "2 7 6")
    let one = try await state.tableContent(0, "20"..."2f")
    #expect(one.map { "\($0.count) \($0.width) \($0.height)" } == "1 3 6")
    #expect(try await state.tableContent(0, "21"..."ff") == nil)
    #expect(try await state.tableContent(1, "00"..."2e") == nil)
    // They begin anew for the next catalog.
    try await state.beginTables()
    #expect(try await state.tableContent(0, "00"..."ff") == nil)
    try await state.endTables()
    await #expect(throws: StateError.self) { try await state.tableEntries(0, "00"..."ff") }
  }

  @Test func filesOfTablesAreRecordsOfARun() async throws {
    let folder = try TemporaryFolder()
    let state = try StateStore(path: folder.path("state"))
    let record = VariantRecord(path: "tables/a", width: 1, height: 2, bytes: 3, sha256: "f")
    #expect(try await state.tableFile("k") == nil)
    try await state.saveTableFile(record, key: "k", run: 6)
    #expect(try await state.tableFile("k") == record)
    try await state.commit()
    let run = try Database(folder.path("state")).prepare("SELECT run FROM variants")
      .first([]) { $0.int(0) }
    #expect(run == 6)
  }

  /// The lines of a file, by their names.
  @Test func linesAreFoundByTheirNames() throws {
    let index = try LineIndex()
    var entries: [String: LineIndex.Entry] = [
      "b": .init(offset: 10, length: 3, next: "a"), "a": .init(offset: 20, length: 4, next: nil),
      "c": .init(offset: 0, length: 5, next: "b"), "d": .init(offset: 5, length: 6, next: "e"),
    ]
    entries["d"]?.wasFound = true
    for (name, entry) in entries { #expect(try index.add(name, entry)) }
    #expect(try !index.add("a", .init(offset: 1, length: 1, next: "z")))
    func missing() throws -> [String] {
      var names: [String] = []
      try index.forEachMissing { names.append($0) }
      return names
    }
    // In the order of the file.
    #expect(try missing() == ["c", "b", "a"])
    #expect(try index.find("d") == entries["d"])
    #expect(try index.find("b") == entries["b"])
    entries["b"]?.wasFound = true
    #expect(try index.find("b") == entries["b"])
    #expect(try index.find("none") == nil)
    #expect(try missing() == ["c", "a"])
    #expect(try index.find("a") == entries["a"])
    #expect(try missing() == ["c"])
  }
}
