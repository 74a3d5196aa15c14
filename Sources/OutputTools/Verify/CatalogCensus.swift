internal import TesseraText

/// Finds ids that a catalog has more than once: an id is what apps find an image by.
///
/// Memory: 8 bytes for each image. Two ids with one hash value are distinguished when the ids are read again.
struct CatalogCensus {
  private var hashes: [Int] = []

  mutating func note(_ id: String) { hashes.append(Identifier(id).hashValue) }

  /// The ids that occur more than once, each with its number, in order of their first occurrence.
  ///
  /// - Parameter ids: reads the ids again.
  consuming func repeated(_ ids: () throws -> String?) rethrows -> [(id: String, count: Int)] {
    hashes.sort()
    let suspects = Set(zip(hashes, hashes.dropFirst()).filter { $0 == $1 }.map(\.0))
    guard !suspects.isEmpty else { return [] }
    var counts: [Identifier: Int] = [:]
    var order: [String] = []
    while let id = try ids() {
      guard suspects.contains(Identifier(id).hashValue) else { continue }
      if counts[id] == nil { order.append(id) }
      counts[id, default: 0] += 1
    }
    return order.compactMap { id in counts[id].flatMap { $0 > 1 ? (id, $0) : nil } }
  }
}
