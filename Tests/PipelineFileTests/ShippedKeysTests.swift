import Foundation
import TesseraJSON
import TesseraPlan
import TesseraTestSupport
import Testing

@testable import TesseraPipelineFile

/// What the declarations of keys say to editors, to readers and to fingerprints: whole texts.
@Suite struct ShippedKeysTests {
  private static func shipped(_ name: String) throws -> String {
    try String(contentsOf: Places.root.appending(path: "Pipelines/\(name)"), encoding: .utf8)
  }

  @Test func editorsHaveTheSchemaOfTheKeys() throws {
    #expect(try PipelineFile.schemaText == Self.shipped("pipeline.schema.json"))
  }

  @Test func readersHaveTheListOfTheKeys() throws {
    let document = try Self.shipped("KEYS.md")
    let start = try #require(document.firstRange(of: "\n```yaml\n"))
    let end = try #require(document[start.upperBound...].firstRange(of: "```\n"))
    #expect(PipelineFile.commentedKeys == document[start.upperBound..<end.lowerBound])
  }

  // MARK: Fingerprints

  private static func shape(_ text: String, _ shaping: Shaping) throws -> [String] {
    try KeyRangeTests.decode(text).shape([shaping]).split(separator: "\n").map(String.init)
  }

  @Test func theDefaultsHaveTheseFingerprints() throws {
    #expect(
      try Self.shape("", .files) == [
        #"slots {"a":{"size":"10x10","mode":"fit"}}"#, "scales [1,2,3]",
        #"rounding "power-of-two""#,
        #"variants.format "webp""#,
        #"variants.quality {"webp":80,"jpeg":80,"avif":65,"jxl":80,"heic":80}"#,
        "variants.quality-range [40,92]", #"variants.effort {"webp":4,"avif":2,"jxl":5}"#,
        "variants.alpha-quality 100", #"variants.oversized "jpeg""#,
        ##"variants.background "#ffffff""##, #"variants.metadata "strip""#,
        #"variants.animation "keep""#, #"variants.hdr "sdr""#, #"variants.gravity "centre""#,
        "upgrade ", "delivery ", "tables ",
        #"fail-on "error""#, #"lanes "on""#,
      ])
    #expect(
      try Self.shape("", .entries) == [
        "columns ", #"fetch.max-bytes "64MB""#, "fetch.ignore-query []", "fetch.allow []",
        #"placeholders ["color","thumbhash"]"#,
        #"accept ["jpeg","png","gif","webp","avif","heic","tiff","jxl","bmp"]"#,
        #"limits.pixels "100MP""#, "limits.frames 1000", "extra []", #"catalog.profile "client""#,
        #"catalog.urls "shown""#,
      ])
    #expect(try Self.shape("", .catalog) == ["base-url ", "catalog.screens "])
    #expect(
      try Self.shape("", .acceptance) == [
        "fetch.hosts []", "fetch.headers []", #"fetch.user-agent "Tessera/0.1""#,
        #"limits.memory "2GB""#, #"limits.time "1m""#,
      ])
  }

  private static let other = """
    slots: {b: {size: x200, mode: fill}, a: {size: 36x36, mode: clip}}
    scales: 2
    rounding: [640, 320]
    variants: {format: [avif, source], quality: {target: feed, jpeg: 70}, quality-range: [50, 60],
      effort: {webp: auto, avif: 3}, alpha-quality: 80, oversized: png, background: "#abc",
      metadata: [xmp, exif], animation: first-frame, hdr: keep, gravity: north-east}
    upgrade: {format: jxl, budget: 5m}
    tables: {b: {pixels: [webp, grey8]}, a: {scales: [2]}}
    fail-on: none
    lanes: off
    base-url: https://c.example/x
    placeholders: [css, color]
    accept: png
    columns: {url: [Image, More], id: Handle, separator: ",", prefix: "https://s.example/m"}
    extra: all
    catalog: {profile: full, urls: none, changes: 2,
      screens: {feed: {slots: [b, a], formats: png, scales: 2, first: 9, part: 90}}}
    fetch: {max-bytes: 1MiB, ignore-query: token, user-agent: A,
      hosts: [{host: H.example, rate: 5/s, headers: {A: 1, B: c}}, {host: i, retries: 1}],
      headers: [{host: H.example, A: 1, B: c}]}
    limits: {pixels: 1500kP, frames: 7, memory: 300000001, time: 1500ms}
    """

  @Test func otherValuesHaveOtherFingerprints() throws {
    #expect(
      try Self.shape(Self.other, .files) == [
        #"slots {"a":{"size":"36x36","mode":"clip"},"b":{"size":"x200","mode":"fill"}}"#,
        "scales 2", "rounding [320,640]", #"variants.format ["avif","source"]"#,
        #"variants.quality {"target":70,"webp":"auto","jpeg":70,"avif":"auto","jxl":"auto","heic":"auto"}"#,
        "variants.quality-range [50,60]", #"variants.effort {"webp":"auto","avif":3,"jxl":5}"#,
        "variants.alpha-quality 80", #"variants.oversized "png""#,
        ##"variants.background "#aabbcc""##, #"variants.metadata ["exif","xmp"]"#,
        #"variants.animation "first-frame""#, #"variants.hdr "keep""#,
        #"variants.gravity "north-east""#, #"upgrade {"format":"jxl"}"#, "delivery ",
        #"tables {"a":{"scales":2,"pixels":"bgra8"},"b":{"scales":2,"pixels":["webp","grey8"]}}"#,
        #"fail-on "none""#, #"lanes "off""#,
      ])
    #expect(
      try Self.shape(Self.other, .entries) == [
        #"columns {"url":["Image","More"],"id":"Handle","alt":[],"slots":[],"focus":[],"views":[],"published":[],"separator":",","prefix":"https://s.example/m"}"#,
        #"fetch.max-bytes "1048576B""#, #"fetch.ignore-query "token""#, "fetch.allow []",
        #"placeholders ["color","css"]"#, #"accept "png""#, #"limits.pixels "1500kP""#,
        "limits.frames 7", #"extra "all""#, #"catalog.profile "full""#, #"catalog.urls "none""#,
      ])
    #expect(
      try Self.shape(Self.other, .catalog)
        == [
          #"base-url "https://c.example/x/""#,
          #"catalog.screens {"feed":{"slots":["b","a"],"formats":"png","scales":2,"first":9,"part":90}}"#,
        ])
    #expect(
      try Self.shape(Self.other, .acceptance) == [
        #"fetch.hosts [["h.example",["A","1"],["B","c"]]]"#,
        #"fetch.headers [["h.example","A","1"],["h.example","B","c"]]"#, #"fetch.user-agent "A""#,
        #"limits.memory "300000001B""#, #"limits.time "1500ms""#,
      ])
  }

  @Test(arguments: [
    ("fetch: {max-bytes: 1000}", Shaping.entries, #"fetch.max-bytes "1KB""#),
    ("fetch: {max-bytes: 2GB}", .entries, #"fetch.max-bytes "2GB""#),
    ("fetch: {max-bytes: 1500}", .entries, #"fetch.max-bytes "1500B""#),
    ("limits: {pixels: 7}", .entries, #"limits.pixels "7""#),
    ("limits: {pixels: 2GP}", .entries, #"limits.pixels "2GP""#),
    ("limits: {time: 25h}", .acceptance, #"limits.time "25h""#),
    ("variants: {metadata: keep}", .files, #"variants.metadata "keep""#),
    ("variants: {metadata: exif}", .files, #"variants.metadata "exif""#),
    (
      "variants: {quality: auto}", .files,
      #"variants.quality {"target":72,"webp":"auto","jpeg":"auto","avif":"auto","jxl":"auto","heic":"auto"}"#
    ),
    ("variants: {gravity: attention}", .files, #"variants.gravity "attention""#),
    ("rounding: [64]", .files, "rounding [64]"),
    ("extra: [b, a]", .entries, #"extra ["b","a"]"#), ("extra: [all]", .entries, #"extra ["all"]"#),
    ("extra: b", .entries, #"extra ["b"]"#),
    ("fetch: {headers: {A: b}}", .acceptance, #"fetch.headers [["","A","b"]]"#),
    ("placeholders: []", .entries, "placeholders []"),
    (
      "fetch: {allow: [loopback, 'files:a/b', 's3:c', 'files:/d']}", .entries,
      #"fetch.allow ["a/b","/d"]"#
    ),
  ])
  func aValueHasALine(_ text: String, _ shaping: Shaping, _ line: String) throws {
    #expect(try Self.shape(text, shaping).contains(line))
  }

  @Test func aServiceIsInTheFingerprintByAllItsKeys() throws {
    func line(_ keys: String) throws -> String {
      try #require(Self.shape("delivery: {\(keys)}", .files).first { $0.hasPrefix("delivery ") })
    }
    let empty = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
    let nos = try line("preset: nos, files: true")
    #expect(nos.hasPrefix(#"delivery {"keys":{"files":true,"files-for":[],"template":"/{path}?"#))
    #expect(nos.hasSuffix(#"},"secrets":["\#(empty)","\#(empty)"]}"#))
    // The preset's keys count, and not its name.
    #expect(
      try line("preset: next, base: \"https://a.example\"")
        == line(
          """
          base: "https://a.example", template: "/_next/image?url={url}&w={width}&q={quality}", modes: {fit: ""},
          formats: {webp: webp}, qualities: 75,
          widths: [32, 48, 64, 96, 128, 256, 384, 640, 750, 828, 1080, 1200, 1920, 2048, 3840],
          source-bytes: 50MB, source-pixels: 268402689, source-frames: 1,
          source-formats: [jpeg, png, gif, webp, avif, tiff]
          """))
    let keyed = "preset: imgix, base: \"https://a.example\", key: "
    #expect(try line(keyed + "a") != line(keyed + "b"))
    #expect(try !line(keyed + "secret").contains("secret\""))
  }
}
