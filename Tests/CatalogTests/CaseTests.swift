import Foundation
import TesseraBytes
import TesseraJSON
import TesseraTestSupport
import Testing

@testable import TesseraCatalog

/// The table of cases that the libraries for Swift, TypeScript and Kotlin have in common.
@Suite struct CaseTests {
  private let cases: CatalogValue
  private let catalog: Catalog
  private let index: CatalogIndex
  private let context: CatalogContext

  init() throws {
    let path = Places.root.appending(path: "Examples/catalog/cases.json")
    cases = try CatalogValue(json: Data(contentsOf: path))
    guard case .object(var head) = cases["catalog"] else { throw MissingFile(reference: .null) }
    let images = try #require(head.removeValue(forKey: "images")?.arrayValue)
    catalog = try Catalog(
      reading: CatalogFixture.document(
        images.map(Self.json), head: String(Self.json(.object(head)).dropLast())))
    index = try CatalogIndex(catalog, accepting: Set(catalog.types))
    context = CatalogContext(catalog, accepting: Set(catalog.types))
  }

  private static func json(_ value: CatalogValue) -> String {
    var writer = JSONWriter()
    value.write(to: &writer)
    return writer.text
  }

  private func rows(_ name: String) throws -> [[CatalogValue]] {
    let rows = try #require(cases[name]?.arrayValue).compactMap(\.arrayValue)
    try #require(!rows.isEmpty)
    return rows
  }

  private func texts(_ value: CatalogValue?) -> [String] {
    value?.arrayValue?.compactMap(\.stringValue) ?? []
  }

  /// Also one that JSON does not have.
  private func number(_ value: CatalogValue) -> Double? {
    value.numberValue ?? value.stringValue.flatMap { Double($0) }
  }

  private func box(_ value: CatalogValue) -> CatalogBox {
    CatalogBox(
      width: value["width"].flatMap(number), height: value["height"].flatMap(number),
      mode: value["mode"]?.stringValue.flatMap(CatalogSlot.Mode.init) ?? .fit)
  }

  private func sides(_ size: CatalogSize?) -> CatalogValue {
    size.map { .array([.integer($0.width), .integer($0.height)]) } ?? .null
  }

  private func reference(_ file: ImageFile?) -> CatalogValue {
    file.map { .string($0.reference) } ?? .null
  }

  /// A file of the catalog in any format, with the image that it is of.
  private func file(_ reference: CatalogValue) throws -> (image: CatalogEntry, file: ImageFile) {
    for image in catalog.images {
      for variant in image.variants {
        for file in variant.files where .string(file.reference) == reference {
          return (context.entry(image), context.file(file, of: variant, image))
        }
      }
    }
    throw MissingFile(reference: reference)
  }

  private struct MissingFile: Error { var reference: CatalogValue }

  private func slot(_ value: CatalogValue) -> SlotName { SlotName(value.stringValue ?? "") }

  /// A variant by its reference.
  private func variant(_ reference: CatalogValue) -> CatalogVariant? {
    catalog.images.flatMap(\.variants).first { $0.reference == reference.stringValue }
  }

  @Test func slots() throws {
    for row in try rows("slotSizes") {
      let size = index.image(row[0].stringValue ?? "")?.box(in: slot(row[1]))
      #expect(sides(size) == row[2], "\(row)")
    }
    for row in try rows("slotFiles") {
      let found = index.image(row[0].stringValue ?? "")?.file(
        for: slot(row[1]), scale: number(row[2]) ?? 0)
      #expect(reference(found) == row[3], "\(row)")
    }
  }

  @Test func acceptedFiles() throws {
    for row in try rows("acceptedFiles") {
      let index = try CatalogIndex(catalog, accepting: Set(texts(row[3])), from: row[4].stringValue)
      let file = index.image(row[0].stringValue ?? "")?.file(
        for: slot(row[1]), scale: number(row[2]) ?? 0)
      #expect((file.map { .string($0.url) } ?? .null) == row[5], "\(row)")
    }
    for row in try rows("resolved") {
      var head = catalog
      head.baseURL = row[0].stringValue
      let context = CatalogContext(head, accepting: [], from: row[1].stringValue)
      #expect(.string(context.url(of: row[2].stringValue ?? "")) == row[3], "\(row)")
    }
  }

  /// Thousandths, because not all fractions are exact.
  private func thousandths(_ frame: CatalogFrame?) -> [Int] {
    frame.map {
      [$0.x, $0.y, Double($0.width), Double($0.height)].map { Int(($0 * 1000).rounded()) }
    }
      ?? []
  }

