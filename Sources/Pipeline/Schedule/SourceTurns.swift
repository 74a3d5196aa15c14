internal import Synchronization

/// The turns of sources: one item at a time works on a source, and an item whose line still applies is
/// not taken as such while another item may find that its source has changed.
final class SourceTurns: Sendable {
  let queue = KeyedQueue()
  /// Sources whose items ended since the last batch of verdicts was begun; nil when no more verdicts
  /// will be made.
  private let ended = Mutex<Set<String>?>([])

  /// To be called before a batch of verdicts is made.
  func beginVerdicts() { ended.withLock { $0 = [] } }

  /// To be called when no more verdicts will be made.
  func endVerdicts() { ended.withLock { $0 = nil } }

  /// To be called when an item ends, before it leaves its turn: one of the two shows it.
  func noteEnd(_ key: String) { ended.withLock { _ = $0?.insert(key) } }

  /// Whether no item with this source is in flight, or was while the verdict was made.
  func isUndisturbed(_ key: String) -> Bool {
    !queue.hasPlaces(key) && !ended.withLock { $0?.contains(key) ?? true }
  }
}
