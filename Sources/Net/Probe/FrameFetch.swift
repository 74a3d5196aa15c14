internal import Synchronization
package import TesseraImageHeader

extension HeaderFetch {
  /// What counting the frames of a source came to.
  package struct FrameAnswer: Sendable {
    package var result: Result<Int, FetchError>
    /// The time of the requests, as in ``Answer``.
    package var time: Duration
  }

  /// Counts the frames of a source, all of which is read for it: a GIF and a WebP say nowhere how many they have.
  ///
  /// - Throws: `CancellationError`.
  package func countFrames(
    of url: String, _ counter: FrameCounter, turn: Int? = nil
  ) async throws -> FrameAnswer {
    let receiver = FrameReceiver(counter, maximumBytes)
    var tries = Tries(policy.at(url), runEnd: fetcher.end)
    var request = FetchRequest(url: url, deadline: policy.deadline)
    request.turn = turn
    var time = Duration.zero
    while true {
      request.end = tries.end
      let answer = await fetcher.fetch(request, host: SourceHost.name(of: url), into: receiver)
      tries.took(answer)
      time += answer.time
      switch answer.result {
      case .success: return FrameAnswer(result: .success(receiver.count), time: time)
      case .failure(let error):
        if error.code == .cancelled { throw CancellationError() }
        guard try await tries.wait(after: error) else {
          return FrameAnswer(result: .failure(error), time: time)
        }
        didRetry()
      }
    }
  }
}

/// Counts the frames of a body as it arrives.
private final class FrameReceiver: BodyReceiving {
  private struct State {
    var counter: FrameCounter
    var received = 0
  }

  private let first: FrameCounter
  private let maximumBytes: Int
  private let state: Mutex<State>

  init(_ counter: FrameCounter, _ maximumBytes: Int) {
    first = counter
    self.maximumBytes = maximumBytes
    state = Mutex(State(counter: counter))
  }

  var count: Int { state.withLock { $0.counter.count } }

  // A retry begins again.
  func begin(_ extent: BodyExtent, _ validators: Validators?) -> BodyVerdict {
    state.withLock { $0 = State(counter: first) }
    return .more
  }

  func receive(_ bytes: RawSpan) -> BodyVerdict {
    state.withLock { state in
      state.received += bytes.byteCount
      state.counter.add(bytes)
      return state.received > maximumBytes ? .enough : .more
    }
  }
}
