import Dispatch
import Foundation
import Synchronization
import Testing

@testable import TesseraNet

/// Reads that may hang, each on a thread of its own.
@Suite struct FileReadsTests {
  /// Counts bytes; with a gate, it is held up by the first of them until the gate opens.
  private final class Receiver: BodyReceiving {
    private let gate: DispatchSemaphore?
    let began = DispatchSemaphore(value: 0)
    let received = Mutex(0)

    init(isHeld: Bool = false) { gate = isHeld ? DispatchSemaphore(value: 0) : nil }

    func receive(_ bytes: RawSpan) -> BodyVerdict {
      received.withLock { $0 += bytes.byteCount }
      began.signal()
      gate?.wait()
      return .more
    }

    func release() { gate?.signal() }
  }

  private static let request = FetchRequest(url: "data:,hello", deadline: .seconds(20))
  private static let source = LocalSource.data(Array("hello".utf8))

  @Test func aReadFinishesOnceAndWakesTheLoop() throws {
    let woken = DispatchSemaphore(value: 0)
    let reads = FileReads(FetchSettings()) { woken.signal() }
    let receiver = Receiver()
    #expect(reads.takeFinished().isEmpty)
    #expect(reads.start(7, Self.source, Self.request, into: receiver) == nil)
    #expect(woken.wait(timeout: .now() + 20) == .success)
    let finished = reads.takeFinished()
    #expect(finished.map(\.identifier) == [7])
    #expect(finished.map(\.bytes) == [5])
    #expect(try finished.first?.result.get().ending == .complete)
    #expect(receiver.received.withLock { $0 } == 5)
    #expect(reads.takeFinished().isEmpty)
    let failing = LocalSource.unreadable(FetchError(.badURL, "no"))
    #expect(reads.start(8, failing, Self.request, into: receiver) == nil)
    #expect(woken.wait(timeout: .now() + 20) == .success)
    #expect(throws: FetchError(.badURL, "no")) { try reads.takeFinished().first?.result.get() }
    // What has finished leaves no thread behind.
    for identifier in 0..<20 { reads.giveUp(identifier) }
    #expect(reads.start(9, Self.source, Self.request, into: receiver) == nil)
  }

  /// With eight threads left behind no file is read, until one of them returns.
  @Test func threadsThatAreLeftBehindAreLimited() {
    let reads = FileReads(FetchSettings()) {}
    let held = (0..<8).map { _ in Receiver(isHeld: true) }
    for (identifier, receiver) in held.enumerated() {
      #expect(reads.start(identifier, Self.source, Self.request, into: receiver) == nil)
      receiver.began.wait()
    }
    /// Starts reads until one of them ends as expected, for twenty seconds at most.
    func start(until isExpected: (FetchError?) -> Bool) -> Bool {
      let end = ContinuousClock.now.advanced(by: .seconds(20))
      for identifier in 100... {
        guard ContinuousClock.now < end else { break }
        let receiver = Receiver()
        if isExpected(reads.start(identifier, Self.source, Self.request, into: receiver)) {
          return true
        }
        usleep(1_000)
      }
      return false
    }
    // Giving up waits until the receiver's call is over, so that it gets no further one.
    for identifier in 0..<7 { Thread.detachNewThread { reads.giveUp(identifier) } }
    #expect(reads.start(99, Self.source, Self.request, into: Receiver()) == nil)
    Thread.detachNewThread { reads.giveUp(7) }
    var hung = FetchError(
      .timeout,
      "files are skipped for now, because 8 of them could not be read in time; check whether the "
        + "file system they are on still answers", isRetryable: true)
    hung.isHostGivenUp = true
    #expect(start { $0 == hung })
    held[0].release()
    #expect(start { $0 == nil })
    for receiver in held.dropFirst() { receiver.release() }
    #expect(reads.takeFinished().allSatisfy { $0.identifier >= 99 })
  }

  @Test func theErrorNamesTheDeadline() {
    #expect(
      FileReads.overdue(.milliseconds(1_500))
        == FetchError(
          .timeout, "the file could not be read within 1500 ms (deadline)", isRetryable: true))
  }
}
