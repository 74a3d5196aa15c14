/// Collects the bytes of one file, from wherever they come, until they tell its header.
///
/// Bytes may come in a stream from the file's beginning, or as answers to what ``reading`` asks
/// for, which may lie far ahead. Nothing is allocated by what the file claims: what is kept is what
/// was given.
public struct HeaderReader: Sendable {
  /// What the bytes so far say. At first it asks for the bytes that tell formats apart.
  public private(set) var reading: HeaderReading = .needs(0..<Signature.reach)

  private var fileSize: Int?
  private var isExact: Bool
  private var prefix: [UInt8] = []
  /// Pieces that lie further on: in order, and none touches another.
  private var further: [(offset: Int, bytes: [UInt8])] = []

  /// Of a stream: how many bytes from the file's beginning the next reading is of. It goes by what
  /// the file asks for and not by how the bytes happen to arrive, so that the answer does not, either.
  private var streamed = ReadAhead.network.first
  private var readings = 0

  /// So many times what a stream was asked for is read at once. Each reading begins anew, so from
  /// then on the beginning has to double in between: a file made to be searched costs no more than
  /// twice its length.
  private static let patience = 64

  /// - Parameters:
  ///   - fileSize: the file's length in bytes, where it is known.
  ///   - isExact: as for ``ImageHeader/read(_:isWhole:isExact:)``.
  public init(fileSize: Int? = nil, isExact: Bool = true) {
    self.fileSize = fileSize
    self.isExact = isExact
    // A short file is asked for no more than there is.
    if fileSize != nil { read(prefix: 0) }
  }

  /// Whether more bytes can still tell more.
  public var isSearching: Bool { if case .needs = reading { true } else { false } }

  /// Bytes that are kept.
  public var count: Int { prefix.count + further.reduce(0) { $0 + $1.bytes.count } }

  /// Adds the bytes that follow those from the file's beginning: a stream, in pieces of any length.
  public mutating func add(_ bytes: Span<UInt8>) { add(unsafe bytes.bytes) }

  /// Adds bytes that stand at a place in the file, because ``reading`` asked for them.
  ///
  /// - Parameter offset: in bytes from the file's beginning. Bytes that are there already stand.
  public mutating func add(_ bytes: Span<UInt8>, at offset: Int) {
    add(unsafe bytes.bytes, at: offset)
  }

  package mutating func add(_ bytes: RawSpan) {
    guard isSearching else { return }
    keep(unsafe bytes.withUnsafeBytes { unsafe Array($0) }, at: prefix.count)
    while isSearching, prefix.count >= streamed { read(prefix: streamed) }
  }

  package mutating func add(_ bytes: RawSpan, at offset: Int) {
    guard isSearching, offset >= 0 else { return }
    keep(unsafe bytes.withUnsafeBytes { unsafe Array($0) }, at: offset)
    if hasWhatIsWanted { read(prefix: prefix.count) }
  }

  /// Says how long the file is; with no argument, that the bytes from its beginning are all of it.
  public mutating func end(at length: Int? = nil) {
    fileSize = length ?? prefix.count
    if isSearching { read(prefix: prefix.count) }
  }

  /// Gives up on what might still change a size that is known. For who can't read on.
  public mutating func settle() {
    isExact = false
    if isSearching { read(prefix: prefix.count) }
  }

  /// Looks at what there is, though it may not be all that was asked for.
  package mutating func look() {
    if isSearching { read(prefix: prefix.count) }
  }

  private mutating func keep(_ bytes: [UInt8], at offset: Int) {
    guard offset > prefix.count else {
      let known = prefix.count - offset
      if known < bytes.count { prefix.append(contentsOf: bytes.dropFirst(known)) }
      while let piece = further.first, piece.offset <= prefix.count {
        further.removeFirst()
        prefix.append(contentsOf: piece.bytes.dropFirst(prefix.count - piece.offset))
      }
      return
    }
    // What stands before goes on with it, and what it reaches goes on behind.
    var new = (offset: offset, bytes: bytes)
    var index = further.firstIndex { $0.offset > offset } ?? further.count
    if index > 0, further[index - 1].offset + further[index - 1].bytes.count >= offset {
      index -= 1
      let before = further.remove(at: index)
      let known = before.offset + before.bytes.count - offset
      new = (before.offset, before.bytes + bytes.dropFirst(known))
    }
    while index < further.count, further[index].offset <= new.offset + new.bytes.count {
      let next = further.remove(at: index)
      new.bytes.append(contentsOf: next.bytes.dropFirst(new.offset + new.bytes.count - next.offset))
    }
    further.insert(new, at: index)
  }

  /// Whether the bytes are there that were asked for last.
  private var hasWhatIsWanted: Bool {
    guard case .needs(let wanted) = reading else { return false }
    return prefix.count >= wanted.upperBound
      || further.contains { piece in
        piece.offset <= wanted.lowerBound
          && piece.offset + piece.bytes.count >= wanted.upperBound
      }
  }

  /// - Parameter count: so many bytes from the file's beginning are looked at.
  private mutating func read(prefix count: Int) {
    var pieces: [HeaderView.Piece] = []
    if further.isEmpty {
      reading = ImageHeader.read(view(of: prefix.span, prefix: count, pieces))
    } else {
      var buffer = prefix
      for piece in further {
        pieces.append(.init(file: piece.offset, buffer: buffer.count, count: piece.bytes.count))
        buffer.append(contentsOf: piece.bytes)
      }
      reading = ImageHeader.read(view(of: buffer.span, prefix: count, pieces))
    }
    switch reading {
    case .needs(let range):
      readings += 1
      streamed = max(streamed, range.upperBound + ReadAhead.network.hop)
      if readings >= Self.patience { streamed = max(streamed, count * 2) }
    case .header, .refused:
      prefix = []
      further = []
    }
  }

  @_lifetime(copy buffer)
  private func view(
    of buffer: Span<UInt8>, prefix: Int, _ pieces: [HeaderView.Piece]
  ) -> HeaderView {
    HeaderView(buffer, prefix: prefix, pieces: pieces, fileSize: fileSize, isExact: isExact)
  }
}
