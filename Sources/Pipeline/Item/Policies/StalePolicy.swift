internal import TesseraState

/// Whether the last good files of a source remain shown after a failure. Pure: moments are given to it,
/// in seconds since 1970.
struct StalePolicy: Sendable {
  /// How long, in seconds, since the source was last confirmed.
  let keep: Double
  /// How long, in seconds, since an error that does not pass was first seen.
  var keepLost = 0.0

  func isStale(after failure: ItemFailure, _ source: KnownSource, now: Double) -> Bool {
    guard source.isReady, let record = source.record else { return false }
    return Self.allowsStale(failure) && now - record.confirmation.checked <= keep
  }

  /// Whether a failure says that a source is gone of which there is something to show. It then stays gone, whatever comes
  /// after it, until there is a good answer: a host that can't be reached brings back no image that it has removed.
  static func isLoss(_ failure: ItemFailure, of source: KnownSource) -> Bool {
    failure.isShared && KnownSize(source) != nil && !allowsStale(failure)
  }

  /// Whether the last good files remain shown although the source is gone.
  ///
  /// - Parameter since: when such a failure was first seen.
  func isKept(since: Double, now: Double) -> Bool { keepLost > 0 && now - since <= keepLost }

  /// The size of a source that an image service goes on to show after a failure; nil if it does not. The
  /// service may have what the source no longer gives.
  func size(after failure: ItemFailure, _ source: KnownSource, now: Double) -> KnownSize? {
    guard let size = KnownSize(source), Self.allowsStale(failure),
      now - size.confirmation.checked <= keep
    else { return nil }
    return size
  }

  /// A source that was confirmed in the future, because the clock was set back, as confirmed now: it
  /// would stay stale for as long as the clock was ahead. Nil if it need not be corrected.
  static func corrected(_ record: SourceRecord?, now: Double) -> SourceRecord? {
    guard var record, record.confirmation.checked > now else { return nil }
    record.confirmation.checked = now.rounded(.down)
    // The last request failed, so the lifetime does not begin again.
    record.confirmation.freshUntil = record.confirmation.freshUntil.map { min($0, now) }
    return record
  }

  /// Whether a failure leaves open what the source is now.
  private static func allowsStale(_ failure: ItemFailure) -> Bool {
    switch failure {
    case .unknownSlot: false
    case .unreachable(let error): error.leavesStale
    // An error page in an image's place says nothing about the image; another image does.
    case .rejected(let rejection): rejection.image == nil
    case .undecodable: true
    }
  }

  /// Whether a failed item's entry still has the size that is known from before. A failure that names
  /// an image of its own replaces it.
  static func keepsKnownSize(after failure: ItemFailure, _ source: KnownSource) -> Bool {
    switch failure {
    case .unknownSlot: false
    case .unreachable: true
    case .rejected(let rejection): source.isReady && rejection.image == nil
    case .undecodable: source.isReady
    }
  }
}
