internal import Synchronization
internal import TesseraManifest
internal import TesseraState
internal import TesseraSystem

/// Parts of the manifest that need nothing new, at once: their lines are those of an earlier run, and so is everything else that
/// their items' lines of the catalog were made of. They are neither decoded nor looked up.
///
/// Files are looked for by the mark of the output (``Output/mark()``), which changes when one is added, removed or replaced.
/// It does not when a file is cut off where it is; `verify` finds that, and has its item looked at.
final class StretchReuse: Sendable {
  private let state: StateStore
  /// A digest of everything that a run follows, but the manifest and the output.
  private let settings: String
  /// Whether the output is as the last run left it: if not, stretches are made for the next run.
  private let finds: Bool
  private let isAlwaysFresh: Bool
  private let clock: WallClock
  private let tallies = Mutex(Tallies())

  /// Stretches of items that are in flight, and those whose items are all done.
  private struct Tallies {
    var open: [Int: Tally] = [:]
    var done: [Tally] = []
  }

  private struct Tally {
    let key: String
    var stretch: StateStore.StandingStretch
    /// Items that are not done.
    var rest: Int
  }

  /// Open at a time. If the items of more are in flight, the others are looked at again in the next run.
  private static let most = 10_000

  init(
    _ state: StateStore, settings: String, finds: Bool, isAlwaysFresh: Bool, clock: WallClock
  ) {
    (self.state, self.settings, self.finds) = (state, settings, finds)
    (self.isAlwaysFresh, self.clock) = (isAlwaysFresh, clock)
  }

  /// What identifies the stretch that consists of a part's items; nil if they are not to be compared.
  func key(of part: ManifestPart) -> String? {
    part.digest.map { RecordKey.of("\(settings)\n\($0)") }
  }

  /// The stretches that stand; nil for each other part.
  func standing(
    _ parts: [ManifestPart]
  ) async throws(StateError) -> [StateStore.StandingStretch?] {
    guard finds else { return parts.map { _ in nil } }
    let now = clock.now()
    return try await state.standingStretches(parts.map { key(of: $0) ?? "" })
      .map { $0.flatMap { now < $0.freshUntil ? $0 : nil } }
  }

  /// The items of a stretch begin.
  func begin(_ stretch: StateStore.Stretch, key: String) {
    let end = isAlwaysFresh ? Double.infinity : Double.greatestFiniteMagnitude
    let standing = StateStore.StandingStretch(
      number: stretch.number, sum: stretch.sum, freshUntil: end, places: 0, files: 0)
    tallies.withLock { tallies in
      guard tallies.open.count < Self.most else { return }
      tallies.open[stretch.number] = Tally(key: key, stretch: standing, rest: stretch.sum.count)
    }
  }

  /// An item of a stretch is done.
  ///
  /// - Parameter line: its line of the catalog; nil if it may not stand in a later run.
  func ended(_ number: Int, _ line: KeptLine?) {
    tallies.withLock { tallies in
      guard let line else {
        tallies.open[number] = nil
        return
      }
      guard var tally = tallies.open.removeValue(forKey: number) else { return }
      tally.rest -= 1
      tally.stretch.places += line.places
      tally.stretch.files += line.files
      if !isAlwaysFresh {
        tally.stretch.freshUntil = min(tally.stretch.freshUntil, line.freshUntil)
      }
      if tally.rest == 0 { tallies.done.append(tally) } else { tallies.open[number] = tally }
    }
  }

  /// Saves the stretches whose items are all done.
  func save() async throws(StateError) {
    let done = tallies.withLock { tallies in
      defer { tallies.done = [] }
      return tallies.done
    }
    if !done.isEmpty { try await state.save(done.map { ($0.key, $0.stretch) }) }
  }
}