  @Test func frames() throws {
    func expected(_ value: CatalogValue) -> [Int] {
      value.arrayValue?.map { Int((($0.numberValue ?? .nan) * 1000).rounded()) } ?? []
    }
    for row in try rows("slotFrames") {
      let image = index.image(row[0].stringValue ?? "")
      #expect(
        thousandths(image?.frame(in: slot(row[1]))) == expected(row[2]), "\(row)")
    }
    for row in try rows("boxFrames") {
      let image = index.image(row[0].stringValue ?? "")
      #expect(thousandths(image?.frame(in: box(row[1]))) == expected(row[2]), "\(row)")
    }
  }

  @Test func boxes() throws {
    for row in try rows("boxSizes") {
      let size = index.image(row[0].stringValue ?? "")?.box(in: box(row[1]))
      #expect(sides(size) == row[2], "\(row)")
    }
    for row in try rows("boxFiles") {
      let found = index.image(row[0].stringValue ?? "")?.file(
        for: box(row[1]), scale: number(row[2]) ?? 0)
      #expect(reference(found) == row[3], "\(row)")
    }
  }

  @Test func formats() throws {
    #expect(index.types == texts(cases["types"]))
    for row in try rows("filesFor") {
      let found = variant(row[0])?.file(accepting: Set(texts(row[1])))
      #expect((found.map { .string($0.reference) } ?? .null) == row[2], "\(row)")
    }
    for row in try rows("highDynamicRange") {
      let file = variant(row[0])?.highDynamicRangeFile
      #expect((file.map { .string($0.reference) } ?? .null) == row[1], "\(row)")
    }
    for row in try rows("accept") {
      #expect(SupportedTypes.accept(row[0].stringValue ?? "").sorted() == texts(row[1]), "\(row)")
    }
    for row in try rows("urls") {
      #expect(.string(context.url(of: row[0].stringValue ?? "")) == row[1])
    }
  }

  @Test func appearances() throws {
    for row in try rows("appearance") {
      let state: ImageState =
        switch row[1].stringValue {
        case "loading": .loading
        case "loaded": .loaded
        default: .failed
        }
      let appearance = index.image(row[0].stringValue ?? "")?.appearance(
        in: state, file: row[2] == .null ? nil : try file(row[2]).file)
      let text =
        switch appearance {
        case .image: "image"
        case .placeholder(.thumbhash): "thumbhash"
        case .placeholder(.blurhash): "blurhash"
        case .placeholder(.color): "color"
        case .empty: "empty"
        case .failure(let failure?): "failure \(failure.code)"
        case .failure(nil): "failure"
        case nil: "none"
        }
      #expect(text == row[3].stringValue, "\(row)")
    }
  }

  @Test func cachedFiles() throws {
    for row in try rows("cached") {
      let (image, wanted) = try file(row[0])
      let cached = Set(texts(row[1]))
      let found = image.cachedFile(for: wanted) { cached.contains($0) }
      #expect(reference(found) == row[2], "\(row)")
    }
  }

  @Test func motion() throws {
    let motions: [String?: ImageMotion] = [
      nil: .auto, "auto": .auto, "still": .still, "moving": .moving,
    ]
    for row in try rows("motion") {
      let index = try CatalogIndex(catalog, accepting: Set(texts(row[3])))
      let image = try #require(index.image(row[0].stringValue ?? ""))
      let (scale, motion) = (number(row[2]) ?? 0, try #require(motions[row[4].stringValue]))
      let file =
        row[1].stringValue == nil
        ? image.file(for: box(row[1]), scale: scale, motion: motion)
        : image.file(for: slot(row[1]), scale: scale, motion: motion)
      #expect(reference(file) == row[5], "\(row)")
      #expect((file.map { .bool($0.isAnimated) } ?? .null) == row[6], "\(row)")
    }
  }

  @Test func prefetch() throws {
    for row in try #require(cases["prefetch"]?.arrayValue) {
      func files(_ names: String?) -> [ImageFile] {
        (names ?? "").map {
          ImageFile(
            url: "", reference: String($0), type: "image/webp", width: 1, height: 1, bytes: 100)
        }
      }
      func names(_ files: [ImageFile]) -> String? { files.map(\.reference).joined() }
      func names(_ requests: [Prefetch.Request], visible: Bool) -> String? {
        names(requests.filter { $0.isVisible == visible }.map(\.file))
      }
      let flying = row["inFlight"]
      let prefetch = Prefetch(
        requests: row["requests"]?.integerValue ?? 6,
        upcoming: row["upcomingRequests"]?.integerValue ?? 3)
      let step = prefetch.step(
        visible: texts(row["visible"]).map(files), upcoming: files(row["upcoming"]?.stringValue),
        inFlight: [true, false].flatMap { isVisible in
          files(flying?[isVisible ? "visible" : "upcoming"]?.stringValue)
            .map { Prefetch.Request($0, isVisible: isVisible) }
        }, now: row["now"]?.numberValue ?? 0,
        failure: { reference in
          guard let failure = row["failed"]?[reference]?.arrayValue else { return nil }
          return Prefetch.Failure(
            count: failure[0].integerValue ?? 0, time: failure[1].numberValue)
        }, isLoaded: { row["loaded"]?.stringValue?.contains($0) ?? false })
      #expect(names(step.start, visible: true) == row["start"]?["visible"]?.stringValue, "\(row)")
      #expect(names(step.start, visible: false) == row["start"]?["upcoming"]?.stringValue, "\(row)")
      #expect(names(step.cancel) == row["cancel"]?.stringValue, "\(row)")
      #expect(names(step.priorities, visible: true) == row["promote"]?.stringValue, "\(row)")
      #expect(names(step.priorities, visible: false) == row["demote"]?.stringValue, "\(row)")
      #expect(step.wait == row["wait"]?.numberValue, "\(row)")
    }
  }

  @Test func references() throws {
    for row in try rows("references") {
      let catalog = try Catalog(reading: (row[0].stringValue ?? "").utf8)
      let files = catalog.images.flatMap(\.variants).flatMap(\.files)
      #expect(files.map(\.reference) == texts(row[1]), "\(row)")
    }
  }

  @Test func placeholders() throws {
    for (name, kind) in [
      ("thumbhashes", CatalogPlaceholder.Kind.thumbhash),
      ("blurhashes", CatalogPlaceholder.Kind.blurhash),
    ] {
      for row in try #require(cases[name]?.arrayValue) {
        let size = CatalogSize(
          width: row["width"]?.integerValue ?? 0, height: row["height"]?.integerValue ?? 0)
        let pixels = kind(row["hash"]?.stringValue ?? "").pixels(size)
        // The first and the last two pixels.
        let ends = pixels.map { pixels in
          (pixels.samples.prefix(8) + pixels.samples.suffix(8)).map(Int.init)
        }
        #expect(ends == row["ends"]?.arrayValue?.compactMap(\.integerValue), "\(row)")
        #expect(pixels?.width == row["width"]?.integerValue, "\(row)")
        #expect(pixels?.height == row["height"]?.integerValue, "\(row)")
      }
    }
  }

  @Test func errors() throws {
    for row in try rows("errors") {
      let error = try #require(throws: CatalogError.self, "\(row)") {
        try Catalog(reading: (row[0].stringValue ?? "").utf8)
      }
      #expect(error.member == row[1].stringValue, "\(error): \(row)")
      if row.count > 2 { #expect(error.message == row[2].stringValue, "\(row)") }
    }
    let lenient = try #require(cases["lenient"])
    var problems: [String] = []
    let rest = try Catalog(reading: (lenient["text"]?.stringValue ?? "").utf8) {
      problems.append($0.member)
    }
    #expect(rest.images.map(\.id) == texts(lenient["ids"]))
    #expect(problems == texts(lenient["problems"]))
  }

  @Test func changesURLs() throws {
    for row in try rows("changesURLs") {
      var catalog = catalog
      catalog.digest = row[0].stringValue
      let found = catalog.changesURL(from: row[1].stringValue ?? "")
      #expect((found.map { .string($0) } ?? .null) == row[2], "\(row)")
    }
  }

  /// Changes that lead from one catalog to another, and those that are rejected.
  @Test func changes() throws {
    let path = Places.root.appending(path: "Examples/catalog/changes.json")
    let cases = try CatalogValue(json: Data(contentsOf: path))
    func document(_ name: CatalogValue) throws -> [UInt8] {
      Array(try #require(cases["catalogs"]?[name.stringValue ?? ""]?.stringValue).utf8)
    }
    for row in try #require(cases["rows"]?.arrayValue).compactMap(\.arrayValue) {
      let old = try document(row[1])
      func apply() throws(CatalogError) -> [UInt8] {
        try CatalogChanges(reading: (row[2].stringValue ?? "").utf8)
          .applied(to: old) { MessageDigest.sha256.digest(of: $0) }
      }
      if row[3] == .null {
        #expect(throws: CatalogError.self, "\(row[0])") { try apply() }
      } else {
        let new = try document(row[3])
        #expect(try apply() == new, "\(row[0])")
      }
    }
  }

  @Test func misspeltSlotsAreNamed() throws {
    try catalog.requireSlots("card", "avatar")
    #expect {
      try catalog.requireSlots("card", "crad")
    } throws: {
      "\($0)" == "the catalog has no slot \"crad\"; did you mean \"card\"?"
    }
  }
}
