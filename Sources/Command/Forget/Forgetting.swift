internal import TesseraOutput
internal import TesseraState
internal import TesseraSystem

/// Removes images from an output for good: from every place that may say something of them (``OutputPlace``), and from
/// later runs. The others stay as they are.
///
/// A kill at any time leaves an output that can be used; the same command then goes on.
struct Forgetting: Sendable {
  private let root: String
  private let ids: [String]
  private let urls: [String]
  private let state: String?
  private let now: Double

  /// - Parameters:
  ///   - ids: of images in the manifest, in a catalog, or forgotten before.
  ///   - urls: of sources, as the manifest or the catalog has them.
  ///   - state: the directory of the state of an output in an object store.
  init(
    _ root: String, ids: [String], urls: [String], state: String? = nil, now: Double = Host.now
  ) {
    (self.root, self.ids, self.urls) = (root, ids, urls)
    (self.state, self.now) = (state, now)
  }

  /// The keys of the URLs.
  private var requests: [String] { urls.flatMap { ForgottenItems.requests(of: $0) } }

  /// - Parameter repaired: called with a warning, a clause, for each damaged state that was set aside.
  /// - Throws: ``TesseraError`` if an image is not known, or a run holds the output; or `CancellationError`.
  func run(repaired: (String) -> Void = { _ in }) async throws -> ForgetReport {
    try await held(repaired: repaired) { held, states in
      let begun = ContinuousClock.now
      var work = ForgetWork(held, states, now: now)
      try await work.find(ids, urls: urls, requests: requests)
      try await work.forget()
      var entry = HistoryEntry(
        .forget, ended: now, seconds: begun.duration(to: .now).inSeconds, .done)
      entry.work = [.deletedFiles: work.report.files.count]
      var report = work.report
      let warnings = [report.warning, await OutputFolder.note(entry, in: held)]
      if warnings.contains(where: { $0 != nil }) {
        report.warning = warnings.compactMap(\.self).joined(separator: "; ")
      }
      return report
    }
  }

  /// Lets later runs have images again.
  ///
  /// - Throws: as ``run()``.
  func undo(repaired: (String) -> Void = { _ in }) async throws -> ForgetReport {
    try await held(repaired: repaired) { held, states in
      var forgotten = try await ForgottenItems.of(
        held.output, isExpected: ForgetWork.haveSeenMarks(states))
      let before = forgotten
      let uncertain = forgotten.remove(ids: ids, requests: requests)
      guard forgotten != before else {
        throw TesseraError(
          .output,
          "\"\(root)\" has not forgotten \((ids + urls).map { "\"\($0)\"" }.joined(separator: ", "))"
        )
      }
      try await forgotten.write(to: held.output, held.workspace)
      var report = ForgetReport()
      report.ids = ids
      report.uncertain = uncertain
      return report
    }
  }

  private func held(
    repaired: (String) -> Void,
    _ work: @escaping @Sendable (HeldOutput, [StateStore]) async throws -> ForgetReport
  ) async throws -> ForgetReport {
    let output = try OutputFolder(root, state: state)
    guard try await output.hasWorkspace() else {
      throw TesseraError(noOutput: root, exists: true)
    }
    return try await output.holding(withShards: true, damage: .removed, repaired: repaired) {
      held, states in
      TemporaryDirectory.clearLeftBehind()
      let report = try await work(held, states)
      // What was staged is of the images, too.
      try await held.clear()
      return report
    }
  }
}
