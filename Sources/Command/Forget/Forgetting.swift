internal import TesseraJSON
internal import TesseraNet
internal import TesseraOutput
internal import TesseraState
internal import TesseraSystem
internal import TesseraText

/// Removes images from an output for good: from every place that may say something of them (``OutputPlace``), and from
/// later runs. The others stay as they are.
///
/// A kill at any time leaves an output that can be used; the same command then goes on.
struct Forgetting: Sendable {
  private let root: String
  private let ids: [String]
  private let urls: [String]
  private let state: String?
  private let store: StoreSettings
  private let now: Double

  /// - Parameters:
  ///   - ids: of images in the manifest, in a catalog, or forgotten before.
  ///   - urls: of sources, as the manifest or the catalog has them.
  ///   - state: the directory of the state of an output in an object store.
  init(
    _ root: String, ids: [String], urls: [String], state: String? = nil,
    store: StoreSettings = StoreSettings(), now: Double = Host.now
  ) {
    (self.root, self.ids, self.urls) = (root, ids, urls)
    (self.state, self.store, self.now) = (state, store, now)
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
      // Each of them: a word that is none of its images may be the name of another output.
      let others =
        ids.filter { !forgotten.has(id: $0) }
        + urls.filter { !forgotten.hasNamed(ForgottenItems.requests(of: $0)) }
      guard others.isEmpty else {
        throw TesseraError(
          .unknownImages,
          "\"\(root)\" has not forgotten \(others.map { "\"\($0)\"" }.joined(separator: ", "))"
        )
      }
      let uncertain = forgotten.remove(ids: ids, requests: requests)
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
    let output = try OutputFolder(root, state: state, store: store)
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

/// What `forget` removed, and what it can't reach.
struct ForgetReport: Sendable, JSONDocument {
  let schema = "tessera-forget/1"
  /// The images, also those that were found by their URLs.
  var ids: [String] = []
  /// Of images that are to be had again, those whose URLs may still be marked.
  var uncertain: [String] = []
  /// Files that were deleted, relative to the output.
  var files: [String] = []
  /// Of them, those of which it is not known whose they were: nothing named them.
  var unattributed = 0
  /// Files of the images that stay, because other images have the same bytes.
  var shared: [String] = []
  /// Images that stay, and seem to be of the same products.
  var sameID: [String] = []
  /// Documents that were replaced or deleted, relative to the output.
  var documents: [String] = []
  /// URLs at an image service.
  var serviceURLs: [String] = []
  /// Cached sources that were deleted.
  var cached = 0
  /// Documents that tools make again, and that were deleted.
  var derived: [String] = []
  /// Files in the output's own folder that runs do not write, such as exports: the images may be in them.
  var foreign: [String] = []
  /// What caches between the output and its readers may still have: URLs, or paths if the pipeline has no base-url.
  private(set) var purge: [String] = []
  /// ``beyond``, and what of this output is out of reach.
  private(set) var notReached = Self.beyond
  /// What could not be written after it: a clause; nil if all was.
  var warning: String?

  private enum CodingKeys: String, CodingKey {
    case schema, ids
    case files = "deleted"
    case unattributed, shared, sameID
    case documents = "replaced"
    case cached = "cachedSources"
    case purge, foreign, notReached, warning
  }

  /// What this command can't reach: sentences without their full stops.
  static let beyond = [
    "CDNs and other caches: purge the URLs above",
    "logs and mails of runs, which name images that failed",
    "exports, changes and copies of the output that were written elsewhere, and backups of it",
    "the manifest: as long as it has the image, each run leaves it out",
    "apps that have fetched a catalog or a file, and earlier versions of objects in a store that keeps them",
  ]

  /// Says what the command can't reach, once all is deleted and replaced.
  ///
  /// - Parameters:
  ///   - baseURL: of the catalog.
  ///   - states: where those are that stay, and whose next runs leave the images out.
  ///   - uploads: why parts of interrupted uploads could not be looked for; nil if they could.
  mutating func end(baseURL: String?, states: [String], uploads: String?) {
    let paths = (files + documents).filter { !$0.hasPrefix(".") }
    purge = Set<Identifier>(of: paths).texts.map { (baseURL ?? "") + $0 } + serviceURLs
    notReached =
      states.map { state in
        "the state \(state): its next run takes them out of it, or tessera forget with --state there"
      }
      + (uploads.map { finding in
        ["parts of interrupted uploads: \(finding); abort them, or have a rule of the bucket do it"]
      } ?? []) + Self.beyond
  }
}
