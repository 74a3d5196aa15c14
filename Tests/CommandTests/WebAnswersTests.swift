import Foundation
import TesseraTestSupport
import Testing

/// What commands make of servers that a browser understands, and whom they let reach what.
@Suite struct WebAnswersTests {
  private static let keys = ["AWS_ACCESS_KEY_ID": "key", "AWS_SECRET_ACCESS_KEY": "secret"]

  private static func run(
    _ folder: TemporaryFolder, manifest: String, store: String, allow: String
  ) async throws -> Tool.Result {
    try folder.write(
      """
      manifest: \(manifest)
      output: out
      slots: {a: {size: 10x}}
      store: {endpoint: "\(store)", region: eu-1}
      fetch: {allow: [\(allow)], retries: 0, concurrency: 2}
      fail-above: 100%
      """, to: "p.yaml")
    return try await Tool.run(
      Places.tessera, ["run", folder.path("p.yaml")], environment: keys)
  }

  private static func outcomes(_ folder: TemporaryFolder) throws -> [String] {
    struct Document: Decodable {
      struct Image: Decodable {
        struct Failure: Decodable { var code: String }
        var id: String
        var status: String
        var error: Failure?
      }
      var images: [Image]
    }
    let document = try JSONDecoder().decode(
      Document.self, from: folder.read("out/catalog.json"))
    return document.images.map { "\($0.id) \($0.error?.code ?? $0.status)" }
  }

  /// An unknown Content-Encoding hides nothing: no image, no list, no object of a store, nothing from a probe.
  @Test(.faults(.n52)) func unknownEncodingsHideNoImage() async throws {
    let server = try FaultServer()
    defer { server.stop() }
    for (path, coding) in [("/a", "UTF-8"), ("/b/k", "aws-chunked"), ("/c", "gzip, base64")] {
      server.route(path) { $1.fixture("one-pixel.png", ["Content-Encoding": coding]) }
    }
    let lines = [("a", server.url("/a")), ("c", server.url("/c")), ("k", "s3://b/k")]
    let list = lines.map { "{\"id\":\"\($0)\",\"url\":\"\($1)\"}\n" }.joined()
    server.route("/list") {
      $1.respond("200 OK", ["Content-Encoding": "utf8"], Array(list.utf8))
    }
    let folder = try TemporaryFolder()
    let result = try await Self.run(
      folder, manifest: server.url("/list"), store: server.url(""), allow: "loopback, \"s3:b\"")
    #expect(result.status == 0, "\(result.errors)")
    #expect(try Self.outcomes(folder) == ["a ok", "c ok", "k ok"])
    let probe = try await Tool.tessera("probe", "--allow", "loopback", server.url("/a"))
    #expect(probe.status == 0, "\(probe.errors)")
  }

  /// The store may be where no line of a manifest may lead, and neither its connections nor a list there change that.
  @Test(.faults(.x1)) func theStoresAddressIsNotTheManifests() async throws {
    let (folder, root) = (try TemporaryFolder(), try TemporaryFolder())
    let pixel = try Places.bytes("one-pixel.png")
    for name in ["b/1", "b/2", "b/3", "b/4", "inside"] {
      try root.write("", to: name)
      try Data(pixel).write(to: URL(filePath: root.path(name)))
    }
    let nginx = try await Nginx(serving: URL(filePath: root.path("")))
    var lines = (1...4).map { ("s\($0)", "s3://b/\($0)") }
    lines += [
      ("w1", nginx.url("/inside")), ("w2", nginx.url("/inside?again")),
      ("w3", nginx.url("/inside").replacing("127.0.0.1", with: "①②⑦.⓪.⓪.①")),
      ("w4", nginx.url("/inside").replacing("127.0.0.1", with: "localhost.")),
    ]
    let list = lines.map { "{\"id\":\"\($0)\",\"url\":\"\($1)\"}\n" }.joined()
    try folder.write(list, to: "list")
    try root.write(list, to: "list")
    let result = try await Self.run(
      folder, manifest: "list", store: nginx.url(""), allow: "\"s3:b\"")
    #expect(result.status == 1, "\(result.errors)")
    #expect(
      try Self.outcomes(folder)
        == (1...4).map { "s\($0) ok" } + (1...4).map { "w\($0) address-rejected" })
    let atURL = try await Self.run(
      folder, manifest: nginx.url("/list"), store: nginx.url(""), allow: "\"s3:b\"")
    #expect(atURL.status == 2)
    #expect(atURL.errors.contains("not on the public internet"), "\(atURL.errors)")
    await nginx.stop()
  }
}
