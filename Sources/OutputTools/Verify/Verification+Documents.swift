internal import TesseraCatalog
internal import TesseraOutput
internal import TesseraSystem

/// What is beside the catalog and belongs to it.
extension Verification {
  /// - Parameters:
  ///   - digest: the one that the catalog states.
  ///   - removes: whether damaged documents are deleted, so that the next run writes them again: it keeps a part that is there.
  func checkScreens(
    of folder: OutputFolder, digest: String?, removes: Bool, _ report: inout VerifyReport,
    _ onProblem: (VerifyReport.Problem) -> Void
  ) async throws {
    let output = folder.published
    let firsts = try await OutputToolError.wrapAsync { try await ScreenFolder.firsts(in: output) }
    for first in firsts {
      let head = try await OutputToolError.wrapAsync {
        try await ScreenFolder.parts(of: first, in: output)
      }
      if let head, head.catalog != digest {
        onProblem(
          report.add(
            id: "", path: first,
            "belongs to another catalog than the current one; the next run writes it again"))
      }
      for path in [first] + (head?.parts ?? []) {
        try Task.checkCancellation()
        report.files += 1
        guard let reason = try await damage(of: path, in: output) else { continue }
        onProblem(report.add(id: "", path: path, reason))
        if removes, reason != FileCheck.missing, OutputPlace.of(path) == .screens,
          try await remove(path, of: folder)
        {
          report.removed += 1
        }
      }
    }
  }

  /// What is wrong with a document of a screen; nil if nothing is.
  private func damage(
    of path: String, in output: any Output
  ) async throws(OutputToolError) -> String? {
    try await OutputToolError.wrapAsync {
      guard try await output.size(of: path) != nil else { return FileCheck.missing }
      do throws(SystemError) {
        var texts = CatalogTexts(path, in: output, checksDigest: true)
        while try await texts.next() != nil {}
        return nil
      } catch {
        guard error.isDamage else { throw error }
        return error.finding ?? "is damaged"
      }
    }
  }

  /// - Parameters:
  ///   - digest: the one that the catalog states.
  ///   - removes: whether damaged ones are deleted. An app then fetches the whole catalog.
  func checkChanges(
    of folder: OutputFolder, digest: String?, removes: Bool, _ report: inout VerifyReport,
    _ onProblem: (VerifyReport.Problem) -> Void
  ) async throws {
    let output = folder.published
    for path in try await OutputToolError.wrapAsync({ try await PublishedChanges.all(in: output) })
    {
      try Task.checkCancellation()
      let changes = try await OutputToolError.wrapAsync { () async throws(SystemError) in
        guard let size = try await output.size(of: path) else { return [UInt8]() }
        return try await output.read(path, size, at: 0)
      }
      do throws(CatalogError) {
        guard try CatalogChanges(reading: changes).to != digest else { continue }
        onProblem(
          report.add(
            id: "", path: path,
            "leads to another catalog than the current one; the next run writes it again"))
      } catch {
        onProblem(report.add(id: "", path: path, "is damaged: \(error)"))
        if removes, try await remove(path, of: folder) { report.removed += 1 }
      }
    }
  }

  /// Documents that a killed process has not completed; none while another one is at work.
  func drafts(in output: OutputFolder) async throws -> [String] {
    guard try await output.activity() == nil else { return [] }
    return try await OutputToolError.wrapAsync { try await output.published.leftDrafts() }
  }

  /// Earlier catalogs that a rollback would publish.
  func checkKept(
    of output: OutputFolder, _ report: inout VerifyReport,
    _ onProblem: (VerifyReport.Problem) -> Void
  ) async throws {
    let kept = try await OutputToolError.wrapAsync {
      try await CatalogHistory.kept(in: output.published)
    }
    for catalog in kept?.catalogs ?? [] {
      let size = try await OutputToolError.wrapAsync {
        try await output.published.size(of: catalog.path)
      }
      // A missing one was removed by hand, and is not listed for a rollback.
      guard let size, size != catalog.bytes else { continue }
      onProblem(
        report.add(
          id: "", path: catalog.path,
          "has \(size) bytes, and the list of kept catalogs says \(catalog.bytes)"))
    }
  }
}
