import Foundation
import TesseraPipelineFile
import TesseraTestSupport
import Testing

/// Compares `Pipelines/pipeline.schema.json`, with which editors check pipeline files, with the
/// decoder, which decides: what the declarations say in both must be the same.
@Suite struct SchemaTests {
  private static let minimal = "manifest: m\noutput: o\nslots: {a: {size: 10x}}\n"

  private static func schema() throws -> [String: Any] {
    let path = Places.root.appending(path: "Pipelines/pipeline.schema.json")
    let object = try JSONSerialization.jsonObject(with: Data(contentsOf: path))
    return try #require(object as? [String: Any])
  }

  private static func properties(_ object: Any?) -> [String: [String: Any]] {
    (object as? [String: Any])?["properties"] as? [String: [String: Any]] ?? [:]
  }

  private static func decode(_ text: String) -> Result<PipelineFile, PipelineFileError> {
    Result { () throws(PipelineFileError) in
      try PipelineFile.decode(
        Array(text.utf8), path: "feed.yaml", environment: { $0 == "SET" ? "webp" : nil })
    }
  }

  private static func mistake(_ text: String) -> String {
    if case .failure(let error) = decode(text) { "\(error)" } else { "" }
  }

  /// A file that spells out the defaults decodes to the same values.
  @Test func statesTheDefaultsOfTheDecoder() throws {
    let schema = try Self.schema()
    let usual = try Self.decode(Self.minimal).get()
    var count = 0
    func check(_ properties: [String: [String: Any]], in group: String?) throws {
      for (key, property) in properties {
        guard let value = property["default"] else { continue }
        let json = try JSONSerialization.data(
          withJSONObject: [value], options: .withoutEscapingSlashes)
        let text = String(String(decoding: json, as: UTF8.self).dropFirst().dropLast())
        let line = group.map { "\($0): {\(key): \(text)}" } ?? "\(key): \(text)"
        // This key needs another one.
        if key == "quality-range" { continue }
        let file = try Self.decode(Self.minimal + line).get()
        #expect("\(file)" == "\(usual)", "\(line)")
        count += 1
      }
    }
    let top = Self.properties(schema)
    try check(top, in: nil)
    for name in ["variants", "fetch", "limits", "catalog", "store"] {
      try check(Self.properties(top[name]), in: name)
    }
    #expect(count >= 30)
  }

