internal import Synchronization
internal import TesseraBytes
internal import TesseraImageHeader
internal import TesseraNet
internal import TesseraOutput
internal import TesseraPipelineFile
internal import TesseraPlan
internal import TesseraSystem
internal import TesseraText
internal import TesseraWorkers

/// Fetches one source, with all its attempts. An interrupted transfer is resumed where it broke off.
struct SourceTransfer: Sendable {
  let fetcher: any Fetching
  let settings: PipelineFile.Fetch
  let acceptance: Acceptance
  let recorder: RunRecorder

  /// How a transfer ended. A receiver that is handed out has bytes in the spool, which the caller
  /// discards.
  indirect enum Outcome: Sendable {
    case notModified(FetchResponse)
    case arrived(FetchResponse, SourceReceiver, SourceReceiver.Outcome)
    case failed(FetchError)
  }

  /// Makes the request of an item.
  ///
  /// - Parameters:
  ///   - condition: makes it conditional.
  ///   - spool: where the bytes are spooled; no other task uses it.
  func fetch(
    _ context: ItemContext, _ condition: Condition?, to spool: WorkFile
  ) async throws -> Outcome {
    let item = context.item
    var attempts = Attempts(item, settings, condition, runEnd: fetcher.end)
    let receiver = SourceReceiver(acceptance, spool: spool)
    while true {
      let answer = await fetcher.fetch(attempts.request, host: item.host, into: receiver)
      context.fetching += answer.time
      switch try step(after: answer, &attempts, receiver) {
      case .again: continue
      case .ended(let outcome): return outcome
      case .failed(let error):
        guard try await recorder.pause({ try await attempts.wait(after: error) }) else {
          receiver.discard()
          return .failed(error)
        }
        recorder.update { $0.retries += 1 }
        attempts.prepareRest(of: receiver, after: answer)
      }
    }
  }

  private enum Step {
    case ended(Outcome)
    case again
    /// Another attempt may follow.
    case failed(FetchError)
  }

  @inline(never)
  private func step(
    after answer: FetchResult, _ attempts: inout Attempts, _ receiver: SourceReceiver
  ) throws -> Step {
    switch attempts.result(of: answer, receiver) {
    case .again: return .again
    case .success(let response):
      if case .notModified = response.ending { return .ended(.notModified(response)) }
      return .ended(.arrived(response, receiver, try receiver.finish()))
    case .failure(let error):
      // No file stays open during the back-off: partial bodies of many items would use up the
      // descriptors.
      try receiver.pause()
      if error.code == .cancelled || error.code == .local {
        receiver.discard()
        throw error.code == .cancelled ? CancellationError() : TesseraError(.local, error.message)
      }
      // A server that can't send a part gets a request for the whole.
      let rejectsPart = error.code == .badRange || [400, 416, 501].contains(error.status)
      return attempts.wasForPart && rejectsPart ? .again : .failed(error)
    }
  }
}

/// The attempts to fetch one source: what to request next.
private struct Attempts {
  private(set) var request: FetchRequest
  /// Whether the last request was for the rest of a source.
  private(set) var wasForPart = false
  private var tries: Tries
  /// The place that sent the part that is already here.
  private var begunAt: String?

  enum Result {
    case success(FetchResponse)
    case failure(FetchError)
    /// The part does not fit what is here: the whole is requested.
    case again
  }

  init(
    _ item: Item, _ settings: PipelineFile.Fetch, _ condition: Condition?,
    runEnd: ContinuousClock.Instant?
  ) {
    tries = Tries(settings.retryPolicy.at(item.requestURL), runEnd: runEnd)
    request = FetchRequest(
      url: item.requestURL, condition: condition, deadline: settings.deadline)
    // Tasks reach the fetcher in any order; its queue follows the order of the manifest.
    request.turn = settings.order == .newestFirst ? -item.position : item.position
  }

  mutating func result(of answer: FetchResult, _ receiver: SourceReceiver) -> Result {
    tries.took(answer)
    wasForPart = request.range != nil
    request.end = tries.end
    // The next request is for the whole source, unless `prepareRest` says otherwise.
    request.range = nil
    request.ifRange = nil
    switch answer.result {
    case .failure(let error): return .failure(error)
    case .success(let response):
      guard wasForPart else { return .success(response) }
      // Another place may use the same validator for another version, and a server may send more than
      // it announced.
      if receiver.isForeign || receiver.isLong || Identifier(response.place) != Identifier(begunAt)
      {
        return .again
      }
      if response.ending == .complete, receiver.isShort {
        return .failure(
          FetchError(.truncated, "the requested part ended early", isRetryable: true))
      }
      return .success(response)
    }
  }

  mutating func wait(after error: FetchError) async throws -> Bool {
    try await tries.wait(after: error)
  }

  /// Requests what is missing of a source that broke off, if the server allows it.
  mutating func prepareRest(of receiver: SourceReceiver, after answer: FetchResult) {
    if !wasForPart { begunAt = answer.begun?.place }
    guard let rest = receiver.rest else { return }
    // Part of a source is here, so it has changed, whatever it was before.
    request.condition = nil
    request.range = rest.range
    request.ifRange = rest.version
  }
}

/// Receives a source: reads its header from the first bytes, rejects what is not an image or is over a
/// limit before the rest arrives, and spools and digests what is accepted.
final class SourceReceiver: BodyReceiving {
  /// What was received.
  enum Outcome: Sendable {
    case image(ImageHeader, SpooledBytes)
    case rejected(Rejection)
  }

