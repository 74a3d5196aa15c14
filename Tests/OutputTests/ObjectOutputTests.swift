import TesseraBytes
import TesseraNet
import TesseraSystem
import TesseraTestSupport
import Testing

@testable import TesseraOutput

/// An output in an object store.
@Suite struct ObjectOutputTests {
  private let folder: TemporaryFolder
  private let workspace: Workspace

  init() throws {
    folder = try TemporaryFolder()
    workspace = Workspace(try Directory(folder.path("w"), creates: true), of: "")
    try workspace.clear()
  }

  private static func output(_ store: ObjectStore) -> ObjectOutput {
    ObjectOutput(ObjectStore.location, store.client, concurrency: 4)
  }

  private func staged(_ text: String) throws -> WorkFile {
    let file = workspace.staging("d")
    try file.open(.write).write(Array(text.utf8))
    return file
  }

  private static let (forever, minute, none) = (
    "public, max-age=31536000, immutable", "public, max-age=60, must-revalidate", "no-cache"
  )

  /// What never has other bytes may be kept forever.
  @Test(arguments: [
    ("variants/ab/cd/x.webp", "image/webp", forever),
    ("variants/ab/cd/x.jpg", "image/jpeg", forever),
    ("variants/ab/cd/x.avif", "image/avif", forever),
    ("tables/ab/x.bgra8", "application/octet-stream", forever),
    ("tables/ab/x.webp", "image/webp", forever), ("tables/ab/x.json", "application/json", forever),
    ("catalog.json", "application/json", minute),
    ("shards/8/3.jsonl", "application/x-ndjson", none),
    ("screens/feed/first.json", "application/json", minute),
    ("screens/feed/0123456789abcdef0123456789abcdef.json", "application/json", forever),
    ("from-\(String(repeating: "7", count: 64)).json", "application/json", minute),
    ("screens/feed/x.json", "application/json", none), ("run.json", "application/json", none),
    ("gallery.html", "text/html; charset=utf-8", none),
    ("other.avif", "application/octet-stream", none), ("name", "application/octet-stream", none),
  ])
  func objectsHaveATypeAndATime(_ path: String, _ type: String, _ caching: String) async throws {
    let store = try ObjectStore([path])
    let output = Self.output(store)
    func expect(_ text: String) {
      #expect(store.text(path) == text)
      #expect(store[path]?.type == type && store[path]?.caching == caching)
    }
    try await output.write(path, Array("small".utf8))
    expect("small")
    let file = try staged("staged")
    try await output.write(path, staged: file)
    expect("staged")
    #expect(file.size == nil)
    try await output.delete(path)
    #expect(try await output.publish(staged: try staged("published").path, as: path))
    expect("published")
    #expect(file.size == nil)
    #expect(try await !output.publish(staged: try staged("another").path, as: path))
    expect("published")
    #expect(file.size == 7)
    try await output.delete(path)
    try await output.delete(path)
    #expect(store.paths == [])
    #expect(try await output.create(path, staged: try staged("first")))
    expect("first")
    #expect(file.size == nil)
    #expect(try await !output.create(path, staged: try staged("second")))
    expect("first")
  }

  /// A server without conditions: of two that write at the same time both may succeed.
  @Test func aStoreWithoutConditionsCreatesAfterLooking() async throws {
    let store = try ObjectStore(["a"])
    let output = Self.output(store)
    store.fail("PUT", "501 Not Implemented")
    await #expect(throws: SystemError.self) {
      try await output.create("a", staged: try staged("one"))
    }
    store.put("there", at: "a")
    #expect(try await !output.create("a", staged: try staged("one")))
    #expect(
      store.requests == [
        "PUT /feed/out/a", "HEAD /feed/out/a", "PUT /feed/out/a", "PUT /feed/out/a",
        "HEAD /feed/out/a",
      ])
    store.fail("PUT", "403 Forbidden")
    await #expect(throws: SystemError.self) {
      try await output.create("a", staged: try staged("one"))
    }
  }

  @Test func objectsAreFoundWithTheirSizes() async throws {
    let store = try ObjectStore(["a", "b", "c"])
    let output = Self.output(store)
    #expect((output.location, output.isDurable) == ("s3://feed/out", true))
    for (path, text) in [("a", "12345"), ("c", "")] { store.put(text, at: path) }
    #expect(try await output.sizes(of: ["a", "b", "c", "a"]) == [5, nil, 0, 5])
    #expect(try await output.changed("a") == 1_767_268_800)
    #expect(try await output.changed("b") == nil)
    #expect(try await output.digest(of: "a") == SHA256.of("12345"))
    #expect(output.stillHas([("a", 5), ("none", 1)]) == [true, true])
    store.fail("HEAD", "403 Forbidden")
    await #expect(throws: SystemError.self) { try await output.sizes(of: ["b"]) }
    await #expect(throws: SystemError.self) { try await output.changed("b") }
  }

  /// All parts of a document are of one version; the name of a variant is its version.
  @Test func partsAreOfOneVersion() async throws {
    let variant = "variants/ab/cd/x.webp"
    let store = try ObjectStore(["a", variant])
    let output = Self.output(store)
    for path in ["a", variant] {
      store.put("12345", at: path)
      #expect(try await output.read(path, 3, at: 0) == Array("123".utf8))
      #expect(try await output.read(path, 3, at: 3) == Array("45".utf8))
      #expect(try await output.read(path, 3, at: 5) == [])
      store.put("67890", at: path)
    }
    let error = await #expect(throws: SystemError.self) { try await output.read("a", 3, at: 3) }
    #expect(error?.description == "\"s3://feed/out/a\" is another object by now")
    #expect(try await output.read(variant, 3, at: 3) == Array("90".utf8))
    // It is read again from its beginning.
    #expect(try await output.read("a", 3, at: 0) == Array("678".utf8))
    #expect(try await output.read("a", 3, at: 3) == Array("90".utf8))
  }

  @Test func foldersAreListedInParts() async throws {
    let names = ["f/b", "f/a/x", "f/a/y", "f/c", "f/d/z", "g"]
    let store = try ObjectStore(names)
    let output = Self.output(store)
    for (count, name) in names.enumerated() {
      store.put(String(repeating: "x", count: count), at: name)
    }
    for size in [1, 2, 1_000] {
      store.setPageSize(size)
      #expect(
        try await output.list("f") == [
          OutputEntry("a", .folder), OutputEntry("b", .file(bytes: 0)),
          OutputEntry("c", .file(bytes: 3)), OutputEntry("d", .folder),
        ])
    }
    #expect(try await output.list("none") == [])
  }

  /// Mistakes in credentials, region and bucket are found before anything is fetched.
  @Test func preparingAsksTheStore() async throws {
    let store = try ObjectStore([])
    let output = Self.output(store)
    try await output.prepare()
    #expect(
      store.requests == [
        "GET /feed?delimiter=%2F&encoding-type=url&list-type=2&max-keys=1&prefix=out%2F"
      ])
    store.fail("GET", "403 Forbidden")
    let error = await #expect(throws: SystemError.self) { try await output.prepare() }
    #expect(
      error?.description.hasPrefix("\"s3://feed\" was rejected: the store answered 403") == true)
  }
}
