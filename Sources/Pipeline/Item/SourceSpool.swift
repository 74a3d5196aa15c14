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
  /// Nil as long as there are no bytes, and if they are in the file.
  private var memory: SharedMemory?
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
    isInMemory = length.map { share.resize(for: $0) } ?? true
  }

  mutating func write(_ bytes: RawSpan) throws(SystemError) {
    if isInMemory, !share.resize(for: count + bytes.byteCount) { try leaveMemory() }
    if isInMemory {
      let memory = if let memory { memory } else { try SharedMemory() }
      self.memory = memory
      try memory.write(bytes)
    } else {
      // A pause has closed the file; more bytes go behind those that are there.
      if opened == nil { opened = try file.open(count == 0 ? .write : .append) }
      try opened?.write(bytes)
    }
    count += bytes.byteCount
  }

  private mutating func leaveMemory() throws(SystemError) {
    if let memory {
      opened = try file.open(.write)
      try opened?.write(try memory.read(count, at: 0))
    }
    memory = nil
    isInMemory = false
    share.release()
  }

  /// Closes every descriptor until more bytes come.
  mutating func pause() throws(SystemError) {
    if isInMemory { try leaveMemory() }
    opened = nil
  }

  /// Ends every change. Call it once, when all bytes have come.
  mutating func end() throws(SystemError) -> JobSource.Bytes {
    opened = nil
    guard let memory else { return .file(path: file.path) }
    _ = try memory.seal()
    return .memory(memory)
  }

  /// Removes the bytes.
  mutating func discard() {
    opened = nil
    memory = nil
    share.release()
    // What can't be removed now is removed when the next run starts.
    if !isInMemory { try? file.remove() }
  }
}

/// The memory that all sources in it share.
final class SpoolRoom: Sendable {
  /// Four times the default of `fetch.concurrency`: each source in memory has an open descriptor.
  private static let sources = 64
  private static let bytes = 16 << 20
  /// Of one source. Larger ones take a worker so long that a file makes no difference.
  static let sourceBytes = 1 << 20

  static let shared = SpoolRoom(sources: sources, bytes: bytes)

  private let free: Mutex<(sources: Int, bytes: Int)>

  init(sources: Int, bytes: Int) { free = Mutex((sources, bytes)) }

  fileprivate func take(sources: Int, bytes: Int) -> Bool {
    free.withLock { free in
      guard sources <= free.sources, bytes <= free.bytes else { return false }
      free.sources -= sources
      free.bytes -= bytes
      return true
    }
  }
}

/// What one source holds of the room, which it gives back at its end. Its owner guards it by a lock.
private final class SpoolShare {
  private let room: SpoolRoom
  private var held: Int?

  init(of room: SpoolRoom) { self.room = room }

  deinit { release() }

  func release() {
    if let held { _ = room.take(sources: -1, bytes: -held) }
    held = nil
  }

  /// Makes the share fit for this many bytes. Returns false if the room is full, or they are too many.
  func resize(for count: Int) -> Bool {
    if let held, count <= held { return true }
    guard count <= SpoolRoom.sourceBytes,
      room.take(sources: held == nil ? 1 : 0, bytes: count - (held ?? 0))
    else { return false }
    held = count
    return true
  }
}
