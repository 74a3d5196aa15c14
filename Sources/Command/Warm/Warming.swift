internal import TesseraCatalog
internal import TesseraNet
internal import TesseraOutput
internal import TesseraSystem
internal import TesseraText

enum WarmCommand: Command {
  static let name = "warm"
  static let summary = "request every file of an image service once"

  static let syntax = Syntax(
    [OutputOptions.operand],
    text: """
      Requests every file that an image service makes ("delivery" in the pipeline) once, so that its
      caches have them before the first visitor comes: after a deploy, or a new size. A few at a time;
      a service that is busy is waited for as it says. Each file is compared with the catalog.
      """,
    options: DeliveryOptions.all,
    example: Example(
      "tessera warm build/feed --concurrency 8", "Eight files at a time."),
    statuses: [
      ExitMeaning(.done, "every file is as the catalog says"),
      ExitMeaning(.someFailed, "a file can't be fetched, or differs"),
      ExitMeaning(.failed, "there is no catalog, or no image service"),
    ])

  static func run(_ arguments: Arguments) async throws -> ExitStatus {
    let isJSON = arguments.has(CommonFlag.json)
    let output = try OutputOptions.output(arguments, of: Self.self)
    let warming = Warming(
      output.root, try DeliveryOptions.access(arguments), store: output.store)
    let report = try await warming.run { problem in
      if !isJSON { Console.line("\(problem.id): the file \(problem.path) \(problem.reason)") }
    }
    if isJSON {
      Console.write(report)
    } else if !arguments.has(CommonFlag.quiet) {
      let verdict =
        report.problemCount == 0 ? "no problems" : Amount.count(report.problemCount, "problem")
      Console.line(
        "\(Amount.count(report.files, "file")) of \(Amount.count(report.images, "image")), "
          + "\(Amount.bytes(report.bytes)): \(verdict)")
    }
    return report.problemCount == 0 ? .done : .someFailed
  }
}

/// Requests every file that an image service makes, once, so that its caches have them before the first visitor.
struct Warming: Sendable {
  private let root: String
  private let store: StoreSettings
  private let access: DeliveryAccess

  /// - Parameter root: an output, or a catalog by its own path.
  init(_ root: String, _ access: DeliveryAccess, store: StoreSettings = StoreSettings()) {
    (self.root, self.store) = (root, store)
    self.access = access
  }

  /// - Parameter onProblem: called for each file that can't be fetched, or is not as the catalog says.
  /// - Throws: ``TesseraError`` if the catalog is missing, can't be read, or names no URLs; or
  ///   `CancellationError`.
  func run(onProblem: (VerifyReport.Problem) -> Void) async throws -> VerifyReport {
    let local = try await LocalOutput(root, store: store)
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
