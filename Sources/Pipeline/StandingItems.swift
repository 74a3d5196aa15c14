internal import TesseraBytes
internal import TesseraCatalog
internal import TesseraJSON
internal import TesseraManifest
internal import TesseraOutput
internal import TesseraPipelineFile
internal import TesseraPlan
internal import TesseraState
internal import TesseraSystem

/// Items that need nothing new: their lines of an earlier run stand, word for word. Most items of most runs are of this
/// kind, so they are looked at in batches, and nothing of theirs is computed or written again.
///
/// A line stands where its item, everything in the pipeline that shapes it, and what is known of its source are what
/// they were; where the source need not be asked for; and where all its files are there.
struct StandingItems: Sendable {
  private let memory: ItemMemory
  /// Everything but the item and its source that shapes a line.
  let settings: String

  init(_ memory: ItemMemory) {
    self.memory = memory
    settings = Fingerprint.line(memory.file, libvips: memory.libvips)
  }

  /// Why a line stands, and what it names.
  struct Verdict: Sendable {
    var reason: String
    /// The key of its source.
    var source: String
    var files: Int
    /// Places that the files serve, in each format.
    var places: Int
  }

  func basis(_ entry: ManifestEntry) -> StateStore.Basis {
    StateStore.Basis(
      settings: settings, entry: SHA256.of(entry.content),
      source: memory.file.sourceKey(for: entry))
  }

  /// An answer for each item; nil where it has to be worked on.
  func verdicts(
    _ entries: [ManifestEntry], _ requests: [StateStore.ClaimRequest]
  ) async throws -> [Verdict?] {
    let keys = entries.map { memory.file.sourceKey(for: $0) }
    let lines = try await memory.state.standing(
      zip(requests, keys).map { (item: $0, source: $1) }, settings: settings)
    return zip(lines, keys).map { line, key in line.flatMap { verdict($0, key) } }
  }

  private func verdict(_ line: StateStore.Standing, _ key: String) -> Verdict? {
    let source = ItemMemory.Source(
      key: key, url: "", record: line.source, known: nil, header: nil, rejection: nil,
      isReady: true,
      lastStatus: .ok)
    guard memory.isFresh(source),
      let image = try? JSONParser.parse(Array(line.result.utf8)),
      let files = PublishedFile.all(of: image), !files.isEmpty,
      files.allSatisfy({ memory.output.has($0.path, bytes: $0.bytes) })
    else { return nil }
    var places = 0
    if case .object(let slots) = image["slots"] {
      for slot in slots { places += slot.value["variants"]?.arrayValue?.count ?? 0 }
    }
    return Verdict(
      reason: memory.occasion(source), source: key, files: files.count,
      places: places * memory.file.plan.formats.count)
  }
}