  /// Valid and invalid lines: the schema and the decoder must agree on each.
  private static let lines = [
    "base: https://images.example.com/a/", "base: file:///srv/a/", "base: file:///",
    "base: file:///srv/a", "base: file://srv/a/",
    "columns: {prefix: \"file://\"}", "columns: {prefix: file:///srv/a}",
    "columns: {prefix: file://srv/a}",
    "base: images",
    "base-url: https://cdn.example.com/",
    "base-url: ftp://x", "scales: [1, 2]", "scales: 2",
    "scales: []", "scales: [1, 1]", "scales: [0]", "scales: [9]", "scales: [1.5]", "scales: two",
    "rounding: exact", "rounding: [320, 640]", "rounding: []", "rounding: [0]", "rounding: up",
    "variants:", "variants: 7", "variants: {format: \"${SET}\"}", "variants: {format: wepb}",
    "variants: {quality: 100}", "variants: {quality: 101}", "variants: {quality: 0}",
    "variants: {effort: 6}", "variants: {effort: 7}", "variants: {effort: auto}",
    "variants: {effort: {webp: auto, avif: 3}}", "variants: {effort: {avif: auto}}",
    "variants: {quality: auto}", "variants: {quality: {webp: auto, jpeg: 70}}",
    "variants: {quality: {target: 75}}", "variants: {quality: {target: feed, avif: 60}}",
    "variants: {quality: {target: 20}}", "variants: {quality: {target: best}}",
    "variants: {quality: auto, quality-range: [50, 90]}",
    "variants: {quality: auto, quality-range: [50]}",
    "variants: {quality: auto, quality-range: [0, 90]}",
    "variants: {quality: auto, quality-range: 50}", "variants: {oversized: webp}",
    "variants: {alpha-quality: 0}", "variants: {alpha-quality: 101}",
    "variants: {alpha-quality: {}}",
    "variants: {background: \"#abc\"}", "variants: {background: \"#abcd\"}",
    "variants: {background: white}", "variants: {metadata: keep}",
    "variants: {metadata: [icc, exif]}",
    "variants: {metadata: [strip, icc]}", "variants: {metadata: []}", "variants: {metadata: xmp}",
    "variants: {animation: first}",
    "variants: {quality: high}", "variants: {gravity: north-east}", "variants: {gravity: up}",
    "variants: {gravity: attention}", "variants: {format: [avif, webp, jpeg]}",
    "variants: {format: source}", "variants: {format: []}", "variants: {format: [webp, webp]}",
    "variants: {format: [webp, gif]}", "variants: {quality: {avif: 50, webp: 70}}",
    "variants: {quality: {png: 50}}", "variants: {quality: {}}", "variants: {effort: {avif: 9}}",
    "variants: {effort: {webp: 7}}", "variants: {effort: {jxl: 2}}", "rounding: [64, 64]",
    "fetch: {timeout: 500ms}", "fetch: {timeout: 1.5m}",
    "fetch: {timeout: 15}", "fetch: {timeout: 0s}", "fetch: {timeout: -1s}", "fetch: {retries: 0}",
    "fetch: {retries: 21}", "fetch: {min-speed: 1KB/s}", "fetch: {min-speed: 1KB}",
    "fetch: {max-bytes: 64MB}", "fetch: {max-bytes: 1000}", "fetch: {max-bytes: 1 MiB}",
    "fetch: {max-bytes: many}", "fetch: {revalidate: never}", "fetch: {revalidate: often}",
    "fetch: {ignore-query: token}", "fetch: {ignore-query: [a, b]}",
    "fetch: {rewrite: [{from: \"http://\", to: \"https://\"}]}", "fetch: {rewrite: [{from: x}]}",
    "fetch: {rewrite: [{from: x, to: y, too: z}]}", "fetch: {headers: {X-Key: abc}}",
    "fetch: {headers: []}", "fetch: {headers: [{host: images.example.com, X-Key: abc}]}",
    "fetch: {headers: [{host: \"[::1]:8443\", X-Key: abc, X-Other: d}]}",
    "fetch: {headers: [{host: \"h:8443\", X-Key: a}, {host: \"${SET}\", X-Key: b}]}",
    "fetch: {headers: [{X-Key: abc}]}", "fetch: {headers: [{host: h}]}",
    "fetch: {headers: [{host: \"*.example.com\", X-Key: abc}]}",
    "fetch: {headers: [{host: \"https://h/\", X-Key: abc}]}",
    "fetch: {headers: [{host: \"h:x\", X-Key: abc}]}", "fetch: {headers: [{host: h, Host: x}]}",
    "fetch: {headers: [X-Key]}", "fetch: {headers: [{host: h, \"a b\": x}]}",
    "fetch: {headers-everywhere: true}", "fetch: {headers-everywhere: 1}",
    "fetch: {headers: {\"a b\": c}}", "fetch: {headers: {Range: bytes=0-9}}",
    "fetch: {allow: loopback}", "fetch: {allow: [private, 10.1.0.0/16, \"fd00::/8\"]}",
    "fetch: {allow: [everything]}", "fetch: {allow: [files:/srv]}", "fetch: {allow: \"files:\"}",
    "fetch: {allow: [10.1.0.0]}", "fetch: {order: newest-first}",
    "fetch: {cache: 10GB}", "fetch: {cache: none}", "fetch: {cache: 0}", "fetch: {cache: much}",
    "fetch: {order: random}", "accept: [jpeg]", "accept: png", "accept: []", "accept: [svg]",
    "accept: [psd]",
    "accept: [tga]", "accept: [jpg]",
    "limits: {pixels: 50MP}", "limits: {pixels: 1000000}", "limits: {pixels: .nan}",
    "limits: {frames: 0}", "limits: {frames: 100000}", "limits: {memory: 1GB}",
    "limits: {time: 20s}", "limits: {tme: 20s}", "workers: auto", "workers: 3", "workers: 0",
    "workers: many", "catalog: {profile: client}", "catalog: {profile: full}",
    "catalog: {profile: all}",
    "catalog: {changes: 0}", "catalog: {changes: 100}", "catalog: {changes: 101}",
    "placeholders: [color]", "placeholders: css", "placeholders: []", "placeholders: [colour]",
    "fail-above: 90%", "fail-above: 100%", "fail-above: 101%", "fail-above: 0.5%",
    "fail-above: 90", "fail-above: most", "shrink-above: 0%", "shrink-above: 50",
    "shrink-above: 101%", "keep-catalogs: 0", "keep-catalogs: 100", "keep-catalogs: 101",
    "keep-catalogs: {count: 3, age: 7d}", "keep-catalogs: {age: 12h}", "keep-catalogs: {ages: 7d}",
    "keep-catalogs: {count: -1}", "keep-catalogs: {age: 7}", "lost-above: 20%", "lost-above: 0%",
    "lost-above: 101%", "lost-above: 20", "keep-lost: 1d", "keep-lost: 0s", "keep-lost: 1",
    "extra: all", "extra: author", "extra: [author, price]", "extra: []", "extra: {author: true}",
    "catalog: {urls: none}", "catalog: {urls: shown}", "catalog: {urls: some}",
    "keep-catalogs: all", "keep-catalogs: -1", "lanes: off", "lanes: fast", "fail-on: truncated",
    "fail-on: warning",
    "tables: {a: {}}", "tables: {a: {scales: [1, 3], pixels: webp}}", "tables: {a: {scales: 2}}",
    "tables: {}", "tables: [a]", "tables: {a: {pixels: []}}", "tables: {a: {pixels: bgra}}",
    "tables: {a: {pixels: [bgra8, bgra8]}}", "tables: {a: {pixels: [bgra8, rgb565, grey8]}}",
    "tables: {a: {scales: []}}", "tables: {a: {scales: [0]}}", "tables: {a: {scale: 2}}",
    "tables: {a: {scales: [2, 2]}}", "tables: {a: }",
    "colour: red",
  ]
  private static let slots = [
    "{a: {size: 36x36, mode: clip}}", "{a: {size: x200}}", "{a: {size: 180x, mode: fill}}",
    "{a: {size: 180x, mode: clip}}", "{a: {size: x}}", "{a: {size: 0x10}}", "{a: {mode: fit}}",
    "{a: {size: 10x10, mode: crop}}", "{a: {size: 10x10, colour: red}}", "{}", "[1]",
  ]

