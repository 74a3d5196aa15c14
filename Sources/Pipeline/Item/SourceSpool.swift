internal import Synchronization
internal import TesseraOutput
internal import TesseraSystem
internal import TesseraWorkers

/// Where the bytes of a source wait for a worker: small sources in memory, others in a file.
///
/// A file for each small image would cost more than its request: after some thousand removals ext4
/// searches long for an inode that was not removed in the last minutes.
struct SourceSpool: ~Copyable {
  private let file: WorkFile
  private let share: SpoolShare
  /// Empty if the bytes are in the file.
  private var memory: [UInt8] = []
  private var isInMemory = true
  private var opened: File?
  private var count = 0

  /// - Parameters:
  ///   - file: created when bytes come that memory has no room for.
  ///   - length: of the source in bytes, if the server states it: what will not fit goes to the file
  ///     at once.
  init(_ file: WorkFile, length: Int? = nil, room: SpoolRoom = .shared) {
    self.file = file
    share = SpoolShare(of: room)
    // Not before the length is known: a thousand sources wait for their requests.
    guard let length else { return }
    isInMemory = share.resize(for: length)
    if isInMemory { memory.reserveCapacity(length) }
  }

  mutating func write(_ bytes: RawSpan) throws(SystemError) {
    if isInMemory, !share.resize(for: count + bytes.byteCount) { try leaveMemory() }
    if isInMemory {
      bytes.withUnsafeBytes { memory.append(contentsOf: $0) }
    } else {
      // A pause has closed the file; more bytes go behind those that are there.
      if opened == nil { opened = try file.open(count == 0 ? .write : .append) }
      try opened?.write(bytes)
    }
    count += bytes.byteCount
  }

  private mutating func leaveMemory() throws(SystemError) {
    if !memory.isEmpty {
      opened = try file.open(.write)
      try opened?.write(memory)
    }
    memory = []
    isInMemory = false
    share.release()
  }

  /// Keeps only what another process sees until more bytes come: the file, closed.
  mutating func pause() throws(SystemError) {
    if isInMemory { try leaveMemory() }
    opened = nil
  }

  /// Call it once, when all bytes have come.
  mutating func end() -> JobSource.Bytes {
    opened = nil
    return isInMemory && count > 0 ? .memory(memory) : .file(path: file.path)
  }

  /// Removes the bytes.
  mutating func discard() {
    opened = nil
    memory = []
    share.release()
    // What can't be removed now is removed when the next run starts.
    if !isInMemory { try? file.remove() }
  }
}

/// The memory that all sources in it share.
final class SpoolRoom: Sendable {
  private static let bytes = 16 << 20
  /// Of one source. Larger ones take a worker so long that a file makes no difference.
  static let sourceBytes = 1 << 20

  static let shared = SpoolRoom(bytes: bytes)

  private let free: Mutex<Int>

  init(bytes: Int) { free = Mutex(bytes) }

  /// A negative number gives bytes back.
  fileprivate func take(_ bytes: Int) -> Bool {
    free.withLock { free in
      guard bytes <= free else { return false }
      free -= bytes
      return true
    }
  }
}

/// What one source holds of the room, which it gives back at its end. Its owner guards it by a lock.
private final class SpoolShare {
  private let room: SpoolRoom
  private var held = 0

  init(of room: SpoolRoom) { self.room = room }

  deinit { release() }

  func release() {
    _ = room.take(-held)
    held = 0
  }

  /// Makes the share fit for this many bytes. Returns false if the room is full, or they are too many.
  func resize(for count: Int) -> Bool {
    if count <= held { return true }
    guard count <= SpoolRoom.sourceBytes, room.take(count - held) else { return false }
    held = count
    return true
  }
}
