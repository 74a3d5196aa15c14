internal import Synchronization
internal import TesseraFetch
internal import TesseraImageHeader

/// Takes in the parts of one source, or all of it, for its header.
///
/// Bytes of two versions, or of unknown place, are never put together: what begins anew is read anew.
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
    /// Where the next byte stands, and where the present part ends; nil where all is sent.
    var offset = 0
    var end: Int?
    /// What was wanted when the present part began.
    var wanted: Range<Int>?
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
  var wanted: Range<Int>? { state.withLock(\.wantedNow) }

  /// What the bytes say, when no more will be asked for.
  func settle() -> HeaderReading {
    state.withLock { state in
      state.reader.settle()
      return state.reader.reading
    }
  }

  /// The version that the bytes so far belong to.
  var version: Validators? { state.withLock(\.version) }

  /// The source's length in bytes, where the server has told it.
  var length: Int? { state.withLock(\.length) }

  func begin(_ extent: BodyExtent, _ validators: Validators?) -> BodyVerdict {
    state.withLock { state in
      switch extent {
      case .whole(let length):
        state = State()
        state.version = validators
        state.length = length
        if let length { state.reader.end(at: length) }
      case .part(let range, let total):
        guard state.isOfOneVersion(with: validators, total) else {
          state.isUnusable = true
          return .enough
        }
        state.version = state.version ?? validators
        if let total, state.length == nil {
          state.length = total
          state.reader.end(at: total)
        }
        state.wanted = state.wantedNow
        state.offset = range.lowerBound
        state.end = range.upperBound
      }
      return .more
    }
  }

  func receive(_ bytes: RawSpan) -> BodyVerdict {
    state.withLock { state in
      let rest = state.end.map { $0 - state.offset } ?? .max
      if state.end == nil {
        state.reader.add(bytes)
      } else {
        state.reader.add(bytes.extracting(first: min(bytes.byteCount, rest)), at: state.offset)
      }
      state.offset += bytes.byteCount
      guard bytes.byteCount <= rest else { return .enough }
      let isOver = state.end == nil && state.reader.isOver(reach)
      guard !state.reader.isSearching || isOver else { return .more }
      let left = (state.end ?? state.length).map { $0 - state.offset } ?? .max
      return left <= Self.smallRest && !isOver ? .more : .enough
    }
  }

  /// To be asked when an answer has ended well.
  ///
  /// - Parameter isWhole: whether its body came to its end.
  func verdict(isWhole: Bool) -> Verdict {
    state.withLock { state in
      if state.isUnusable { return .unusable }
      guard state.end != nil else {
        if isWhole { state.reader.end() }
        return .told(state.reader.streamed(reach))
      }
      guard let wanted = state.wantedNow else { return .told(state.reader.reading) }
      // A part that did not hold what it was asked for.
      return wanted == state.wanted ? .unusable : .wants(wanted)
    }
  }
}

extension HeaderReceiver.State {
  fileprivate var wantedNow: Range<Int>? {
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