  /// A source that has arrived.
  struct SpooledBytes: Sendable {
    var place: JobSource.Bytes
    var count: Int
    /// SHA-256 in hexadecimal.
    var digest: String
  }

  private let acceptance: Acceptance
  private let spool: WorkFile
  private let room: SearchRoom
  private let state: Mutex<State>

  private struct State: ~Copyable {
    /// Nil if there was no room for the search, or if its answer is far ahead: the spooled bytes are searched in the end.
    var header: HeaderReader? = HeaderReader(isExact: false)
    var share: SearchShare
    let digest = SHA256()
    var spool: SourceSpool
    var rejection: Rejection?
    /// Bytes so far, and bytes of the whole source if the server states them.
    var count = 0
    var length: Int?
    /// The strong validator of the version that the bytes belong to.
    var version: String?
    /// Whether an answer was a part of something else.
    var isForeign = false

    init(_ room: SearchRoom, _ spool: WorkFile, length: Int? = nil) {
      share = SearchShare(of: room)
      self.spool = SourceSpool(spool, length: length)
      self.length = length
    }

    /// Searches the next bytes for the header. Returns nil while there is nothing to say.
    ///
    /// - Parameter limit: the most bytes that a source may have.
    mutating func search(_ bytes: RawSpan, limit: Int) -> HeaderReading? {
      guard header?.isSearching == true else { return nil }
      header?.add(bytes)
      let far = header?.farRange
      let isPostponed = far.map { $0.upperBound <= length ?? limit } ?? false
      let reading = isPostponed ? nil : header?.streamed()
      if isPostponed || !share.resize(for: header?.count ?? 0) {
        header = nil
        share.release()
      }
      return reading
    }

    /// Nil if there was no room for the search.
    mutating func endSearch() -> HeaderReading? {
      header?.end()
      return header?.streamed()
    }
  }

  /// - Parameter spool: the file that bytes go to for which there is no room in memory.
  init(_ acceptance: Acceptance, spool: WorkFile, room: SearchRoom = .shared) {
    self.acceptance = acceptance
    self.spool = spool
    self.room = room
    state = Mutex(State(room, spool))
  }

  /// A body, or the rest of one that broke off. Bytes of two versions are never joined.
  func begin(_ extent: BodyExtent, _ validators: Validators?) -> BodyVerdict {
    state.withLock { state in
      switch extent {
      case .whole(let length):
        state.spool.discard()
        state = State(room, spool, length: length)
        state.version = validators?.strong
      case .part(let range, let total):
        // A server may send another range, another length or another version than requested; the
        // bytes of two images would be joined.
        state.isForeign =
          range.lowerBound != state.count || range.upperBound != state.length
          || total ?? range.upperBound != state.length
          || validators?.etag != state.version
        if state.isForeign { return .enough }
      }
      return .more
    }
  }

  /// What is missing of a body that broke off, and the version that it must belong to; nil if the
  /// server does not say enough for a part to be requested.
  var rest: (range: Range<Int>, version: String)? {
    state.withLock { state in
      guard let length = state.length, let version = state.version,
        (1..<max(1, length)).contains(state.count), state.rejection == nil
      else { return nil }
      return (state.count..<length, version)
    }
  }

  /// Whether there are fewer bytes, or more, than the server stated.
  var isShort: Bool { state.withLock { $0.count < $0.length ?? 0 } }
  var isLong: Bool { state.withLock { $0.count > $0.length ?? .max } }

  /// Closes what is open of the spool until more bytes arrive.
  func pause() throws(SystemError) {
    try state.withLock { state throws(SystemError) in try state.spool.pause() }
  }

  /// Whether a part arrived that does not belong to the bytes before: the whole has to be requested.
  var isForeign: Bool { state.withLock { $0.isForeign } }

  func receive(_ bytes: RawSpan) -> BodyVerdict {
    state.withLock { state in
      state.count += bytes.byteCount
      if let reading = state.search(bytes, limit: acceptance.maximumBytes) {
        state.rejection = acceptance.rejection(of: reading)
        if state.rejection != nil { return .enough }
      }
      do throws(SystemError) {
        try state.spool.write(bytes)
      } catch {
        return .failed("\(error)")
      }
      bytes.withUnsafeBytes { state.digest.update($0) }
      return .more
    }
  }

  /// Call it once, when the transfer has succeeded.
  func finish() throws(SystemError) -> Outcome {
    try state.withLock { state throws(SystemError) in
      if let rejection = state.rejection { return .rejected(rejection) }
      let place = state.spool.end()
      let found = state.endSearch()
      let reading = if let found { found } else { try room.search(place) }
      if let rejection = acceptance.rejection(of: reading) { return .rejected(rejection) }
      guard case .header(let header) = reading else { return .rejected(.notAnImage) }
      return .image(
        header,
        SpooledBytes(place: place, count: state.count, digest: state.digest.hexadecimal()))
    }
  }

  /// Removes the bytes from the spool.
  func discard() { state.withLock { $0.spool.discard() } }
}

extension SearchRoom {
  fileprivate func search(_ place: JobSource.Bytes) throws(SystemError) -> HeaderReading {
    switch place {
    case .memory(let bytes):
      return try search { count, offset in
        Array(bytes.dropFirst(offset).prefix(count))
      }
    case .file(let path):
      let file = try File(path, .read)
      return try search { count, offset throws(SystemError) in try file.read(count, at: offset) }
    }
  }
}

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
