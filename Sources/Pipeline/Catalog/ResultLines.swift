internal import TesseraCatalog
internal import TesseraState

/// The lines of the catalog that a run has decided on, in the order of the manifest. At most a hundred,
/// of about a megabyte, are in memory at a time.
struct ResultLines {
  let state: StateStore
  let run: Int
  /// The number of lines and the sum of their items; with others, the state is damaged.
  let count: Int
  let sum: ClaimSum

  typealias Line = (position: Int, line: String, manifestLine: Int, id: String)

  private static let batch = 100

  func forEachLine(_ body: (Line) throws -> Void) async throws {
    try await forEachBatch { try $0.forEach(body) }
  }

  /// Some lines at a time.
  func forEachBatch(_ body: ([Line]) async throws -> Void) async throws {
    var position = -1
    var found = ClaimSum()
    while true {
      let results = try await state.results(of: run, after: position, limit: Self.batch)
      guard let last = results.last else { break }
      // A gap is an item that is missing in the state.
      guard results.map(\.position).elementsEqual(position + 1...position + results.count) else {
        throw lost
      }
      position = last.position
      for result in results { found.add(result.id, at: result.position) }
      try await body(results)
    }
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
