import Foundation
import TesseraCatalog
import TesseraImageHeader
import TesseraPipelineFile
import TesseraPlan
import TesseraSystem
import TesseraTestSupport
import TesseraText
import Testing

private func decode(
  _ text: String, environment: [String: String] = [:]
) -> Result<PipelineFile, PipelineFileError> {
  Result { () throws(PipelineFileError) in
    try PipelineFile.decode(
      Array(text.utf8), path: "dir/feed.yaml", environment: { environment[$0] })
  }
}

private let minimal = "manifest: m.jsonl\noutput: ../out\nslots:\n  card: {size: 180x}\n"

/// The message of each mistake, with its position: `3:5 …`.
private func mistakes(_ text: String, environment: [String: String] = [:]) -> [String] {
  guard case .failure(let error) = decode(text, environment: environment) else { return [] }
  return error.diagnostics.map { "\($0.mark.line):\($0.mark.column) \($0.message)" }
}

@Suite struct PipelineFileTests {
  @Test(.faults(.c8)) func aMinimalFileHasTheDefaults() throws {
    let file = try decode(minimal).get()
    #expect(file.name == "feed")
    #expect(file.manifest == .file("dir/m.jsonl"))
    #expect(file.output == "dir/../out")
    #expect(file.baseURL == nil)
    #expect(file.plan == PlanSettings(slots: [Slot("card", width: 180, height: nil)]))
    #expect(file.fetch.concurrency == 16)
    #expect(file.fetch.deadline == .seconds(120))
    #expect(file.fetch.maximumBytes == 64_000_000)
    #expect(file.fetch.revalidation == .whenStale)
    #expect(file.limits.pixels == 100_000_000)
    #expect(file.workers == nil)
  }

