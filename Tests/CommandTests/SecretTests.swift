import Foundation
import TesseraCatalog
import TesseraTestSupport
import Testing

/// Secrets in URLs are nowhere in what a run publishes, keeps or says (promise 11, P2).
@Suite struct SecretTests {
  /// What makes a URL one that is signed, or that has a token; # stands for a secret.
  private static let kinds = [
    "X-Amz-Algorithm=AWS4-HMAC-SHA256&X-Amz-Credential=#a%2F20261124&X-Amz-Date=20261124T000000Z"
      + "&X-Amz-Expires=900&X-Amz-SignedHeaders=host&X-Amz-Security-Token=#b&X-Amz-Signature=#c",
    "AWSAccessKeyId=#a&Expires=1790000000&Signature=#b%3D",
    "Expires=1790000000&Policy=#a&Key-Pair-Id=#b&Signature=#c",
    "X-Goog-Algorithm=GOOG4-RSA-SHA256&X-Goog-Credential=#a&X-Goog-Date=20261124T000000Z"
      + "&X-Goog-Expires=900&X-Goog-SignedHeaders=host&X-Goog-Signature=#b",
    "GoogleAccessId=#a&Expires=1790000000&Signature=#b",
    "sv=2024-11-04&st=2026-11-24&se=2026-11-25&sr=b&sp=r&skoid=#a&sig=#b%3D",
    "OSSAccessKeyId=#a&Expires=1790000000&Signature=#b",
    "q-sign-algorithm=sha1&q-ak=#a&q-sign-time=1%3B2&q-key-time=1%3B2&q-signature=#b",
    "x-oss-signature-version=OSS4&x-oss-credential=#a&x-oss-date=20261124T000000Z&x-oss-signature=#b",
    "access_token=#a", "token=#a", "jwt=eyJ#a.#b.#c", "auth=#a", "api_key=#a&w=100",
  ]

  private static func urls(_ nginx: Nginx, _ file: String, from first: Int) -> [String] {
    kinds.enumerated().map { index, kind in
      let secret = "s3cr3t\(first + index)"
      let query = kind.replacing("#", with: secret)
      // One has a password before its host, too.
      let url = nginx.url("/\(file)?n=\(index)&\(query)")
      return index == 3 ? url.replacing("//", with: "//\(secret)u:\(secret)p@") : url
    }
  }

