import Foundation
import TesseraTestSupport
import TesseraText
import Testing

@testable import TesseraPipelineFile
@testable import TesseraPlan

/// What the declarations of keys promise.
@Suite struct KeyTests {
  private static let minimal = "manifest: m\noutput: o\nslots: {a: {size: 10x10}}\n"

  private static func decode(_ text: String) throws -> PipelineFile {
    try PipelineFile.decode(Array(text.utf8), path: "p.yaml") { _ in nil }
  }

  /// For each key that a file may have, a value that is not the default.
  private static let others = [
    "manifest": "n", "output": "p", "state": "s", "base": "https://b.example/",
    "base-url": "https://c.example/", "slots": "{b: {size: 10x10}}", "scales": "[1]",
    "columns": "{url: image_link}", "weights": "{a: 2}", "upgrade": "{format: avif}",
    "rounding": "exact", "placeholders": "[color]", "tables": "{a: {}}", "accept": "[jpeg]",
    "fail-on": "none", "fail-above": "1%", "shrink-above": "1%", "lost-above": "1%",
    "keep-lost": "1d", "keep-catalogs": "5", "extra": "all", "workers": "2", "lanes": "off",
    "require-sandbox": "true", "delivery": "{preset: nos, files: true}",
    "store.endpoint": "https://s.example", "store.region": "eu", "store.path-style": "true",
    "variants.format": "png", "variants.quality": "70", "variants.quality-range": "[50, 60]",
    "variants.effort": "2", "variants.alpha-quality": "80", "variants.oversized": "png",
    "variants.background": "\"#000000\"", "variants.metadata": "keep",
    "variants.animation": "first-frame", "variants.hdr": "keep", "variants.gravity": "north",
    "fetch.concurrency": "2", "fetch.rate": "5/s",
    "fetch.hosts": "[{host: h, headers: {A: b}}]",
    "fetch.per-host": "2", "fetch.order": "newest-first", "fetch.timeout": "1s",
    "fetch.deadline": "1s", "fetch.min-speed": "2KB/s", "fetch.retries": "1",
    "fetch.max-bytes": "1MB", "fetch.redirects": "1", "fetch.revalidate": "never",
    "fetch.ignore-query": "[a]", "fetch.rewrite": "[{from: a, to: b}]",
    "fetch.headers": "[{host: h, A: b}]", "fetch.headers-everywhere": "true",
    "fetch.allow": "[loopback]", "fetch.keep-stale": "1d", "fetch.cache": "1GB",
    "fetch.user-agent": "A/1", "limits.pixels": "1MP", "limits.frames": "1",
    "limits.memory": "1GB", "limits.time": "1s", "catalog.profile": "full",
    "catalog.format": "jsonl", "catalog.pages": "10",
    "catalog.screens": "{feed: {slots: [a]}}", "catalog.patches": "2", "catalog.urls": "none",
  ]

  private static func paths(_ notes: [KeyNote], _ prefix: String = "") -> [(String, KeyNote)] {
    notes.flatMap { note in
      note.members.isEmpty
        ? [("\(prefix)\(note.name)", note)] : paths(note.members, "\(prefix)\(note.name).")
    }
  }

  static func file(_ path: String, _ value: String) -> String {
    let parts = path.split(separator: ".")
    let extra = path == "variants.quality-range" ? ", quality: auto" : ""
    let line =
      parts.count == 2 ? "\(parts[0]): {\(parts[1]): \(value)\(extra)}" : "\(path): \(value)"
    let rest = minimal.split(separator: "\n").filter { !$0.hasPrefix("\(path):") }
    let output = path == "state" ? rest.map { $0 == "output: o" ? "output: s3://b/p" : $0 } : rest
    return (output + [line[...]]).joined(separator: "\n") + "\n"
  }

