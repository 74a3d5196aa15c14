internal import TesseraBytes
internal import TesseraManifest
internal import TesseraState

/// The entries of a manifest, each id once, in the manifest's order.
///
/// They come in batches, as many as were read at a time: a visit to the state, which has a thread of its
/// own, costs as much as looking up a dozen ids.
struct EntryStream {
  enum Record: Sendable {
    /// An entry and its place: no other entry of the manifest has it.
    case entry(ManifestEntry, position: Int, StandingItems.Verdict?)
    /// A line that repeats an entry word for word.
    case repeated
    case problem(ManifestProblem)
  }

  private let manifest: ManifestStream
  private let ledger: StateStore
  private let run: Int
  private let standing: StandingItems?
  private(set) var count = 0
  private(set) var firstProblem: ManifestProblem?

  /// - Parameters:
  ///   - ledger: remembers the ids of the manifest.
  ///   - run: under which number it does.
  ///   - standing: finds entries that need nothing new.
  init(
    _ manifest: ManifestStream, ledger: StateStore, run: Int, standing: StandingItems? = nil
  ) {
    self.standing = standing
    self.manifest = manifest
    self.ledger = ledger
    self.run = run
  }

  /// A stream for those who only look: its ids are in a temporary database on disk, so ten million of
  /// them need no memory.
  init(lookingAt manifest: ManifestStream) throws(PipelineError) {
    self.init(manifest, ledger: try PipelineError.wrap { try StateStore(path: "") }, run: 1)
  }

  /// The next records, or nil at the end.
  mutating func next() async throws -> [Record]? {
    guard let batch = try await manifest.nextBatch() else { return nil }
    let entries = batch.compactMap { record in
      if case .entry(let entry) = record { entry } else { nil }
    }
    var requests = entries.map {
      StateStore.ClaimRequest(id: $0.id, line: $0.line, entry: SHA256.of($0.content))
    }
    var verdicts = try await standing?.verdicts(entries, requests)[...]
    for (index, verdict) in (verdicts ?? []).enumerated() {
      requests[index].standing = verdict?.reason
    }
    var claims = try await ledger.claim(requests, run: run, position: count)[...]
    return batch.map { record in
      switch record {
      case .problem(let problem):
        firstProblem = firstProblem ?? problem
        return .problem(problem)
      case .entry(let entry):
        let verdict = verdicts?.popFirst() ?? nil
        switch claims.popFirst() {
        case .repeated: return .repeated
        case .conflict(let line): return .problem(.conflict(entry, with: line))
        case .new, nil:
          defer { count += 1 }
          return .entry(entry, position: count, verdict)
        }
      }
    }
  }
}

extension ManifestProblem {
  /// A repeated id with other content: the first stands.
  fileprivate static func conflict(_ entry: ManifestEntry, with line: Int) -> ManifestProblem {
    ManifestProblem(
      line: entry.line,
      message: "the id \"\(entry.id)\" stands on line \(line) already, with other content")
  }
}
