internal import Synchronization
internal import TesseraFetch
internal import TesseraImageHeader

/// Takes in the parts of one source, or all of it, for its header.
///
/// Bytes of two versions, or of unknown place, are never put together: what begins anew is read anew.
/// What is told depends on the bytes alone and not on how they happen to arrive: a part is looked at
/// when it is there.
final class HeaderReceiver: BodyReceiving {
  /// What is to be done when an answer has been taken in.
  enum Verdict: Equatable {
    case told(HeaderReading)
    /// Ask for these bytes.
    case wants(Range<Int>)
    /// The answers do not fit together: ask for everything.
    case unusable
  }

  fileprivate struct State {
    var reader = HeaderReader()
    /// The range that was asked for; nil where everything was.
    var asked: Range<Int>?
    /// The part that is coming, as far as it was asked for; nil where all is sent.
    var part: Range<Int>?
    var partBytes: [UInt8] = []
    /// Bytes of the present body so far.
    var received = 0
    var version: Validators?
    var length: Int?
    var isUnusable = false
  }

  /// A rest that is sooner read than a new connection made.
  private static let smallRest = 8 * 1024

  private let reach: Int
  private let state = Mutex(State())

  /// - Parameter reach: no more is read of what is sent as a whole.
  init(reach: Int) { self.reach = reach }

  /// The bytes that are needed next; nil where none are.
  var wanted: Range<Int>? { state.withLock(\.wanted) }

  /// The version that the bytes so far belong to.
  var version: Validators? { state.withLock(\.version) }

  /// The source's length in bytes, where the server has told it.
  var length: Int? { state.withLock(\.length) }

  /// To be called before each request.
  func expect(_ range: Range<Int>?) { state.withLock { $0.asked = range } }

  func begin(_ extent: BodyExtent, _ validators: Validators?) -> BodyVerdict {
    state.withLock { state in
      switch extent {
      case .whole(let length):
        state = State()
        state.version = validators
        state.length = length
        if let length { state.reader.end(at: length) }
      case .part(let range, let total):
        guard let asked = state.asked, state.isOfOneVersion(with: validators, total) else {
          state.isUnusable = true
          return .enough
        }
        state.version = state.version ?? validators
        if let total, state.length == nil {
          state.length = total
          state.reader.end(at: total)
        }
        // More than was asked for is not wanted.
        state.part = range.clamped(to: asked)
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
        return state.received > part.count + Self.smallRest ? .enough : .more
      }
      state.reader.add(bytes)
      let isOver = state.reader.isOver(reach)
      guard !state.reader.isSearching || isOver else { return .more }
      let rest = state.length.map { $0 - state.received } ?? .max
      return rest <= Self.smallRest && !isOver ? .more : .enough
    }
  }

  /// To be asked when an answer has ended well.
  ///
  /// - Parameter isWhole: whether its body came to its end.
  func verdict(isWhole: Bool) -> Verdict {
    state.withLock { state in
      if state.isUnusable { return .unusable }
      guard let part = state.part else {
        if isWhole { state.reader.end() }
        return .told(state.reader.streamed(reach))
      }
      let before = state.wanted
      let bytes = state.partBytes
      state.partBytes = []
      state.reader.add(bytes.span, at: part.lowerBound)
      guard let wanted = state.wanted else { return .told(state.reader.reading) }
      // A part that did not hold what it was asked for.
      return wanted == before ? .unusable : .wants(wanted)
    }
  }

  /// The header, when a transfer has failed, if the bytes that came have told it.
  var told: ImageHeader? { header(isExact: true) }

  /// The header as far as the bytes tell it, when no more will come.
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

extension HeaderReceiver.State {
  fileprivate var wanted: Range<Int>? {
    if case .needs(let range) = reader.reading { range } else { nil }
  }

  /// Whether another part fits to those before. What a server leaves out of an answer to If-Range
  /// (RFC 9110, section 15.3.7) contradicts nothing.
  fileprivate func isOfOneVersion(with validators: Validators?, _ total: Int?) -> Bool {
    func agree<Value: Equatable>(_ one: Value?, _ other: Value?) -> Bool {
      one == nil || other == nil || one == other
    }
    return agree(version?.etag, validators?.etag)
      && agree(version?.lastModified, validators?.lastModified) && agree(length, total)
  }
}
