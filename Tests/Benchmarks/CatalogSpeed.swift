import Glibc

/// Loads a catalog of 100,000 images, copies of the images of a smaller catalog, and looks up files in it.
@main enum CatalogSpeed {
  static func main() throws {
    let small = try Catalog(reading: try read(CommandLine.arguments[1]))
    let count = 100_000
    let bytes = bytes(of: count, like: small)

    var clock = ContinuousClock.now
    let catalog = try Catalog(reading: bytes)
    let index = try CatalogIndex(
      catalog, accepting: Set(catalog.types), from: "https://example.com/catalog.json")
    let loading = seconds(since: clock)
    print(
      "\(count) images, \(bytes.count / 1_000_000) MB: loaded in \(loading) s, peak memory \(peakMemory / 1000) MB"
    )

    let ids = (0..<1000).map { "image-\($0 * 7_919 % count)" }
    let slots = catalog.slots.keys.sorted().map { SlotName($0) }
    clock = ContinuousClock.now
    var pixels = 0
    for question in 0..<1_000_000 {
      let id = ids[question % ids.count]
      let slot = slots[question % slots.count]
      pixels += index.image(id)?.file(for: slot, scale: Double(question % 3 + 1))?.width ?? 0
    }
    let asking = seconds(since: clock)
    print("1000000 lookups in \(asking) s (\(pixels) pixels)")
    let failed = loading > 2 || asking > 1
    let rest = try measureReading(small)
    if failed || rest { exit(1) }
  }

  /// A catalog of many images, copies of those of a small one.
  private static func bytes(of count: Int, like small: Catalog) -> [UInt8] {
    let lines = (0..<count).map { number in
      var image = small.images[number % small.images.count]
      image.id = "image-\(number)"
      return image.json
    }
    var head = small
    head.digest = nil
    return CatalogDocument.document(head.sortedHeadLine, lines) { _ in zeros }
  }

  /// In place of digests: what hashes is the app's.
  private static let zeros = String(repeating: "0", count: 64)
  private static let ones = String(repeating: "1", count: 64)

  /// Changes that give two images another text.
  private static func changes(of document: [UInt8], _ count: Int) throws -> CatalogChanges {
    var reader = CatalogReader()
    reader.add(document)
    let images = try (0..<count).compactMap { _ in try reader.next() }
    let lines = [1, 25_000].map { place in
      var image = images[place]
      image.alt = "x"
      return quoted(image.json)
    }
    // The new document states another digest.
    var first = Array(document.prefix { $0 != UInt8(ascii: "\n") })
    first.replaceSubrange(CatalogDocument.digest, with: ones.utf8)
    let head = quoted(first)
    return try CatalogChanges(
      reading: """
        {"schema":"tessera-changes/1","from":"\(zeros)","to":"\(ones)","head":\(head),\
        "lines":[[0,0],\(lines[0]),[2,24999],\(lines[1]),[25001,\(count - 1)]]}
        """.utf8)
  }

  private static func quoted(_ bytes: [UInt8]) -> String {
    let text = String(decoding: bytes, as: UTF8.self)
    return "\"\(text.replacing("\\", with: "\\\\").replacing("\"", with: "\\\""))\""
  }

  /// Digest, changes, and bytes that arrive one at a time, with half as many images. Returns whether something took too
  /// long.
  private static func measureReading(_ small: Catalog) throws -> Bool {
    let count = 50_000
    let bytes = bytes(of: count, like: small)
    let before = peakMemory

    var clock = ContinuousClock.now
    _ = try Catalog(reading: bytes)
    print("\(count) images, \(bytes.count / 1_000_000) MB: read in \(seconds(since: clock)) s")

    // Line by line for a digest, without a model; what hashes the bytes takes its own time.
    clock = .now
    let sum = Sum()
    var reader = CatalogReader { sum.add($0.count) }
    for start in stride(from: 0, to: bytes.count, by: 1 << 16) {
      reader.add(bytes[start..<min(start + 1 << 16, bytes.count)])
      while try reader.nextText() != nil {}
    }
    try reader.finish()
    print(
      "\(sum.value) bytes passed on in \(seconds(since: clock)) s, \((peakMemory - before) / 1000) MB more"
    )

    let changes = try changes(of: bytes, count)
    clock = .now
    let changed = try changes.applied(to: bytes) { _ in repeatElement(UInt8(0x11), count: 32) }
    print("changes of two images applied in \(seconds(since: clock)) s")
    guard try Catalog(reading: changed).images[25_000].alt == "x" else { return true }

    clock = .now
    var slow = CatalogReader()
    var found = 0
    for byte in bytes {
      slow.add(CollectionOfOne(byte))
      while try slow.next() != nil { found += 1 }
    }
    let each = seconds(since: clock) / Double(bytes.count) * 1e9
    print("one byte at a time: \(each) ns each")
    return found != count || each > 50
  }

  private final class Sum: @unchecked Sendable {
    private(set) var value = 0

    /// Called by one thread.
    func add(_ count: Int) { value += count }
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