  @Test(.faults(.p2)) func noSecretLeavesTheManifest() async throws {
    let nginx = try await Nginx(serving: Places.fixtures)
    let good = Self.urls(nginx, "one-pixel.png", from: 100)
    // Also in messages: what is not there, and what is not an image.
    let bad = Self.urls(nginx, "missing.jpg", from: 200) + Self.urls(nginx, "notes.txt", from: 300)
    let fixture = try RunFixture(
      manifest: (good + bad).map { $0 + "\n" }.joined(),
      keys: """
        catalog: {changes: 2, screens: {feed: {slots: [card], first: 10, part: 10}}}
        base-url: https://cdn.example.com/
        fail-above: 100%
        fetch: {allow: loopback, retries: 1, cache: 10MB, revalidate: always}
        """)
    let path = fixture.folder.path
    var said: [String: String] = [:]
    func note(_ name: String, _ result: Tool.Result, _ status: Int32 = 0) {
      #expect(result.status == status, "\(name): \(result.errors)")
      said[name] = result.output + result.errors
    }
    note("check", try await Tool.tessera("check", path("feed.yaml")))
    note("plan", try await Tool.tessera("plan", path("feed.yaml")))
    for round in 0..<2 {
      note(
        "run \(round)",
        try await fixture.run("--events", path("events.jsonl"), "--metrics", path("feed.prom")), 1)
    }
    let out = path("out")
    note("gallery", try await Tool.tessera("gallery", out))
    note("verify", try await Tool.tessera("verify", out))
    for image in try fixture.catalog.images.prefix(20) {
      note("why \(image.id)", try await Tool.tessera("why", out, image.id))
    }
    for form in ["html", "csv", "jsonl"] {
      note(form, try await Tool.tessera("export", out, "--as", form, "--to", path(form)))
    }
    await nginx.stop()
    let catalog = try fixture.catalog
    // All are there, and shown without what is secret.
    #expect(catalog.images.count == good.count + bad.count)
    #expect(catalog.images.count { $0.status == .ok } == good.count)
    #expect(catalog.images.allSatisfy { $0.url?.contains("?n=") == true })
    for name in fixture.folder.files(below: "") where name != "manifest" {
      let bytes = try Data(contentsOf: URL(filePath: path(name)))
      #expect(bytes.range(of: Data("s3cr3t".utf8)) == nil, "\(name)")
      #expect(!name.contains("s3cr3t"))
    }
    for (name, text) in said { #expect(!text.contains("s3cr3t"), "\(name): \(text)") }
  }

  /// Columns and members are published by name only (P3), and no path of the machine is (P4).
  @Test(.faults(.p3, .p4)) func privateColumnsAndLocalPathsStayPrivate() async throws {
    let folder = try TemporaryFolder()
    let photos = folder.path("photos")
    try FileManager.default.createDirectory(atPath: photos, withIntermediateDirectories: true)
    for name in ["plain.jpg", "grey.png"] {
      try FileManager.default.copyItem(
        atPath: Places.fixtures.appending(path: name).path, toPath: "\(photos)/\(name)")
    }
    try folder.write(
      "id,url,author,Cost per item\na,file://\(photos)/plain.jpg,Ada,priv4te\n", to: "list.csv")
    try folder.write(
      #"{"id":"b","url":"file://\#(photos)/grey.png","author":"Bea","cost":"priv4te","extra":{"c":"own"}}"#
        + "\n",
      to: "list.jsonl")
    for (list, expected) in [("list.csv", ["Ada"]), ("list.jsonl", ["Bea", "own"])] {
      try folder.write(
        "{manifest: \(list), output: out-\(list), extra: [author], slots: {a: {size: 10x}}, "
          + "fetch: {allow: [\"files:\(photos)\"]}}", to: "\(list).yaml")
      let check = try await Tool.tessera("check", folder.path("\(list).yaml"))
      #expect(check.output.contains("ost"), "\(check.output)\(check.errors)")
      let result = try await Tool.tessera("run", folder.path("\(list).yaml"))
      #expect(result.status == 0, "\(result.errors)")
      let out = folder.path("out-\(list)")
      #expect(try await Tool.tessera("gallery", out).status == 0)
      for name in ["catalog.json", "gallery.html"] {
        let text = try folder.text("out-\(list)/\(name)")
        #expect(!text.contains("priv4te") && !text.contains(folder.path("")), "\(name)")
        if name == "catalog.json" {
          for word in expected { #expect(text.contains(word), "\(text)") }
        }
      }
    }
    // As `init` writes it.
    let begun = folder.path("begun")
    #expect(try await Tool.tessera("init", begun, "--from", photos).status == 0)
    #expect(try await Tool.tessera("run", "\(begun)/pipeline.yaml").status == 0)
    let output = try #require(folder.files(below: "begun").first { $0.hasSuffix("catalog.json") })
    let root = "begun/\(output.dropLast("catalog.json".count))"
    #expect(try await Tool.tessera("gallery", folder.path(root)).status == 0)
    for name in ["catalog.json", "gallery.html", "run.json"] {
      let text = try folder.text("\(root)/\(name)")
      #expect(!text.contains(folder.path("").dropLast()) && !text.contains("file:///"), "\(name)")
    }
  }

  /// A URL that is signed again is neither requested nor another image.
  @Test(.faults(.p2)) func aURLThatIsSignedAgainIsNotRequested() async throws {
    let nginx = try await Nginx(serving: Places.fixtures)
    func manifest(_ signature: String) -> String {
      nginx.url("/plain.jpg?X-Amz-Signature=\(signature)&X-Amz-Date=\(signature)&w=1") + "\n"
    }
    let fixture = try RunFixture(
      manifest: manifest("1"), keys: "fetch: {allow: loopback, retries: 0, revalidate: never}")
    #expect(try await fixture.run().status == 0)
    let before = try fixture.catalogText
    try fixture.folder.write(manifest("2"), to: "manifest")
    #expect(try await fixture.run().status == 0)
    await nginx.stop()
    #expect(try fixture.catalogText == before)
    #expect(try fixture.report["fetch.requests"] == 0)
  }
}
