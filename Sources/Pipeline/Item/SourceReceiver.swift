internal import Synchronization
internal import TesseraBytes
internal import TesseraImageHeader
internal import TesseraNet
internal import TesseraOutput
internal import TesseraPlan
internal import TesseraSystem
internal import TesseraWorkers

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