  @Test(.faults(.c2, .c3)) func agreesWithTheDecoder() async throws {
    let texts =
      Self.lines.map { Self.minimal + $0 + "\n" }
      + Self.slots.map { "manifest: m\noutput: o\nslots: \($0)\n" }
      + [
        "manifest: https://example.com/m\noutput: o\nslots: {a: {size: 10x}}\n",
        "manifest: ftp://example.com/m\noutput: o\nslots: {a: {size: 10x}}\n",
        "output: o\nslots: {a: {size: 10x}}\n", "manifest: m\nslots: {a: {size: 10x}}\n", "",
      ]
    let input = try JSONSerialization.data(withJSONObject: texts)
    // An independent implementation of JSON Schema.
    let script = """
      import json, sys, yaml, jsonschema
      schema = json.load(open(sys.argv[1]))
      jsonschema.Draft202012Validator.check_schema(schema)
      validator = jsonschema.Draft202012Validator(schema)
      texts = json.load(sys.stdin)
      print(json.dumps([validator.is_valid(yaml.safe_load(text)) for text in texts]))
      """
    let result = try await Tool.run(
      "/usr/bin/python3",
      ["-c", script, Places.root.appending(path: "Pipelines/pipeline.schema.json").path],
      input: String(decoding: input, as: UTF8.self))
    let verdicts = try #require(
      try JSONSerialization.jsonObject(with: Data(result.output.utf8)) as? [Bool],
      "\(result.errors)")
    try #require(verdicts.count == texts.count)
    for (text, isValid) in zip(texts, verdicts) {
      let isDecoded = Self.mistake(text).isEmpty
      #expect(isDecoded == isValid, "\(text)decoder: \(Self.mistake(text))")
    }
  }
}
