internal import TesseraCatalog
internal import TesseraOutput
internal import TesseraState
internal import TesseraSystem

/// Checks whether every file that a catalog names is there, complete, and of the stated size.
package struct Verification: Sendable {
  private let root: String
  private let isDeep: Bool
  private let removesBroken: Bool
  private let state: String?
  private let sample: Int
  private let access: DeliveryAccess

  /// - Parameters:
  ///   - isDeep: whether contents are read, and compared with the digests in their names.
  ///   - removesBroken: whether broken files are deleted, so that the next run regenerates them.
  ///   - state: the directory of the state of an output in an object store.
  ///   - sample: this many files of an image service are fetched, chosen by chance.
  package init(
    _ root: String, isDeep: Bool, removesBroken: Bool, state: String? = nil, sample: Int = 0,
    access: DeliveryAccess
  ) {
    self.sample = sample
    self.access = access
    self.root = root
    self.state = state
    self.isDeep = isDeep
    self.removesBroken = removesBroken
  }

  /// - Parameter onProblem: called for each file with a problem, in the catalog's order.
  /// - Throws: ``OutputToolError`` if the catalog is missing or can't be read; or
  ///   `CancellationError`.
  package func run(
    onProblem: @escaping @Sendable (VerifyReport.Problem) -> Void
  ) async throws -> VerifyReport {
    let output = try OutputFolder(root, state: state)
    guard removesBroken else { return try await check(output, nil, onProblem) }
    // Before anything is locked, which creates a folder: one that is not an output stays as it is.
    _ = try CatalogFile(of: try await LocalOutput(root)).head()
    // No run may write a file while it is being checked, and then deleted.
    return try await output.holding { held, state in try await check(output, state, onProblem) }
  }

  /// - Parameter state: of an output from which broken files are removed.
  private func check(
    _ output: OutputFolder, _ state: StateStore?,
    _ onProblem: @Sendable (VerifyReport.Problem) -> Void
  ) async throws -> VerifyReport {
    let file = try CatalogFile(of: try await LocalOutput(root))
    var report = VerifyReport()
    if let stated = try file.head().digest, try file.canonicalDigest() != stated {
      onProblem(
        report.add(id: "", path: FileSystem.name(of: file.path), "was altered after it was written")
      )
    }
    var catalog = try file.lines()
    while let image = try catalog.next() {
      report.images += 1
      let id = image.id ?? ""
      guard let files = PublishedFile.all(of: image) else {
        onProblem(report.add(id: id, path: "", "has a malformed catalog entry"))
        continue
      }
      for file in files {
        try Task.checkCancellation()
        report.files += 1
        let check = FileCheck(file, in: output.published, isDeep: isDeep)
        guard let problem = await check.problem() else { continue }
        // The next run looks for the files of this image, even where it believes its output.
        try await state?.doubtLine(of: id)
        onProblem(report.add(id: id, path: file.path, problem))
        // Only names that a run gives: any other may lead out of the output.
        if state != nil, file.digest != nil, problem != FileCheck.missing,
          try await remove(file.path, of: output)
        {
          report.removed += 1
        }
      }
    }
    try await checkTables(try file.head(), of: output, state, &report, onProblem)
    try await checkPages(of: output, &report, onProblem)
    if sample > 0 { try await checkSample(of: file, &report, onProblem) }
    return report
  }

  private func checkSample(
    of catalog: CatalogFile, _ report: inout VerifyReport,
    _ onProblem: (VerifyReport.Problem) -> Void
  ) async throws {
    var sample = DeliverySample(of: sample)
    var images = try catalog.images()
    while let image = try images.next() { sample.add(image) }
    guard !sample.files.isEmpty else { throw OutputToolError.noURLs(root) }
    let client = try DeliveryClient(access)
    var rest = sample.files[...]
    var sampled = report
    try await client.request {
      rest.popFirst()
    } done: { file, problem in
      sampled.files += 1
      if let problem { onProblem(sampled.add(id: file.id, path: file.url, problem)) }
    }
    sampled.bytes = client.bytes
    report = sampled
  }

  /// - Parameter state: of an output from which broken files are removed.
  private func checkTables(
    _ head: Catalog, of output: OutputFolder, _ state: StateStore?, _ report: inout VerifyReport,
    _ onProblem: (VerifyReport.Problem) -> Void
  ) async throws {
    for table in (head.tables ?? [:]).sorted(by: { $0.key < $1.key }).flatMap(\.value) {
      for file in table.files {
        try Task.checkCancellation()
        let check = TableCheck(file, of: table, in: output.published, isDeep: isDeep)
        var found = [(file.path, await check.problem())]
        if let index = file.index { found.append((index, await check.indexProblem())) }
        report.files += found.count
        for (path, problem) in found {
          guard let problem else { continue }
          onProblem(report.add(id: "", path: path, problem))
          // The next run makes a file of a table that is missing.
          if state != nil, PublishedFile.digest(in: path) != nil, try await remove(path, of: output)
          {
            report.removed += 1
          }
        }
      }
    }
  }

  private func checkPages(
    of output: OutputFolder, _ report: inout VerifyReport,
    _ onProblem: (VerifyReport.Problem) -> Void
  ) async throws {
    let pages = try await OutputToolError.wrapAsync {
      try await CatalogPages.named(in: output.published)
    }
    for page in pages ?? [] {
      try Task.checkCancellation()
      report.files += 1
      let size = try await OutputToolError.wrapAsync {
        try await output.published.size(of: page.path)
      }
      guard size != page.bytes else { continue }
      let reason = size.map { "has \($0) bytes, and the index says \(page.bytes)" } ?? "is missing"
      onProblem(report.add(id: "", path: page.path, reason))
    }
  }

  /// Returns false for a file behind a link, which is not in the output.
  private func remove(
    _ path: String, of output: OutputFolder
  ) async throws(OutputToolError) -> Bool {
    do throws(SystemError) {
      try await output.published.delete(path)
    } catch {
      guard error.isLink else { throw OutputToolError("\(error)") }
      return false
    }
    return true
  }
}
