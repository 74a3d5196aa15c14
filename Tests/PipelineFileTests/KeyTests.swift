import Foundation
import TesseraTestSupport
import TesseraText
import Testing

@testable import TesseraPipelineFile
@testable import TesseraPlan

/// What the declarations of keys promise.
@Suite struct KeyTests {
  private static func decode(_ text: String) throws -> PipelineFile {
    try PipelineFile.decode(Array(text.utf8), path: "p.yaml") { _ in nil }
  }

  private static func paths(_ notes: [KeyNote], _ prefix: String = "") -> [(String, KeyNote)] {
    notes.flatMap { note in
      note.members.isEmpty
        ? [("\(prefix)\(note.name)", note)] : paths(note.members, "\(prefix)\(note.name).")
    }
  }

  /// Each key changes just what it says that it shapes: the texts of which the fingerprints are made, and no others.
  @Test(.faults(.c20)) func eachKeyIsInTheFingerprintsOfWhatItShapes() throws {
    let keys = Self.paths(PipelineFile.notes)
    #expect(Set(keys.map(\.0)) == Set(KeyValues.others.keys))
    let shapings: [Shaping] = [.files, .entries, .catalog, .acceptance]
    for (path, note) in keys {
      let value = try #require(KeyValues.others[path], "\(path)")
      let changed = try Self.decode(KeyValues.file(path, value))
      var usual = try Self.decode(KeyValues.minimal)
      if path == "variants.quality-range" {
        usual = try Self.decode(KeyValues.minimal + "variants: {quality: auto}\n")
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

  /// A folder is relative to the file, as all paths are.
  @Test(arguments: [
    (".", ""), ("./", ""), ("./images", "images/"), ("./images/", "images/"), ("/usr", nil),
  ])
  func theBaseMayBeAFolder(_ text: String, _ below: String?) throws {
    let folder = try TemporaryFolder()
    try folder.write("x", to: "images/x")
    let real = URL(filePath: folder.path("")).resolvingSymlinksInPath().path
    let bytes = Array((KeyValues.minimal + "base: \(text)\n").utf8)
    let base = try PipelineFile.decode(bytes, path: folder.path("p.yaml")) { _ in nil }.base
    #expect(base == (below.map { "file://\(real)/\($0)" } ?? "file:///usr/"))
  }

  @Test(arguments: [
    "images", "images.example.com/a", "./none", "/none", "s3://a", "file:///a", "ftp://a/",
  ])
  func whatIsNoBaseIsAMistake(_ text: String) throws {
    #expect(throws: (any Error).self) {
      try Self.decode(KeyValues.minimal + "base: \"\(text)\"\n")
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
      let files = try [one, other].map { try Self.decode(KeyValues.file(path, $0)) }
      #expect(files[0].shape([.files]) != files[1].shape([.files]), "\(path): \(one), \(other)")
    }
    let headers = try ["A: b", "A: c", "B: b"].map {
      try Self.decode(KeyValues.file("fetch.headers", "[{host: h, \($0)}]")).shape([.acceptance])
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
    let file = try Self.decode(KeyValues.minimal)
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
