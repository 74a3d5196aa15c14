import Glibc

/// Opens a database of a catalog, looks up 1,000 images at random, and prints what that takes.
@main enum DatabaseSpeed {
  static func main() throws {
    let path = CommandLine.arguments[1]
    let clock = ContinuousClock()
    var catalog: CatalogDatabase?
    let opening = try clock.measure {
      catalog = try CatalogDatabase(path, accepting: ["image/webp", "image/jpeg"])
      _ = try catalog?.entries(0..<1)
    }
    guard let catalog else { return }
    // The median of five rounds, each with other images.
    var rounds: [Duration] = []
    for _ in 0..<5 { rounds.append(try lookUp(1000, in: catalog)) }
    let asking = rounds.sorted()[2]
    var usage = rusage()
    getrusage(0, &usage)
    let (open, ask) = (opening / .milliseconds(1), asking / .milliseconds(1))
    print(
      "\(catalog.count) images: open in \(open) ms, 1,000 lookups in \(ask) ms, "
        + "resident \(usage.ru_maxrss / 1000) MB")
    if open > 10 || ask > 20 || usage.ru_maxrss > 30_000 { exit(1) }
  }

  /// How long it takes to find the files of images at random.
  private static func lookUp(_ count: Int, in catalog: CatalogDatabase) throws -> Duration {
    // An app has the ids from its API, so they are not a part of what is measured.
    let ids = try (0..<count).flatMap { _ in
      let place = Int.random(in: 0..<catalog.count)
      return try catalog.entries(place..<place + 1).map(\.id)
    }
    var files = 0
    let time = try ContinuousClock().measure {
      for id in ids where try catalog.entry(id)?.file(for: "card", scale: 2) != nil { files += 1 }
    }
    precondition(files == count)
    return time
  }
}
