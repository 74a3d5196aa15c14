import TesseraCatalog
import Testing

@testable import tessera

/// Which files of an image service are looked at, and which ids a catalog has twice.
@Suite struct DeliverySampleTests {
  private static func image(_ id: String, _ urls: String?...) -> CatalogImage {
    CatalogImage(
      id: id, status: .ok,
      variants: urls.enumerated().map { index, url in
        CatalogVariant(
          width: index + 1, height: index + 2,
          files: ["webp", "jpeg"].enumerated().map { place, type in
            .init(
              format: place, path: url == nil ? "p" : nil,
              url: url.map { place == 0 ? $0 : "\($0).jpg" }, type: "image/\(type)")
          })
      })
  }

  @Test func allFilesOfTheServiceAreDelivered() {
    let files = DeliveredFile.all(of: Self.image("a", "x", nil, "y"))
    #expect(
      files.map { "\($0.id) \($0.url) \($0.type) \($0.width)x\($0.height)" } == [
        "a x image/webp 1x2", "a x.jpg image/jpeg 1x2", "a y image/webp 3x4",
        "a y.jpg image/jpeg 3x4",
      ])
  }

  private static func sample(_ size: Int, of count: Int) -> [String] {
    var sample = DeliverySample(of: size)
    for number in 0..<count / 2 { sample.add(image("\(number)", "\(number)")) }
    return sample.files.map(\.url)
  }

  @Test(arguments: [1, 2, 5, 11, 12, 13, 40])
  func aSampleHasItsSize(_ size: Int) {
    for _ in 0..<200 {
      let files = Self.sample(size, of: 12)
      #expect(files.count == min(size, 12))
      #expect(Set(files).count == files.count)
    }
  }

  /// With 12 files each is chosen in a twelfth of the samples: 500 of 6,000, with a deviation of 21.4.
  @Test func eachFileHasTheSameChance() {
    var counts: [String: Int] = [:]
    for _ in 0..<6_000 { counts[Self.sample(1, of: 12)[0], default: 0] += 1 }
    #expect(counts.count == 12)
    for (url, count) in counts { #expect((370...630).contains(count), "\(url): \(count)") }
  }

  /// Each of six places has each file about as often.
  @Test func eachPlaceOfASampleChanges() {
    var counts: [String: Int] = [:]
    for _ in 0..<3_000 { for url in Self.sample(6, of: 12) { counts[url, default: 0] += 1 } }
    #expect(counts.count == 12)
    // 1,500 of 3,000, with a deviation of 27.4.
    for (url, count) in counts { #expect((1_330...1_670).contains(count), "\(url): \(count)") }
  }

  @Test(arguments: [
    ("", ""), ("a", ""), ("abc", ""), ("aa", "a2"), ("abcabca", "a3 b2 c2"), ("cabbac", "c2 a2 b2"),
    ("abcdd", "d2"),
  ])
  func aCensusFindsWhatIsThereTwice(_ ids: String, _ repeated: String) {
    var census = CatalogCensus()
    for id in ids { census.note(String(id)) }
    var again = ids.map(String.init).makeIterator()
    let found = census.repeated { again.next() }
    #expect(found.map { "\($0.id)\($0.count)" }.joined(separator: " ") == repeated)
  }
}
