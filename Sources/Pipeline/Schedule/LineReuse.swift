internal import TesseraCatalog
internal import TesseraOutput
internal import TesseraPlan
internal import TesseraState
internal import TesseraSystem

/// Items that need nothing new: their lines of an earlier run still apply, word for word. Most items of
/// most runs are of this kind, so they are looked up in batches, and nothing of theirs is computed or
/// written again.
///
/// A line still applies if its item, everything in the pipeline that shapes it, and what is known of its
/// source are unchanged; if the source is fresh, or turns out to be unchanged; and if all its files are
/// there.
package struct LineReuse: Sendable {
  let state: StateStore
  let parent: ParentLines
  let output: any Output
  let freshness: FreshnessPolicy
  let clock: WallClock
  let places: OwnPlaces
  /// A digest of everything but the item and its source that shapes a line.
  let settings: String
  let names: FileNames
  /// Files of each variant.
  let formats: Int
  /// Whether lines of earlier runs may apply; if not, every item is processed, and its new line may apply later.
  var appliesLines = true
  /// Nil without an upgrade.
  var upgrades: UpgradeQueue?

  /// Why a line still applies, and what it names.
  package final class Verdict: Sendable {
    let reason: Reason
    /// Whether the source is fresh. If it is not, the line applies once the server has confirmed the
    /// source, as it is in the record.
    let isFresh: Bool
    let record: SourceRecord
    /// Where the line is in the parent.
    let range: Range<Int>
    let kept: KeptLine
    /// What files of a better format would be worth; nil if the image has them, or can't have any.
    let upgrade: UpgradeValue?

    init(
      reason: Reason, isFresh: Bool, record: SourceRecord, range: Range<Int>,
      _ kept: KeptLine, upgrade: UpgradeValue? = nil
    ) {
      (self.reason, self.isFresh, self.record, self.range) = (reason, isFresh, record, range)
      self.kept = kept
      self.upgrade = upgrade
    }
  }

  /// What is known of an item before its turn. It holds as long as no other item works on its source.
  package enum Lookup: Sendable {
    /// Its line of an earlier run applies, or will once the server has confirmed the source.
    case stands(Verdict)
    /// Nothing is known of its source.
    case new

    /// Whether nothing is left to do.
    var isFresh: Bool { if case .stands(let verdict) = self { verdict.isFresh } else { false } }
  }

  func inputs(_ item: Item) -> LineInputs {
    LineInputs(settings: settings, entry: item.entryDigest, source: item.sourceKey)
  }

  /// An answer for each item; nil if it has to be looked up when it is processed. What concerns the
  /// claim of its id is added to its request.
  func lookUpLines(
    _ items: [Item], _ requests: inout [StateStore.ClaimRequest]
  ) async throws -> [Lookup?] {
    let known = try await state.lookUpLines(
      items.map { .init($0.id, source: $0.sourceKey, url: $0.requestKey) })
    let now = clock.now()
    let claims = zip(known, items).map { known, item in
      appliesLines ? known.line.flatMap { claim($0, of: item, now) } : nil
    }
    var rest = try await output.stillHas(claims.flatMap { $0?.files ?? [] })[...]
    var lookUpLines: [Lookup?] = []
    for (index, claim) in claims.enumerated() {
      var lookup = known[index].isNew ? Lookup.new : nil
      if let claim {
        if rest.prefix(claim.files.count).allSatisfy(\.self) {
          lookup = .stands(claim.verdict)
          requests[index].standing = claim.verdict.isFresh ? claim.verdict.reason : nil
        }
        rest = rest.dropFirst(claim.files.count)
      }
      lookUpLines.append(lookup)
    }
    return lookUpLines
  }

  /// A verdict that holds if all of the files are there.
  private typealias Claim = (verdict: Verdict, files: [(path: String, bytes: Int)])

  private func claim(_ known: StateStore.KnownLine, of item: Item, _ now: Double) -> Claim? {
    var source = KnownSource()
    source.record = known.source
    source.isReady = true
    source.lastStatus = .ok
    let verdict = freshness.verdict(source, now: now)
    // The place of a fresh one is not needed.
    let record = verdict.isFresh ? known.source : places.known(known.source, of: item)
    guard verdict.isFresh || (record.condition != nil && !known.isRejected),
      let line = parent.line(item.id, inChunk: known.chunk),
      inputs(item).mark(item.id, sum: LineInputs.sum(of: line.text), known.source) == known.made,
      // A line that cannot be read is not an error: its item is processed.
      let text = ReusedLine(line.text, names.formats)
    else { return nil }
    let found = Verdict(
      reason: verdict.reason, isFresh: verdict.isFresh, record: record, range: line.range,
      KeptLine(
        freshUntil: freshness.end(of: record.confirmation), places: text.places * formats,
        files: text.files.count),
      upgrade: upgrades?.value(ofLine: line.text, names.formats, files: text.files))
    return (found, text.files)
  }
}
