import Foundation
import TesseraManifest
import TesseraState
import TesseraSystem
import TesseraTestSupport
import Testing

@testable import TesseraPipeline
@testable import TesseraPipelineFile

/// Manifests of several lists, and of the rows of a database.
@Suite struct ManifestListTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func database(_ rows: String) throws -> String {
    let path = folder.path("shop.db")
    let query = Process()
    query.executableURL = URL(filePath: "/usr/bin/python3")
    query.arguments = [
      "-c",
      "import sqlite3, sys; c = sqlite3.connect(sys.argv[1]); c.executescript(sys.argv[2]); c.commit()",
      path, rows,
    ]
    try query.run()
    query.waitUntilExit()
    return path
  }

  private func file(_ lists: PipelineFile.Manifest...) -> PipelineFile {
    var file = PipelineFile.example()
    file.manifest = .several(lists)
    return file
  }

  private static func read(_ file: PipelineFile, parts: Bool = false) async throws -> [String] {
    let manifest = try await ManifestStream.open(file, needsDigest: true)
    if parts { manifest.makeParts() }
    var entries = try EntryStream(reading: manifest, file.fetch)
    var found: [String] = []
    while let batch = try await entries.next() {
      for record in batch {
        switch record {
        case .item(let item, _): found.append("\(item.position) \(item.id) \(item.entry.line)")
        case .problem(let problem): found.append("\(problem.place): \(problem.message)")
        case .repeated: found.append("repeated")
        case .forgotten: found.append("forgotten")
        case .standing: found.append("standing")
        }
      }
    }
    return found
  }

  @Test func idsOfSeveralListsShareOneSpace() async throws {
    let a = try folder.write("id,url\n1,https://a/1\n2,https://a/2\n\n", to: "a.csv")
    let b = try folder.write(
      #"{"id":"3","url":"https://a/3"}"# + "\n{\n" + #"{"id":"1","url":"https://a/x"}"# + "\n"
        + #"{"id":"2","url":"https://a/2"}"# + "\n", to: "b.jsonl")
    let c = try folder.write("https://a/4", to: "c.txt")
    let lists = [a, b, c].map { PipelineFile.Manifest.file($0) }
    for parts in [false, true] {
      #expect(
        try await Self.read(file(lists[0], lists[1], lists[2]), parts: parts) == [
          "0 1 2", "1 2 3", "2 3 4",
          "line 2 of \"\(b)\": not valid JSON at column 2: expected a member's name in quotes, found the end of the text",
          "line 3 of \"\(b)\": duplicate id \"1\": line 2 of \"\(a)\" defines it differently",
          "repeated", "3 https://a/4 8",
        ])
    }
  }

  @Test func severalListsHaveOneDigest() async throws {
    let a = PipelineFile.Manifest.file(try folder.write("https://a/1\n", to: "a"))
    let b = PipelineFile.Manifest.file(try folder.write("https://a/2\n", to: "b"))
    func digest(_ file: PipelineFile) async throws -> String? {
      let manifest = try await ManifestStream.open(file, needsDigest: true)
      while try await manifest.nextBatch() != nil {}
      #expect(manifest.size == manifest.bytesRead)
      // As the next run finds it before it reads the list.
      let next = try await ManifestStream.open(file, needsDigest: true)
      let whole = try await next.wholeDigest()
      #expect(whole == manifest.digest && next.digest == whole)
      return whole
    }
    let both = try await digest(file(a, b))
    #expect(both != nil)
    #expect(try await digest(file(b, a)) != both)
    #expect(try await digest(file(a)) != both)
  }

  /// A list that can't be used ends the run, whichever it is.
  @Test func eachListHasToBeOne() async throws {
    let a = PipelineFile.Manifest.file(try folder.write("https://a/1\n", to: "a"))
    let page = PipelineFile.Manifest.file(try folder.write("<html>", to: "page"))
    let part = PipelineFile.Manifest.file(
      try folder.write(
        "{\"schema\":\"tessera-split/1\",\"shard\":0,\"shards\":2}\n{\"end\":0,\"manifest\":\"\"}\n",
        to: "part"))
    for (lists, reason) in [
      ([a, .file(folder.path("none"))], "No such file or directory"),
      ([a, page], "it is an HTML page"),
      ([a, part, a], "it is a part of a split manifest (0/2)"),
    ] {
      let error = await #expect(throws: TesseraError.self) {
        var file = PipelineFile.example()
        file.manifest = .several(lists)
        _ = try await Self.read(file)
      }
      #expect(error?.description.contains(reason) == true, "\(error?.description ?? "-")")
    }
  }

  // MARK: Queries

  @Test func rowsOfAQueryAreItems() async throws {
    let path = try database(
      "CREATE TABLE p (sku, image, name); INSERT INTO p VALUES ('a','https://a/1, https://a/2','A'), ('b',NULL,'B'), ('c','https://a/3','');"
        + "INSERT INTO p SELECT 'x' || value, 'https://a/x' || value, NULL FROM (WITH RECURSIVE n(value) AS (SELECT 1 UNION ALL SELECT value + 1 FROM n WHERE value < 2500) SELECT value FROM n);"
    )
    var file = PipelineFile.example()
    file.columns = ColumnMapping([.url: ["image"], .id: ["sku"], .alt: ["name"]], separator: ",")
    file.manifest = .query(.init(database: path, sql: "SELECT * FROM p ORDER BY rowid"))
    let found = try await Self.read(file)
    #expect(found.count == 2_503)
    #expect(found[0] == "0 a 1" && found[1].hasPrefix("1 a#") && found[2] == "2 c 3")
    #expect(found.last == "2502 x2500 2503")
    let manifest = try await ManifestStream.open(file)
    #expect(manifest.warnings.isEmpty && manifest.size == nil)
    while try await manifest.nextBatch() != nil {}
    #expect(manifest.omitted.imageless == 1 && manifest.leftOut.counts.isEmpty)
    file.manifest = .query(.init(database: path, sql: "SELECT * FROM p"))
    #expect(try await ManifestStream.open(file).warnings.count == 1)
  }

  /// Without a mapping, a value that is missing is one that a line does not have.
  @Test func missingValuesAreNotEmptyOnes() async throws {
    let path = try database(
      "CREATE TABLE p (id, url, alt); INSERT INTO p VALUES (NULL,'https://a/1',NULL);")
    var file = PipelineFile.example()
    file.manifest = .query(.init(database: path, sql: "SELECT id, url, alt FROM p ORDER BY 1"))
    let records = try await ManifestStream.open(file).nextBatch()
    guard case .entry(let entry)? = records?.first else {
      Issue.record("\(records ?? [])")
      return
    }
    #expect((entry.id, entry.alt, entry.slots) == ("https://a/1", nil, nil))
  }

  /// Any bytes may be a text in SQLite. Repaired, a URL would be another URL.
  @Test(.faults(.m27)) func aRowThatIsNotUTF8IsOneBadRow() async throws {
    let path = try database(
      "CREATE TABLE p (id, url); INSERT INTO p VALUES ('a', 'https://a/1'), ('b', CAST(x'68747470733A2F2F612FFF' AS TEXT)), ('c', 'https://a/3');"
    )
    var file = PipelineFile.example()
    file.manifest = .query(.init(database: path, sql: "SELECT id, url FROM p ORDER BY id"))
    #expect(
      try await Self.read(file) == [
        "0 a 1", "line 2: the column \"url\" is not valid UTF-8", "1 c 3",
      ])
    // Where ids are shared, another image would get the place of the one that can't be read.
    file.columns = ColumnMapping([.url: ["url"], .id: ["id"]])
    let error = await #expect(throws: TesseraError.self) { try await Self.read(file) }
    #expect(
      error?.description.hasSuffix(
        ": in row 2 the column \"url\" is not valid UTF-8; correct it, or leave the row out in the query"
      )
        == true, "\(error?.description ?? "-")")
  }

  @Test func aQueryEndsWithTheRun() async throws {
    let path = try database("CREATE TABLE p (id);")
    var file = PipelineFile.example()
    file.manifest = .query(
      .init(
        database: path,
        sql:
          "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) SELECT count(*) AS url FROM c ORDER BY 1"
      ))
    let manifest = try await ManifestStream.open(file, end: .now + .milliseconds(50))
    let error = await #expect(throws: TesseraError.self) { try await manifest.nextBatch() }
    #expect(
      error?.description.hasSuffix("(--deadline) passed before it was read to its end") == true)
    let stopped = try await ManifestStream.open(file)
    let stop = stopped.stopper()
    let task = Task.detached {
      try await Task.sleep(for: .milliseconds(50))
      stop()
    }
    await #expect(throws: CancellationError.self) { try await stopped.nextBatch() }
    try await task.value
  }
}
