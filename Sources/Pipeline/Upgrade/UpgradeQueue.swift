internal import Synchronization
internal import TesseraCatalog
internal import TesseraPipelineFile
internal import TesseraPlan
internal import TesseraSystem

/// The images of a run that lack files of the better format, as far as its budget can reach.
final class UpgradeQueue: Sendable {
  let upgrade: Upgrade
  private let settings: PlanSettings
  private let state: Mutex<State>

  private struct State {
    let most: Int
    var candidates: [Candidate] = []
    var offered = 0

    /// Of the entries that are remembered, in bytes.
    var weight = 0

    mutating func add(_ candidate: Candidate) {
      offered += 1
      candidates.append(candidate)
      weight += candidate.item.weight
      // Twice as many, so that a sort is paid for by as many additions.
      if candidates.count >= 2 * most || weight >= 2 * mostBytes { shorten() }
    }

    mutating func shorten() {
      candidates.sort { $0.precedes($1) }
      var (count, bytes) = (0, 0)
      while count < min(most, candidates.count), bytes < mostBytes {
        bytes += candidates[count].item.weight
        count += 1
      }
      candidates.removeLast(candidates.count - count)
      weight = bytes
    }
  }

  private struct Candidate {
    var item: Item
    /// Saved bytes of views for the work of a worker.
    var value: Double

    func precedes(_ other: Candidate) -> Bool {
      // Of equals the first in the manifest, whichever ended first.
      (other.value, item.position) < (value, other.item.position)
    }
  }

  /// No image is upgraded in less time of a worker, in seconds.
  private static let leastTime = 0.02
  /// How many images are remembered, and how many bytes of entries: memory does not grow with the manifest.
  private static let remembered = 1_000.0...100_000
  private static let mostBytes = 32 << 20

  /// Nil if the pipeline has no upgrade.
  init?(_ file: PipelineFile) {
    guard let upgrade = file.upgrade, let settings = file.upgradedPlan else { return nil }
    self.upgrade = upgrade
    self.settings = settings
    let reached = upgrade.budget.inSeconds / Self.leastTime
    let most = min(max(reached, Self.remembered.lowerBound), Self.remembered.upperBound)
    state = Mutex(State(most: Int(most)))
  }

  /// What it is worth to upgrade an image, by its line of the catalog; nil if it is upgraded, or can't be.
  ///
  /// - Parameter files: the paths in the line.
  func value(
    ofLine line: some Sequence<UInt8>, _ formats: [CatalogFormat],
    files: [(path: String, bytes: Int)]
  ) -> UpgradeValue? {
    let end = ".\(upgrade.format.fileExtension)"
    guard !files.contains(where: { $0.path.hasSuffix(end) }) else { return nil }
    guard let image = try? CatalogImage(reading: Array(line), formats) else { return nil }
    return UpgradeValue(image, settings)
  }

  func offer(_ image: CatalogImage, _ item: Item) {
    if let value = UpgradeValue(image, settings) { offer(value, item) }
  }

  func offer(_ value: UpgradeValue, _ item: Item) {
    let candidate = Candidate(item: item, value: value.perEffort * item.views)
    state.withLock { $0.add(candidate) }
  }

  /// Those that are worth most, first, and how many there were.
  func take() -> (items: [Item], offered: Int) {
    state.withLock { state in
      state.shorten()
      defer { state.candidates = [] }
      return (state.candidates.map(\.item), state.offered)
    }
  }
}
