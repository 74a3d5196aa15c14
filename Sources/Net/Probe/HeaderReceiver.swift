internal import Synchronization
internal import TesseraImageHeader

/// Receives the parts of one source, or all of it, and reads its header.
///
/// It never combines bytes of two versions or of unknown offset: a body that begins again is read
/// from the start. The result depends on the bytes only, not on how they are split on arrival: a
/// part is evaluated when it is complete.
final class HeaderReceiver: BodyReceiving {
  /// What follows from a complete response.
  enum Verdict: Equatable {
    case found(HeaderReading)
    /// These bytes have to be requested.
    case wants(Range<Int>)
    /// The responses contradict each other: the whole source has to be requested.
    case unusable
  }

  fileprivate struct State {
    var reader = HeaderReader()
    var share: SearchShare
    /// The requested range; nil if everything was requested.
    var requested: Range<Int>?
    /// The part that is arriving, limited to the requested range; nil if the server sends
    /// everything.
    var part: Range<Int>?
    var partBytes: [UInt8] = []
    /// The bytes of the current body so far.
    var received = 0
    var version: Validators?
    var length: Int?
    var isUnusable = false

    init(_ room: SearchRoom) { share = SearchShare(of: room) }

    /// Whether there is room for the bytes so far. If not, all of them are forgotten.
    mutating func fits(_ room: SearchRoom) -> Bool {
      if share.resize(for: reader.count + partBytes.count) { return true }
      self = State(room)
      isUnusable = true
      return false
    }
  }

  /// If fewer bytes than this remain, reading them is cheaper than dropping the connection, which
  /// would cost the next request a handshake.
  private static let smallRest = 8 * 1024

  private let reach: Int
  private let room: SearchRoom
  private let state: Mutex<State>

  /// - Parameter reach: at most this many bytes are read of a source that is sent as a whole.
  init(reach: Int, room: SearchRoom) {
    self.reach = reach
    self.room = room
    state = Mutex(State(room))
  }

  /// The bytes that are needed next; nil if none are.
  var wanted: Range<Int>? { state.withLock { $0.reader.wanted } }

  /// The version that the bytes so far belong to.
  var version: Validators? { state.withLock { $0.version } }

  /// The source's length in bytes; nil if the server has not reported it.
  var length: Int? { state.withLock { $0.length } }

  /// To be called before each request.
  func expect(_ range: Range<Int>?) { state.withLock { $0.requested = range } }

  func begin(_ extent: BodyExtent, _ validators: Validators?) -> BodyVerdict {
    state.withLock { state in
      switch extent {
      case .whole(let length):
        // Parts that arrived before may belong to another version, so nothing of them is kept.
        state = State(room)
        state.version = validators
        state.length = length
        if let length { state.reader.end(at: length) }
      case .part(let range, let total):
        guard let requested = state.requested, state.isOfOneVersion(with: validators, total) else {
          state.isUnusable = true
          return .enough
        }
        state.version = state.version ?? validators
        if let total, state.length == nil {
          state.length = total
          state.reader.end(at: total)
        }
        // A server may send more than was requested. The rest is dropped.
        state.part = range.clamped(to: requested)
        state.partBytes = []
        state.received = 0
      }
      return .more
    }
  }

  func receive(_ bytes: RawSpan) -> BodyVerdict {
    state.withLock { state in
      state.received += bytes.byteCount
      if let part = state.part {
        let rest = part.count - state.partBytes.count
        bytes.extracting(first: min(bytes.byteCount, rest)).withUnsafeBytes {
          state.partBytes.append(contentsOf: $0)
        }
        guard state.fits(room) else { return .noRoom }
        return state.received > part.count + Self.smallRest ? .enough : .more
      }
      state.reader.add(bytes)
      guard state.fits(room) else { return .noRoom }
      let isOver = state.reader.isOver(reach)
      guard !state.reader.isSearching || isOver else { return .more }
      let rest = state.length.map { $0 - state.received } ?? .max
      return rest <= Self.smallRest && !isOver ? .more : .enough
    }
  }

  /// To be called after a successful response.
  ///
  /// - Parameter isWhole: whether its body is complete.
  func verdict(isWhole: Bool) -> Verdict {
    state.withLock { state in
      if state.isUnusable { return .unusable }
      guard let part = state.part else {
        if isWhole { state.reader.end() }
        return .found(state.reader.streamed(reach))
      }
      let before = state.reader.wanted
      let bytes = state.partBytes
      state.partBytes = []
      state.reader.add(bytes.span, at: part.lowerBound)
      guard let wanted = state.reader.wanted else { return .found(state.reader.reading) }
      // The part did not contain the requested bytes: the same request would be repeated forever.
      return wanted == before ? .unusable : .wants(wanted)
    }
  }

  /// The header, after a transfer that failed, if the bytes that arrived state it fully.
  var exact: ImageHeader? { header(isExact: true) }

  /// The header as far as the bytes that arrived state it, if no more will follow.
  var settled: ImageHeader? { header(isExact: false) }

  private func header(isExact: Bool) -> ImageHeader? {
    state.withLock { state in
      var reader = state.reader
      if let part = state.part { reader.add(state.partBytes.span, at: part.lowerBound) }
      if isExact { reader.look() } else { reader.settle() }
      return if case .header(let header) = reader.reading { header } else { nil }
    }
  }
}

extension HeaderReader {
  /// The bytes that are needed next; nil if none are.
  fileprivate var wanted: Range<Int>? {
    if case .needs(let range) = reading { range } else { nil }
  }
}

extension HeaderReceiver.State {
  /// Whether another part belongs to the same version as those before. A server may omit headers in
  /// its response to If-Range (RFC 9110, section 15.3.7), so a missing one is not a contradiction.
  fileprivate func isOfOneVersion(with validators: Validators?, _ total: Int?) -> Bool {
    func agree<Value: Equatable>(_ one: Value?, _ other: Value?) -> Bool {
      one == nil || other == nil || one == other
    }
    return agree(version?.etag, validators?.etag)
      && agree(version?.lastModified, validators?.lastModified) && agree(length, total)
  }
}
