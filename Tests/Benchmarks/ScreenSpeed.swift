import Foundation
import TesseraCatalog

/// Brings the pages of a screen that an app keeps up to date by patches, and prints what that takes.
@main enum ScreenSpeed {
  /// - Arguments: the output before, the output now.
  static func main() throws {
    let (old, new) = (CommandLine.arguments[1], CommandLine.arguments[2])
    func read(_ path: String) throws -> Data { try Data(contentsOf: URL(filePath: path)) }
    let before = try CatalogPages(reading: try read("\(old)/screens/feed/index.json"))
    let paths = Dictionary(uniqueKeysWithValues: before.pages.map { ($0.digest, $0.path) })
    let clock = ContinuousClock()
    var (patched, fetched, documents, slowest) = (0, 0, Duration.zero, Duration.zero)
    let whole = try clock.measure {
      let start = clock.now
      let index = try CatalogPages(reading: try read("\(new)/screens/feed/index.json"))
      let patches = try CatalogPatches(
        reading: try read("\(new)/screens/feed/from-\(before.digest).json"))
      documents = clock.now - start
      for page in index.pages where paths[page.digest] == nil {
        guard let patch = patches.patch(to: page.digest), let path = paths[patch.from ?? ""] else {
          fetched += 1
          continue
        }
        let time = try clock.measure {
          let result = try patch.applied(to: try Catalog(reading: try read("\(old)/\(path)")))
          precondition(result.digest == page.digest && result.images.count == page.count)
          _ = result.json()
        }
        patched += 1
        slowest = max(slowest, time)
      }
    }
    var usage = rusage()
    getrusage(0, &usage)
    print(
      "\(patched) of \(before.pages.count) pages by patches, \(fetched) to fetch: "
        + "\(Int(documents / .milliseconds(1))) ms for the index and the patches, the slowest page "
        + "\(Int(slowest / .milliseconds(1))) ms, all of them \(Int(whole / .milliseconds(1))) ms, "
        + "resident \(usage.ru_maxrss / 1000) MB")
  }
}
