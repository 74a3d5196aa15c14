internal import TesseraCatalog
internal import TesseraOutput
internal import TesseraSystem
internal import TesseraText

/// Requests every file that an image service makes, once, so that its caches have them before the first visitor.
struct Warming: Sendable {
  private let root: String
  private let access: DeliveryAccess

  /// - Parameter root: an output, or a catalog by its own path.
  init(_ root: String, _ access: DeliveryAccess) {
    self.root = root
    self.access = access
  }

  /// - Parameter onProblem: called for each file that can't be fetched, or is not as the catalog says.
  /// - Throws: ``TesseraError`` if the catalog is missing, can't be read, or names no URLs; or
  ///   `CancellationError`.
  func run(onProblem: (VerifyReport.Problem) -> Void) async throws -> VerifyReport {
    let local = try await LocalOutput(root)
    defer { withExtendedLifetime(local) {} }
    var images = try CatalogFile(at: local.path).images()
    let client = try DeliveryClient(access)
    var report = VerifyReport()
    var waiting: [DeliveredFile] = []
    // A file that several images share has one URL; the last ones are near each other.
    var recent = RecentURLs()
    try await client.request {
      while waiting.isEmpty, let image = try images.next() {
        report.images += 1
        waiting = DeliveredFile.all(of: image).filter { recent.insert($0.url) }.reversed()
      }
      return waiting.popLast()
    } done: { file, problem in
      report.files += 1
      if let problem { onProblem(report.add(id: file.id, path: file.url, problem)) }
    }
    report.bytes = client.bytes
    guard report.files > 0 else { throw TesseraError.noURLs(root) }
    return report
  }

  /// The last URLs that were requested; bounded, so that memory does not grow with the catalog.
  private struct RecentURLs {
    private static let most = 10_000
    private var known: Set<Identifier> = []

    mutating func insert(_ url: String) -> Bool {
      if known.count >= Self.most { known.removeAll(keepingCapacity: true) }
      return known.insert(url)
    }
  }
}

extension TesseraError {
  static func noURLs(_ root: String) -> TesseraError {
    TesseraError(
      .output, "\"\(root)\" names no URLs of an image service",
      remedy: "its pipeline needs \"delivery\", and a run")
  }
}
