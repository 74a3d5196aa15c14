internal import Glibc
internal import TesseraSystem

/// Two connected sockets: one for this process, one for another. Both are closed with the value, unless
/// ``keepOurs()`` takes one over.
struct SocketPair: ~Copyable {
  private let ours: Int32
  let theirs: Int32

  init() throws(TesseraError) {
    var ends: [Int32] = [-1, -1]
    guard
      // Close-on-exec, because another pool may start its process at this moment.
      socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0, &ends) == 0
    else {
      throw TesseraError(
        .workers, "could not create a socket pair: \(String(cString: strerror(errno)))")
    }
    (ours, theirs) = (ends[0], ends[1])
  }

  deinit {
    close(ours)
    close(theirs)
  }

  /// The end of this process, which the caller owns from now on. The other end is closed: with this
  /// copy open, it would never show as a closed socket.
  consuming func keepOurs() -> Int32 {
    let kept = ours
    close(theirs)
    discard self
    return kept
  }
}
