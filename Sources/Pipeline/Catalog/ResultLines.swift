internal import TesseraCatalog
internal import TesseraState

/// The lines of the catalog that a run has decided on, in the order of the manifest. At most some hundred, of about a megabyte,
/// are in memory at a time.
struct ResultLines: CatalogLines {
  let state: StateStore
  let run: Int
  /// The number of lines and the sum of their items; with others, the state is damaged.
  let count: Int
  let sum: ClaimSum

  private static let batch = 250

  func forEachBatch(_ body: ([String]) async throws -> Void) async throws {
    try await forEachResults { try await body($0.map(\.line)) }
  }

  func forEachResult(_ body: (ResultLine) throws -> Void) async throws {
    try await forEachResults { try $0.forEach(body) }
  }

  /// Some lines at a time.
  func forEachResults(_ body: ([ResultLine]) async throws -> Void) async throws {
    var position = -1
    var (found, stretch) = (ClaimSum(), StretchSum())
    while true {
      let results = try await state.results(of: run, after: position, limit: Self.batch)
      guard let last = results.last else { break }
      // A gap is an item that is missing in the state.
      guard results.map(\.position).elementsEqual(position + 1...position + results.count) else {
        throw lost
      }
      position = last.position
      for result in results {
        if result.place == 0 {
          found.add(stretch, at: result.position - stretch.count)
          stretch = StretchSum()
        }
        stretch.add(result.id)
      }
      try await body(results)
    }
    found.add(stretch, at: position + 1 - stretch.count)
    guard position + 1 == count, found == sum else { throw lost }
  }

  private var lost: StateError {
    StateError(
      kind: .incomplete, path: state.path, message: "items of this run are missing in it")
  }

  /// One image's line.
  static func line(_ image: CatalogImage, extra: String?) -> String {
    String(decoding: image.line(extra: extra), as: UTF8.self)
  }
}
