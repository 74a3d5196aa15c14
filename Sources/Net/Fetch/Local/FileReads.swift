internal import Synchronization
internal import TesseraSystem

/// Reads files, each on a thread of its own: on a network or FUSE mount whose server is gone, a call
/// may never return, and nothing ends it.
///
/// A read that takes too long is given up: its receiver gets no further bytes, and its thread is left
/// behind. Threads that are left behind are counted, so that a dead mount cannot use up all threads.
final class FileReads: Sendable {
  typealias Finished = (identifier: Int, result: Result<FetchResponse, FetchError>, bytes: Int)

  /// With this number of threads left behind, no file is read until one of them returns.
  static let maximumLeftBehind = 8

  private struct State {
    /// The reads whose requests are not over.
    var receivers: [Int: RevocableReceiver] = [:]
    var finished: [Finished] = []
    var leftBehind = 0
  }

  private let settings: FetchSettings
  private let wake: @Sendable () -> Void
  private let state = Mutex(State())

  /// - Parameter wake: called from any thread when a read has finished.
  init(_ settings: FetchSettings, wake: @escaping @Sendable () -> Void) {
    self.settings = settings
    self.wake = wake
  }

  /// Starts a read. Returns an error if it cannot start.
  func start(
    _ identifier: Int, _ source: LocalSource, _ request: FetchRequest,
    into receiver: any BodyReceiving
  ) -> FetchError? {
    let revocable = RevocableReceiver(receiver)
    let leftBehind = state.withLock { state in
      if state.leftBehind < Self.maximumLeftBehind { state.receivers[identifier] = revocable }
      return state.leftBehind
    }
    guard leftBehind < Self.maximumLeftBehind else { return Self.hung(leftBehind) }
    do throws(SystemError) {
      try BackgroundThread.start { [self, settings] in
        let (result, bytes) = source.read(request, settings, into: revocable)
        finish(identifier, result, bytes)
      }
    } catch {
      state.withLock { $0.receivers[identifier] = nil }
      return FetchError(.local, "\(error)")
    }
    return nil
  }

  private func finish(
    _ identifier: Int, _ result: Result<FetchResponse, FetchError>, _ bytes: Int
  ) {
    let isAwaited = state.withLock { state in
      guard state.receivers.removeValue(forKey: identifier) != nil else {
        state.leftBehind -= 1
        return false
      }
      state.finished.append((identifier, result, bytes))
      return true
    }
    if isAwaited { wake() }
  }

  /// The reads that have finished since the last call.
  func takeFinished() -> [Finished] {
    state.withLock { state in
      defer { state.finished = [] }
      return state.finished
    }
  }

  /// Ends a read for its receiver.
  func giveUp(_ identifier: Int) {
    let receiver = state.withLock { state in
      let receiver = state.receivers.removeValue(forKey: identifier)
      // A read that has just finished has left no thread.
      if receiver != nil { state.leftBehind += 1 }
      return receiver
    }
    receiver?.revoke()
  }

  // MARK: Errors

  static func overdue(_ deadline: Duration) -> FetchError {
    FetchError(
      .timeout, "the file could not be read within \(deadline.sentence) (deadline)",
      isRetryable: true)
  }

  private static func hung(_ count: Int) -> FetchError {
    var error = FetchError(
      .timeout,
      "files are skipped for now, because \(count) of them could not be read in time; "
        + "check whether the file system they are on still answers", isRetryable: true)
    // As with a host: another attempt in this run is useless.
    error.isHostGivenUp = true
    return error
  }
}

/// Passes bytes on until it is revoked.
private final class RevocableReceiver: BodyReceiving {
  private let receiver: Mutex<(any BodyReceiving)?>

  init(_ receiver: any BodyReceiving) { self.receiver = Mutex(receiver) }

  /// After this the receiver gets no further call, and none is in progress.
  func revoke() { receiver.withLock { $0 = nil } }

  func begin(_ extent: BodyExtent, _ validators: Validators?) -> BodyVerdict {
    receiver.withLock { $0?.begin(extent, validators) ?? .enough }
  }

  func receive(_ bytes: RawSpan) -> BodyVerdict {
    receiver.withLock { $0?.receive(bytes) ?? .enough }
  }
}
