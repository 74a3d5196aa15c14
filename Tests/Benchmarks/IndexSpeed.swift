import Foundation
import TesseraCatalog

/// Indexes a catalog's file, looks up 1,000 images at random, and prints what that takes.
@main enum IndexSpeed {
  static func main() async throws {
    let file = URL(filePath: CommandLine.arguments[1])
    let clock = ContinuousClock()
    let start = clock.now
    let index = try await CatalogIndex.load(file, accepting: ["image/webp", "image/jpeg"])
    let loading = clock.now - start
    // An app has the ids from its API, so they are not a part of what is measured.
    let ids = (0..<1000).map { _ in index[Int.random(in: 0..<index.count)].id }
    var files = 0
    let asking = clock.measure {
      for id in ids where index[id]?.file(for: "card", scale: 2) != nil { files += 1 }
    }
    precondition(files == ids.count)
    var usage = rusage()
    getrusage(0, &usage)
    print(
      "\(index.count) images of JSON: indexed in \(Int(loading / .milliseconds(1))) ms, 1,000 lookups in "
        + "\(Int(asking / .milliseconds(1))) ms, resident \(usage.ru_maxrss / 1000) MB")
    if usage.ru_maxrss > 250_000 { exit(1) }
  }
}
