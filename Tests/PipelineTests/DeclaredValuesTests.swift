import TesseraMemoryOutput
import TesseraTestSupport
import Testing

@testable import TesseraPipeline
@testable import TesseraPipelineFile

/// C20: whatever value of the pipeline file changes, the next run has the catalog of a run into an empty output.
@Suite struct DeclaredValuesTests {
  /// - Parameter more: whether the manifest has another line, so that the run looks at every item.
  private static func lines(_ run: RunInMemory, _ more: Bool) -> [String] {
    // Paths of files are shown from the manifest's folder, and from folders that the pipeline names.
    let files = ["file:///srv/images/a.webp", "file://\(run.folder.path("images/b.webp"))"]
    let urls = files + (0..<(more ? 3 : 2)).map { RunInMemory.url("\($0)?a=\($0)") }
    for (index, url) in urls.enumerated() {
      let image = TinyImage.webp(300 + index, 200, "\(index)")
      run.fetcher[url] = .image(image, etag: "\"\(index)\"", freshFor: 86_400)
    }
    return urls.enumerated().map {
      #"{"id":"\#($0)","url":"\#($1)","image_link":"\#($1)","price":\#($0)}"#
    }
  }

  private static func load(_ text: String, in run: RunInMemory) throws -> PipelineFile {
    try PipelineFile.load(run.folder.write(text, to: "pipeline.yaml"))
  }

  /// The documents of a run, by name.
  private static func documents(
    _ run: inout RunInMemory, _ text: String, more: Bool
  ) async throws -> [String: String] {
    run.file = try load(text, in: run)
    let lines = lines(run, more)
    for name in ["n", "sub/n"] {
      try run.folder.write(lines.map { $0 + "\n" }.joined(), to: name)
    }
    _ = try await run.wholeRun(lines) { ($0.allowsLoss, $0.allowsShrink) = (true, true) }
    let names = run.output.paths.filter { name in
      name.hasPrefix("catalog.json") || name.hasPrefix("screens/")
    }
    return try Dictionary(uniqueKeysWithValues: names.map { ($0, try run.output.text($0)) })
  }

  /// Runs pipeline files one after the other into one output, and each of them into an empty one.
  private static func expectFresh(
    _ texts: [(name: String, text: String)], grows: Bool
  ) async throws {
    var run = try RunInMemory()
    run.output.hasMark = true
    for (index, (name, text)) in texts.enumerated() {
      let more = grows && index % 2 == 1
      var fresh = try RunInMemory()
      let expected = try await documents(&fresh, text, more: more)
      let found = try await documents(&run, text, more: more)
      for (document, text) in expected {
        #expect(found[document] == text, "\(name): \(document)")
      }
    }
  }

  @Test(.faults(.c20), arguments: [false, true]) func everyKeyIsNoticed(_ grows: Bool) async throws
  {
    func usable(_ text: String) -> String {
      text.replacing("manifest: m\n", with: "manifest: manifest.jsonl\n")
    }
    let usual = ("", usable(KeyValues.minimal))
    let texts = KeyValues.others.sorted { $0.key < $1.key }.flatMap { path, value in
      let values =
        switch path {
        // Another folder matters, and another name does not.
        case "manifest": [value, "sub/\(value)"]
        // All members would have the path of the folder.
        case "extra": ["[price]"]
        // No worker is confined here, so the run would be rejected.
        case "require-sandbox": [String]()
        default: [value]
        }
      return values.map { (path, usable(KeyValues.file(path, $0))) } + [usual]
    }
    try await Self.expectFresh([usual] + texts, grows: grows)
  }

  // MARK: Image services

  /// The text of a node, and the texts with one value of it changed in several ways, by the path of the value.
  private static func texts(_ node: YAMLNode) -> (String, [(path: String, texts: [String])]) {
    switch node.content {
    case .scalar(let text, let isQuoted):
      func written(_ text: String) -> String { isQuoted ? "\"\(text)\"" : text }
      let number = text.prefix { $0.isNumber }
      let others =
        isQuoted || number.isEmpty
        ? [
          "\(text)x", "true", "false", "point", "position", "sha256", "md5", "hmac-sha256",
          "hmac-sha1", "sha1", "hex", "text", "base64", "base64url", "qoi",
        ] : ["\((Int(number) ?? 1) + 1)\(text.dropFirst(number.count))"]
      return (written(text), [("", others.filter { $0 != text }.map(written))])
    case .sequence(let nodes):
      let parts = nodes.map(texts)
      let whole = "[\(parts.map(\.0).joined(separator: ", "))]"
      let changed = parts.indices.map { index in
        let others = parts[index].1.first?.texts ?? []
        return (
          path: ".\(index)",
          texts: others.map { other in
            let values = parts.indices.map { $0 == index ? other : parts[$0].0 }
            return "[\(values.joined(separator: ", "))]"
          }
        )
      }
      return (whole, changed)
    case .mapping(let pairs):
      let parts = pairs.map { (name: texts($0.key).0, value: texts($0.value)) }
      func whole(_ values: [String]) -> String {
        "{\(zip(parts, values).map { "\($0.name): \($1)" }.joined(separator: ", "))}"
      }
      let usual = parts.map(\.value.0)
      let changed = parts.indices.flatMap { index in
        parts[index].value.1.map { path, texts in
          (
            path: ".\(parts[index].name)\(path)",
            texts: texts.map { text in
              var values = usual
              values[index] = text
              return whole(values)
            }
          )
        }
      }
      return (whole(usual), changed)
    }
  }

  @Test(.faults(.c20), arguments: DeliveryPresets.names)
  func everyValueOfAServiceIsNoticed(_ preset: String) async throws {
    let node = try #require(DeliveryPresets.node(of: preset))
    guard case .mapping(let pairs) = node.content else { return }
    let own = Set(pairs.map { Self.texts($0.key).0 })
    let isSigned = own.contains("signature")
    let (usual, changes) = Self.texts(node)
    let head = "manifest: manifest.jsonl\noutput: o\nslots: {a: {size: 10x10}}\nplaceholders: []\n"
    let secrets =
      (isSigned ? ", key: \"0a0b\"" : "") + (usual.contains("{salt}") ? ", salt: \"0c0d\"" : "")
    func file(_ keys: String, base: String = "https://img.example") -> String {
      head + "delivery: {base: \"\(base)\"\(secrets), \(keys.dropFirst())\n"
    }
    let run = try RunInMemory()
    func fingerprint(_ text: String) throws -> String {
      Fingerprint.pipeline(try Self.load(text, in: run))
    }
    // The keys of a preset by themselves are the preset.
    #expect(try fingerprint(file("{preset: \(preset)}")) == fingerprint(file(usual)))
    var texts = [("", file(usual)), ("base", file(usual, base: "https://other.example"))]
    if isSigned {
      texts.append(("key", file(usual).replacing("0a0b", with: "0a0c")))
      if usual.contains("{salt}") {
        texts.append(("salt", file(usual).replacing("0c0d", with: "0c0e")))
      }
    }
    for (path, others) in changes {
      let valid = others.map { file($0) }.first { (try? Self.load($0, in: run)) != nil }
      texts.append((path, try #require(valid, "\(path): no other value is valid")))
    }
    var seen: [String: String] = [:]
    for (path, text) in texts {
      let other = seen.updateValue(path, forKey: try fingerprint(text))
      #expect(other == nil, "\(path) has the fingerprint of \(other ?? "")")
    }
    try await Self.expectFresh(texts, grows: true)
  }
}
