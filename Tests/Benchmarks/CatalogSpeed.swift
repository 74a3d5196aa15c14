import Glibc

/// Loads a catalog of 100,000 images, copies of the images of a smaller catalog, and looks up files in it.
@main enum CatalogSpeed {
  static func main() throws {
    let small = try Catalog(reading: try read(CommandLine.arguments[1]))
    let count = 100_000
    var large = small
    large.images = (0..<count).map { number in
      var image = small.images[number % small.images.count]
      image.id = "image-\(number)"
      return image
    }
    let bytes = large.canonicalJSON()
    large.images = []

    var clock = ContinuousClock.now
    let catalog = try Catalog(reading: bytes)
    let index = CatalogIndex(catalog)
    let loading = seconds(since: clock)
    print(
      "\(count) images, \(bytes.count / 1_000_000) MB: loaded in \(loading) s, peak memory \(peakMemory / 1000) MB"
    )

    let ids = (0..<1000).map { "image-\($0 * 7_919 % count)" }
    let slots = catalog.slots.keys.sorted()
    clock = ContinuousClock.now
    var pixels = 0
    for question in 0..<1_000_000 {
      let id = ids[question % ids.count]
      let slot = slots[question % slots.count]
      pixels += index.variant(of: id, for: slot, scale: Double(question % 3 + 1))?.width ?? 0
    }
    let asking = seconds(since: clock)
    print("1000000 lookups in \(asking) s (\(pixels) pixels)")
    if loading > 2 || asking > 1 { exit(1) }
  }

  private static func seconds(since start: ContinuousClock.Instant) -> Double {
    let time = start.duration(to: .now).components
    return (Double(time.seconds) + Double(time.attoseconds) / 1e18)
  }

  private static func read(_ path: String) throws -> [UInt8] {
    guard let file = fopen(path, "r") else { exit(2) }
    defer { fclose(file) }
    var bytes: [UInt8] = []
    var part = [UInt8](repeating: 0, count: 1 << 16)
    while true {
      let got = fread(&part, 1, part.count, file)
      if got == 0 { return bytes }
      bytes += part[..<got]
    }
  }

  /// In kilobytes.
  private static var peakMemory: Int {
    var usage = rusage()
    getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage)
    return usage.ru_maxrss
  }
}
