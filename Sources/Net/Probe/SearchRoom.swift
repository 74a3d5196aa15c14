internal import Synchronization
package import TesseraImageHeader
package import TesseraSystem

/// The memory in which all header searches of the process keep the bytes that they have seen.
///
/// Nearly all headers are found in the first kilobytes, and those are always granted. A search that
/// needs more takes it from here. If there is no more, it gives up what it has, and never waits while
/// it holds something: so the searches that go on always end. What was given up is searched later: a
/// spooled source from its file (``search(_:)``), another one by a retry.
package final class SearchRoom: Sendable {
  /// Granted to each search in any case: 99 of 100 camera images need a sixth of it (see
  /// `ReadAhead.network`).
  static let allowance = 64 * 1024

  /// 256 MiB: with the default `fetch.concurrency` of 16, no search is ever without room.
  package static let shared = SearchRoom(bytes: 16 * HeaderReader.reach)

  private let free: Mutex<Int>
  /// One at a time: this search has no share of the room, and needs as much as ``HeaderReader/reach``.
  private let turn = Mutex(())

  package init(bytes: Int) { free = Mutex(bytes) }

  /// How many places beyond a stream's reach are read. A TIFF has two: its directory, and what that points to.
  private static let maximumJumps = 64

  /// Reads the header of a whole source as a stream, so that the answer is as if it had just arrived, and where it asks
  /// for more than a stream is read for, at that place.
  ///
  /// - Parameter read: returns up to `count` bytes from `offset`; none at the end.
  package func search(
    _ read: (_ count: Int, _ offset: Int) throws(SystemError) -> [UInt8]
  ) throws(SystemError) -> HeaderReading {
    try turn.withLock { _ throws(SystemError) in
      var reader = HeaderReader(isExact: false)
      var (offset, jumps) = (0, 0)
      while reader.isSearching {
        if let range = reader.farRange {
          // Each answers the one before: a cycle of them ends.
          guard jumps < Self.maximumJumps else { break }
          jumps += 1
          let bytes = try read(range.count, range.lowerBound)
          guard !bytes.isEmpty else { break }
          reader.add(bytes.span, at: range.lowerBound)
          if bytes.count < range.count { reader.end(at: range.lowerBound + bytes.count) }
          continue
        }
        guard !reader.isOver(HeaderReader.reach) else { break }
        let bytes = try read(Self.allowance, offset)
        if bytes.isEmpty {
          reader.end()
          break
        }
        offset += bytes.count
        reader.add(bytes.span)
      }
      return reader.streamed()
    }
  }

  fileprivate func take(_ bytes: Int) -> Bool {
    free.withLock { free in
      guard bytes <= free else { return false }
      free -= bytes
      return true
    }
  }
}

/// What one search holds of the room, which it gives back at its end. Its owner guards it by a lock.
package final class SearchShare {
  private let room: SearchRoom
  private var held = 0

  package init(of room: SearchRoom) { self.room = room }

  deinit { _ = room.take(-held) }

  package func release() {
    _ = room.take(-held)
    held = 0
  }

  /// Makes the share fit for a search that keeps this many bytes. Returns false if the
  /// room is full; the search must then give them up.
  package func resize(for count: Int) -> Bool {
    let wanted = max(0, count - SearchRoom.allowance)
    guard room.take(wanted - held) else { return false }
    held = wanted
    return true
  }
}