  /// Each key changes just what it says that it shapes: the texts of which the fingerprints are made, and no others.
  @Test func eachKeyIsInTheFingerprintsOfWhatItShapes() throws {
    let keys = Self.paths(PipelineFile.notes)
    #expect(Set(keys.map(\.0)) == Set(Self.others.keys))
    let shapings: [Shaping] = [.files, .entries, .catalog, .acceptance]
    for (path, note) in keys {
      let value = try #require(Self.others[path], "\(path)")
      let changed = try Self.decode(Self.file(path, value))
      var usual = try Self.decode(Self.minimal)
      if path == "variants.quality-range" {
        usual = try Self.decode(Self.minimal + "variants: {quality: auto}\n")
      }
      for shaping in shapings {
        let isShaped = changed.shape([shaping]) != usual.shape([shaping])
        #expect(isShaped == (note.shapes == shaping), "\(path) and \(shaping)")
      }
      // Every value is stored: a key that is read and forgotten would do nothing.
      var texts = ["", ""]
      dump(changed, to: &texts[0])
      dump(usual, to: &texts[1])
      #expect(texts[0] != texts[1] || path == "base", "\(path)")
    }
  }

  /// What a key holds shapes the fingerprints in all its parts, the required ones too.
  @Test func eachPartOfAKeyIsInTheFingerprints() throws {
    let values = [
      ("slots", "{a: {size: 10x10}}", "{a: {size: 10x11}}"),
      ("slots", "{a: {size: 10x10}}", "{a: {size: 10x10, mode: clip}}"),
      ("slots", "{a: {size: 10x}}", "{a: {size: x10}}"),
      ("tables", "{a: {scales: 1}}", "{a: {scales: 2}}"),
      ("tables", "{a: {pixels: bgra8}}", "{a: {pixels: rgb565}}"),
      ("variants.quality", "{webp: 70}", "{webp: 71}"),
      ("variants.quality", "{target: 70}", "{target: 71}"),
      ("variants.effort", "{avif: 2}", "{avif: 3}"), ("rounding", "[64]", "[64, 128]"),
      ("variants.metadata", "[icc]", "[icc, exif]"),
      ("delivery", "{preset: nos, files: true}", "{preset: qiniu, files: true}"),
    ]
    for (path, one, other) in values {
      let files = try [one, other].map { try Self.decode(Self.file(path, $0)) }
      #expect(files[0].shape([.files]) != files[1].shape([.files]), "\(path): \(one), \(other)")
    }
    let headers = try ["A: b", "A: c", "B: b"].map {
      try Self.decode(Self.file("fetch.headers", "[{host: h, \($0)}]")).shape([.acceptance])
    }
    #expect(Set(headers).count == 3)
  }

  /// A value that is stored is also used, outside of the module that reads it.
  @Test func eachKeyIsRead() throws {
    let sources = Places.root.appending(path: "Sources")
    let files = try #require(FileManager.default.enumerator(atPath: sources.path))
    var text = ""
    for case let file as String in files
    where file.hasSuffix(".swift") && !file.hasPrefix("PipelineFile/") {
      text += try String(contentsOf: sources.appending(path: file), encoding: .utf8)
    }
    func unread(_ type: Any, _ names: [String]) -> [String] {
      Mirror(reflecting: type).children.compactMap(\.label).filter {
        !text.contains(".\($0)") && !names.contains($0)
      }
    }
    let file = try Self.decode(Self.minimal)
    // Others read these through properties of `Fetch`.
    #expect(unread(file, []) == [])
    #expect(unread(file.fetch, ["allow", "headersEverywhere"]) == [])
    #expect(unread(file.limits, []) == [])
    #expect(unread(file.store, []) == [])
  }

  /// The list of presets is a file, which is built in.
  @Test func thePresetsAreRead() {
    #expect(
      DeliveryPresets.names == [
        "aliyun", "bunny", "cloudflare", "cloudinary", "fastly", "imgix", "imgproxy", "next", "nos",
        "qiniu", "tencent", "thumbor",
      ])
  }

  @Test func quantitiesAreWrittenAsTheyAreRead() throws {
    for text in ["500ms", "15s", "2m", "1h", "30d", "1500ms", "90s"] {
      #expect(Units.written(try #require(Units.duration(text))) == text)
    }
    #expect(Units.written(.zero) == "0s")
  }
}