  @Test func everyKeyOfTheFormatIsKnown() throws {
    let text = """
      manifest: "-"
      output: /srv/feed
      base-url: https://cdn.example.com/feed
      slots:
        avatar: {size: 36x36, mode: clip}
        hero: {size: x200, mode: fill}
      scales: [3, 1]
      rounding: [320, 640]
      variants: {format: jpeg, quality: 70, effort: 2, alpha-quality: 80, oversized: png,
        background: "#abc", metadata: strip, animation: first-frame, gravity: centre}
      fetch:
        concurrency: 8
        per-host: 2
        order: manifest
        timeout: 500ms
        deadline: 1.5m
        min-speed: 2KB/s
        retries: 0
        max-bytes: 1MiB
        redirects: 0
        revalidate: always
        ignore-query: [token, expires]
        rewrite: [{from: "http://", to: "https://"}]
        headers: {Authorization: "Bearer ${FEED_TOKEN}"}
        headers-everywhere: true
        allow: [loopback, 10.1.0.0/16, "fd00::/8"]
        user-agent: Feed/1
      accept: [jpeg, png]
      limits: {pixels: 50MP, frames: 10, memory: 1GB, time: 20s}
      workers: 3
      catalog: {profile: client}
      """
    let file = try decode(text, environment: ["FEED_TOKEN": "s3cret"]).get()
    #expect(file.manifest == .standardInput)
    #expect(file.output == "/srv/feed")
    #expect(file.baseURL == "https://cdn.example.com/feed/")
    #expect(
      file.plan
        == PlanSettings(
          slots: [
            Slot("avatar", width: 36, height: 36, mode: .clip),
            Slot("hero", width: nil, height: 200, mode: .fill),
          ], scales: [1, 3], rounding: .list([320, 640]), formats: [.fixed(.jpeg)],
          quality: EncoderSetting { $0 == .png ? nil : 70 },
          effort: EncoderSetting { [.webp: 2, .avif: 2, .jxl: 3][$0] }, alphaQuality: 80,
          oversized: .png, background: Colour(red: 0xAA, green: 0xBB, blue: 0xCC),
          keepsAnimation: false))
    #expect(file.fetch.timeout == .milliseconds(500))
    #expect(file.fetch.deadline == .seconds(90))
    #expect(file.fetch.minimumSpeed == 2000)
    #expect(file.fetch.maximumBytes == 1_048_576)
    #expect(file.fetch.revalidation == .always)
    #expect(file.fetch.ignoredQuery == ["token", "expires"])
    #expect(file.fetch.rewrites == [.init(from: "http://", to: "https://")])
    #expect(file.fetch.headers == [.init(name: "Authorization", value: "Bearer s3cret")])
    #expect(file.fetch.headersEverywhere)
    #expect(file.fetch.allow == ["loopback", "10.1.0.0/16", "fd00::/8"])
    #expect(file.accept == [.jpeg, .png])
    #expect(file.limits.memory == 1_000_000_000)
    #expect(file.limits.time == .seconds(20))
    #expect(file.workers == 3)
  }

  @Test func decodesSeveralFormatsWithTheirOwnSettings() throws {
    let file = try decode(
      minimal + "variants: {format: [avif, source, jpeg], quality: {avif: 55}, effort: {jxl: 7}}\n"
    ).get()
    #expect(file.plan.formats == [.fixed(.avif), .source, .fixed(.jpeg)])
    #expect(OutputFormat.allCases.map { file.plan.quality[$0] } == [80, 80, nil, 55, 80, 80])
    #expect(OutputFormat.allCases.map { file.plan.effort[$0] } == [4, nil, nil, 2, 7, nil])
    for (effort, numbers) in [
      ("auto", [nil, nil, nil, 2, 5, nil]), ("{avif: 3}", [4, nil, nil, 3, 5, nil]),
      ("3", [3, nil, nil, 3, 3, nil]),
      ("{webp: auto, avif: 4}", [nil, nil, nil, 4, 5, nil]),
      ("{webp: 0}", [0, nil, nil, 2, 5, nil]),
    ] as [(String, [Int?])] {
      let file = try decode(minimal + "variants: {effort: \(effort)}\n").get()
      #expect(OutputFormat.allCases.map { file.plan.effort[$0] } == numbers, "\(effort)")
    }
    for (text, policy) in [
      ("strip", MetadataPolicy.strip), ("keep", [.icc, .exif, .xmp, .iptc]), ("icc", .icc),
      ("[icc, exif]", [.icc, .exif, .location]),
    ] {
      let file = try decode(minimal + "variants: {metadata: \(text)}\n").get()
      #expect(file.plan.metadata == policy)
    }
    let found = try decode(minimal + "variants: {gravity: attention}\n").get()
    #expect(found.plan.gravity == .found(.attention))
  }

  /// A manifest is a path, a URL, or standard input.
  @Test func decodesTheLocationOfTheManifest() throws {
    func manifest(_ text: String) throws -> PipelineFile.Manifest {
      try decode("manifest: \(text)\noutput: o\nslots: {a: {size: 10x}}\n").get().manifest
    }
    #expect(try manifest("\"-\"") == .standardInput)
    #expect(try manifest("/srv/m.csv") == .file("/srv/m.csv"))
    #expect(try manifest("a/m.csv") == .file("dir/a/m.csv"))
    #expect(try manifest("https://example.com/m") == .url("https://example.com/m"))
    #expect(try manifest("s3://bucket/m") == .object("s3://bucket/m"))
    #expect(
      mistakes("manifest: gs://bucket/m\noutput: o\nslots: {a: {size: 10x}}\n") == [
        "1:11 \"manifest\" must be a path, an http(s) URL, s3://bucket/key, or \"-\" for standard "
          + "input, found \"gs://bucket/m\""
      ])
  }

  @Test func decodesAnOutputInAnObjectStore() throws {
    let text = """
      manifest: m
      output: s3://feed/a
      state: state
      store: {endpoint: "https://minio.example.com", region: eu, path-style: false}
      slots: {a: {size: 10x}}
      fetch: {allow: ["s3:photos"]}
      """
    let file = try decode(text).get()
    #expect(file.output == "s3://feed/a")
    #expect(file.state == "dir/state")
    #expect(
      file.store
        == PipelineFile.Store(
          endpoint: "https://minio.example.com", region: "eu", usesPathStyle: false))
    #expect(file.fetch.buckets == ["photos"])
    #expect(file.catalogPath == "s3://feed/a/catalog.json")
    for (line, message) in [
      ("output: s3://", "2:9 \"output\" must be a path, or s3://bucket/prefix, found \"s3://\""),
      (
        "output: o\nstate: s",
        "3:8 \"state\" is for an output in an object store (s3://); a directory holds its own"
      ),
    ] {
      #expect(mistakes("manifest: m\n\(line)\nslots: {a: {size: 10x}}\n") == [message])
    }
  }

  @Test(
    .faults(.c1, .c2, .c3, .c5, .c7),
    arguments: [
      ("colour: red", "5:1 unknown key \"colour\"; the keys are accept, base, base-url, catalog,"),
      ("sclaes: [1]", "5:1 unknown key \"sclaes\"; did you mean \"scales\"?"),
      (
        "scales: [0]",
        "5:10 \"scales\" must be a list of whole numbers from 1 to 8, such as [1, 2, 3], found \"0\""
      ),
      ("scales: [1, 1]", "5:13 \"scales\" names 1 twice"),
      ("rounding: [64, 64]", "5:16 \"rounding\" names 64 twice"),
      ("rounding: []", "5:11 \"rounding\" must have at least one size"),
      (
        "rounding: [0]",
        "5:12 \"rounding\" must be a list of sizes from 1 to 65500 pixels, found \"0\""
      ),
      (
        "rounding: [65536]",
        "5:12 \"rounding\" must be a list of sizes from 1 to 65500 pixels, found \"65536\""
      ),
      ("variants: {format: [webp, webp]}", "5:27 \"variants.format\" names webp twice"),
      // "strip" and a kind to keep contradict each other.
      (
        "variants: {metadata: [strip, icc]}",
        "5:23 \"variants.metadata\" must be a list of \"icc\", \"exif\", \"xmp\", \"iptc\", found \"strip\""
      ),
      (
        "variants: {metadata: all}",
        "5:22 \"variants.metadata\" must be \"strip\", \"keep\", or a list of \"icc\", \"exif\", \"xmp\", \"iptc\", found \"all\""
      ),
      (
        "variants: {metadata: []}",
        "5:22 \"variants.metadata\" must have at least one kind; or say strip"
      ),
      ("variants: {format: []}", "5:20 \"variants.format\" must have at least one format"),
      (
        "variants: {quality: {png: 3}}",
        "5:22 unknown key \"png\" in \"variants.quality\"; the keys are avif, heic, jpeg, jxl, target, webp"
      ),
      (
        "variants: {effort: {jxl: 2}}",
        "5:26 \"variants.effort.jxl\" must be a whole number from 3 to 9, found \"2\""
      ),
      (
        "variants: {effort: 7}",
        "5:20 \"variants.effort\" must be a whole number from 0 to 6 or \"auto\", or a group with one for each format, found \"7\""
      ),
      (
        "workers: many",
        "5:10 \"workers\" must be \"auto\" or a whole number from 1 to 256, found \"many\""
      ),
      ("variants: 7", "5:11 \"variants\" must be a group of keys, found \"7\""),
      (
        "variants: {quality: 101}",
        "5:21 \"variants.quality\" must be a whole number from 1 to 100 or \"auto\", or a group with one for each format, or with a target such as {target: high}, found \"101\""
      ),
      (
        "variants: {quality: 9223372036854775808}",
        "5:21 \"variants.quality\" must be a whole number from 1 to 100 or \"auto\", or a group with one for each format, or with a target such as {target: high}, found \"9223372036854775808\""
      ),
      (
        "variants: {format: wepb}",
        "5:20 \"variants.format\" must be one of \"webp\", \"jpeg\", \"png\", \"avif\", \"jxl\", \"heic\", \"source\", \"compatible\", found \"wepb\" (did you mean \"webp\"?)"
      ),
      (
        "variants: {background: white}",
        "5:24 \"variants.background\" must be a colour such as \"#ffffff\" (in quotes), found \"white\""
      ),
      (
        "limits: {pixels: .nan}",
        "5:18 \"limits.pixels\" must be a count of pixels, such as 100MP, found \".nan\""
      ),
      (
        "limits: {time: 0s}",
        "5:16 \"limits.time\" must be a duration of at least 1ms, such as 500ms, 15s, 2m or 1h, found \"0s\""
      ),
      (
        "limits: {memory: 1e309}",
        "5:18 \"limits.memory\" must be a size of at least 256MB, such as 2GB, found \"1e309\""
      ),
      (
        "fetch: {deadline: -1s}",
        "5:19 \"fetch.deadline\" must be a duration of at least 1ms, such as 500ms, 15s, 2m or 1h, found \"-1s\""
      ),
      (
        "fetch: {allow: [everything]}",
        "5:17 \"fetch.allow\" must be \"loopback\", \"private\", an address block such as 10.1.0.0/16, a folder such as files:/srv/images, or a bucket such as s3:photos, found \"everything\""
      ),
      ("fetch: {headers: {\"a b\": c}}", "5:19 \"a b\" is not a valid header name"),
      (
        "fetch: {headers: [{X-Key: k}]}",
        "5:19 each entry of \"fetch.headers\" needs \"host\", a host such as images.example.com or images.example.com:8443"
      ),
      ("fetch: {headers: [{host: h}]}", "5:19 \"fetch.headers\" has no header for the host \"h\""),
      (
        "fetch: {headers: [{host: \"*.example.com\", X-Key: k}]}",
        "5:26 \"fetch.headers.host\" must be a host such as images.example.com or images.example.com:8443, found \"*.example.com\""
      ),
      (
        "fetch: {headers: [{host: h, Host: k}]}",
        "5:29 tessera sets the header \"Host\" itself; remove it"
      ),
      (
        "fetch: {headers: [X-Key]}",
        "5:19 \"fetch.headers\" must be a group of keys, found \"X-Key\""
      ),
      (
        "fetch: {headers-everywhere: often}",
        "5:29 \"fetch.headers-everywhere\" must be true or false, found \"often\""
      ),
      (
        "base-url: ftp://x",
        "5:11 \"base-url\" must be a URL, such as https://cdn.example.com/feed/, found \"ftp://x\""
      ),
      (
        "base-url: ${NOWHERE}",
        "5:11 \"base-url\": the environment variable \"NOWHERE\" is not set; set it, or remove ${NOWHERE}"
      ),
      ("scales: [1]\nscales: [2]", "6:1 duplicate key \"scales\"; line 5 has it already"),
      ("limits: {pixels: [", "6:1 did not find expected node content while parsing a flow node"),
      (
        " workers: 1",
        "5:2 did not find expected key while parsing a block mapping; keys of one group must begin in the same column"
      ),
      ("workers 1\nscales: [1]", "5:1 could not find expected ':' while scanning a simple key"),
      (
        "limits:  # …………\n\ttime: 1s",
        "6:1 found character that cannot start any token while scanning for the next token; indent with spaces, not with tabs"
      ),
    ])
  func reportsAMistakeAtItsPosition(_ line: String, _ expected: String) {
    let found = mistakes(minimal + line + "\n")
    #expect(found.count == 1)
    #expect(found.first?.hasPrefix(expected) == true, "\(found)")
  }

  /// A value of the format that this version does not support is an error, and never ignored.
  @Test(arguments: [
    "accept: [psd]"
  ])
  func rejectsUnsupportedValues(_ line: String) {
    let found = mistakes(minimal + line + "\n")
    #expect(found.count == 1)
    #expect(found.first?.contains("is not supported in this version") == true, "\(found)")
  }

  @Test func reportsAllMistakesOfAFileAtOnce() {
    let text = """
      manifest: m.jsonl
      ouput: out
      slots:
        a: {size: 36}
        b: {size: 180x, mode: clip}
        c: {mode: fit}
      scales: none
      """
    #expect(
      mistakes(text) == [
        "1:1 the key \"output\" is missing; it must be a path, or s3://bucket/prefix",
        "2:1 unknown key \"ouput\"; did you mean \"output\"?",
        "4:13 \"slots.a.size\" must be a size in points, such as 36x36, 180x (free height) or x200 "
          + "(free width), found \"36\"",
        "5:13 \"slots.b\": mode clip needs both sides, such as 36x36, to know the crop's shape",
        "6:6 the key \"slots.c.size\" is missing; it must be a size in points, such as 36x36, 180x (free height) "
          + "or x200 (free width)",
        "7:9 \"scales\" must be a list of whole numbers from 1 to 8, such as [1, 2, 3], found \"none\"",
      ])
  }

  @Test func pointsAtTheMistakeUnderWideCharactersAndTabs() {
    guard case .failure(let error) = decode("日本: {é: 1}\n" + minimal) else {
      Issue.record("not rejected")
      return
    }
    #expect(
      "\(error)".hasPrefix(
        """
        dir/feed.yaml:1:1: error: unknown key "日本"; the keys are accept, base-url, catalog, fetch, \
        limits, manifest, output, rounding, scales, slots, variants, workers
          日本: {é: 1}
          ^
        """) == false)
    let wide = decode(minimal + "base-url: 日本é, workers\nrounding: \"日本\" \n")
    guard case .failure(let second) = wide else { return }
    #expect("\(second)".contains("  base-url: 日本é, workers\n            ^"))
  }

  @Test(.faults(.c4)) func survivesAnAliasBombAndDeepNesting() {
    var text = minimal + "x0: &x0 [a, a, a, a, a, a, a, a, a]\n"
    for level in 1...9 {
      text += "x\(level): &x\(level) ["
      text += Array(repeating: "*x\(level - 1)", count: 9).joined(separator: ", ") + "]\n"
    }
    #expect(mistakes(text).first?.contains("the file expands to more than 10000 values") == true)
    let deep = minimal + "x: " + String(repeating: "[", count: 5000)
    #expect(mistakes(deep).first?.contains("nested more than 32 levels deep") == true)
  }

  /// A manifest in the place of the pipeline file is recognized; a pipeline file never is.
  @Test(arguments: [
    "{\"id\":\"a\",\"url\":\"https://a/1\"}\n{\"id\":\"b\",\"url\":\"https://a/2\"}\n",
    "{\"url\":\"a.jpg\"}", "id,url\na,https://a/1\n", "url;alt\nhttps://a/1;x\n",
    "https://a/1\nhttps://a/2\n", "# images\n\nfile:///a.jpg\n", "s3://bucket/a.jpg",
    "images/a.jpg\nimages/b.jpg\n",
  ])
  func aManifestIsNotAPipelineFile(_ text: String) {
    #expect(
      mistakes(text) == [
        "1:1 this looks like a manifest, not like a pipeline file; tessera init --from dir/feed.yaml writes "
          + "a pipeline file for it, and --manifest dir/feed.yaml has another pipeline read it"
      ])
  }

  @Test(arguments: [
    "manifest: m.jsonl\n", "manifest:m.jsonl\n", "slots:\n  - a\n", "# https://a/1\nslots: 1\n",
    "{\"manifest\": \"m.jsonl\"}", "- a.jpg\n- b.jpg\n", "hello\n", "a b\n", "<html>\n",
  ])
  func aPipelineFileWithMistakesIsNotAManifest(_ text: String) {
    let found = mistakes(text)
    #expect(!found.isEmpty && !found.contains { $0.contains("manifest, not") }, "\(found)")
  }

  @Test func aManifestTooLongForAPipelineFileIsRecognized() throws {
    let folder = try TemporaryFolder()
    let line = "https://a.example/image.jpg\n"
    let path = try folder.write(String(repeating: line, count: 50_000), to: "list.txt")
    let error = #expect(throws: PipelineFileError.self) { try PipelineFile.load(path) }
    #expect(error?.description.hasPrefix("\(path):1:1: error: this looks like a manifest") == true)
    let other = try folder.write(String(repeating: "a: b\n", count: 300_000), to: "long.yaml")
    #expect(throws: SystemError.self) { try PipelineFile.load(other) }
  }

  /// A message quotes 60 characters of a pipeline file at most, and none of another file.
  @Test(.faults(.p7)) func messagesQuoteNoSecrets() throws {
    let folder = try TemporaryFolder()
    for (name, text) in [
      (".env", "API_KEY=s3cr3t-of-somebody\n"), ("a.yaml", "password: s3cr3t\nhost: s3cr3t\n"),
      ("b.yaml", "- [s3cr3t\n"), ("list", "https://a.example/?token=s3cr3t\n"),
    ] {
      let path = try folder.write(text, to: name)
      let error = #expect(throws: PipelineFileError.self) { try PipelineFile.load(path) }
      let description = error?.description ?? ""
      #expect(
        !description.contains("s3cr3t") && description.contains(":1:1: error: "), "\(description)")
    }
    let long = String(repeating: "x", count: 200) + "s3cr3t"
    let path = try folder.write(minimal + "fail-above: \(long)\n", to: "long.yaml")
    let error = #expect(throws: PipelineFileError.self) { try PipelineFile.load(path) }
    let lines = (error?.description ?? "").split(separator: "\n")
    #expect(lines.count == 3)
    #expect(
      lines.last?.hasSuffix("^") == true && !lines.contains { $0.contains("s3cr3t") }, "\(lines)")
    #expect(!lines.contains { $0.contains(String(repeating: "x", count: 61)) }, "\(lines)")
  }

  @Test(.faults(.c4)) func anEmptyFileLacksTheThreeRequiredKeys() {
    #expect(mistakes("").count == 3)
    #expect(mistakes("\u{FEFF}" + minimal).isEmpty)
  }

  @Test(arguments: [
    ("15s", 15_000), ("2m", 120_000), ("1.5h", 5_400_000), ("500ms", 500), ("30 d", 2_592_000_000),
  ])
  func readsDurations(_ text: String, _ milliseconds: Int) {
    #expect(Units.duration(text) == .milliseconds(milliseconds))
  }

  @Test(arguments: ["", "s", "1", "1 year", "-1s", "1e3s", ".5s", "99999999999999999d"])
  func rejectsOtherDurations(_ text: String) { #expect(Units.duration(text) == nil) }

  @Test(
    arguments: [
      ("7", 7), ("7B", 7), ("1.5 kB", 1500), ("2KB", 2000), ("3MB", 3_000_000),
      ("4GB", 4_000_000_000), ("1KiB", 1024), ("1.5 MiB", 1_572_864), ("2GiB", 2_147_483_648),
      ("1TB", nil), ("1kb", nil), ("-1B", nil), ("9000000GB", nil),
    ] as [(String, Int?)])
  func readsAmountsOfBytes(_ text: String, _ bytes: Int?) {
    #expect(Units.bytes(text) == bytes)
    #expect(Units.rate(text + "/s") == bytes)
    #expect(Units.rate(text) == nil)
  }

  @Test(
    .faults(.c1),
    arguments: [
      ("sclaes", "scales"), ("ouput", "output"), ("manifset", "manifest"), ("xyz", nil),
    ] as [(String, String?)])
  func findsTheNearestWord(_ word: String, _ match: String?) {
    #expect(Nearest.match(to: word, among: ["scales", "output", "manifest", "slots"]) == match)
  }

  /// The shipped pipelines decode without changes.
  @Test func decodesTheShippedPipelines() throws {
    let folder = Places.root.appending(path: "Pipelines")
    let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
      .filter { $0.hasSuffix(".yaml") }
    #expect(!names.isEmpty)
    for name in names {
      let path = folder.appending(path: name).path
      let file = try PipelineFile.decode(
        Array(try Data(contentsOf: URL(filePath: path))), path: path, environment: { _ in nil })
      #expect(!file.plan.slots.isEmpty)
    }
  }
}
