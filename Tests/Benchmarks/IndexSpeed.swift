import Foundation
import TesseraCatalog

/// Opens a catalog's file in one of three ways, looks up 1,000 images at random, and prints what that takes.
@main enum IndexSpeed {
  private static let clock = ContinuousClock()

  static func main() async throws {
    let file = URL(filePath: CommandLine.arguments[2])
    let way = CommandLine.arguments[1]
    var files = 0
    let times: Times
    if way == "decoder" {
      times = try decoder(file, &files)
    } else {
      let start = clock.now
      let index =
        way == "index"
        ? try await CatalogIndex.load(file, accepting: types, from: file)
        : try CatalogIndex(Catalog(reading: Data(contentsOf: file)), accepting: types, from: file)
      times = ask(index, start.duration(to: clock.now), &files)
    }
    precondition(files == 1_000)
    var usage = rusage()
    getrusage(0, &usage)
    print(
      "\(way): \(times.count) images opened in \(Int(times.opening / .milliseconds(1))) ms, 1,000 lookups in "
        + "\(Int(times.asking / .milliseconds(1))) ms, resident \(usage.ru_maxrss / 1000) MB")
    if usage.ru_maxrss > 250_000 { exit(1) }
  }

  private static let types: Set = ["image/webp", "image/jpeg"]
  private typealias Times = (opening: Duration, count: Int, asking: Duration)

  private static func ask(_ index: CatalogIndex, _ opening: Duration, _ files: inout Int) -> Times {
    // An app has the ids from its API, so they are not a part of what is measured.
    let ids = (0..<1000).compactMap { _ in index.images.randomElement()?.id }
    let asking = clock.measure {
      for id in ids where index.image(id)?.file(for: "card", scale: 2) != nil { files += 1 }
    }
    return (opening, index.images.count, asking)
  }

  /// What an app would write without the library, for the members that a screen needs.
  private struct Plain: Decodable {
    struct Image: Decodable {
      struct Variant: Decodable {
        var width: Int
        var height: Int
        var crop: String?
        var bytes: [Int?]?
      }
      struct Use: Decodable {
        var width: Int?
        var height: Int?
        var variants: [Int]?
      }
      var id: String
      var status: String
      var width: Int?
      var height: Int?
      var placeholder: [String: String]?
      var source: String?
      var alt: String?
      var variants: [Variant]?
      var slots: [String: Use]?
    }
    var scales: [Double]
    var images: [Image]
  }

  private static func decoder(_ file: URL, _ files: inout Int) throws -> Times {
    let start = clock.now
    let catalog = try JSONDecoder().decode(Plain.self, from: Data(contentsOf: file))
    let byID = Dictionary(catalog.images.map { ($0.id, $0) }) { first, _ in first }
    let opening = start.duration(to: clock.now)
    let ids = (0..<1000).compactMap { _ in catalog.images.randomElement()?.id }
    let place = catalog.scales.firstIndex { $0 >= 2 } ?? 0
    let asking = clock.measure {
      for id in ids {
        guard let image = byID[id], let use = image.slots?["card"]?.variants?[place],
          image.variants?[use] != nil
        else { continue }
        files += 1
      }
    }
    return (opening, catalog.images.count, asking)
  }
}
