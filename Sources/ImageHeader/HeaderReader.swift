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
  private var further: [(offset: Int, bytes: [UInt8])] = []
  /// Of a stream: so long a prefix is worth another reading.
  private var worthReading = 1
  private var readings = 0

  /// So many times what a stream was asked for is read at once. Each reading begins anew, so from
  /// then on the prefix has to double in between: a file made to be searched costs no more than
  /// twice its length.
  private static let patience = 64

  /// - Parameters:
  ///   - fileSize: the file's length in bytes, where it is known.
  ///   - isExact: as for ``ImageHeader/read(_:isWhole:isExact:)``.
  public init(fileSize: Int? = nil, isExact: Bool = true) {
    self.fileSize = fileSize
    self.isExact = isExact
    // A short file is asked for no more than there is.
    if fileSize != nil { read() }
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
    keep(bytes, at: prefix.count)
    if prefix.count >= worthReading { read() }
  }

  package mutating func add(_ bytes: RawSpan, at offset: Int) {
    guard isSearching, offset >= 0 else { return }
    keep(bytes, at: offset)
    if hasWhatIsWanted { read() }
  }

  private mutating func keep(_ bytes: RawSpan, at offset: Int) {
    if offset > prefix.count {
      further.append((offset, unsafe bytes.withUnsafeBytes { unsafe Array($0) }))
    } else if offset + bytes.byteCount > prefix.count {
      let known = prefix.count - offset
      unsafe bytes.withUnsafeBytes { unsafe prefix.append(contentsOf: $0.dropFirst(known)) }
      joinPieces()
    }
  }

  /// Says how long the file is; with no argument, that the bytes from its beginning are all of it.
  public mutating func end(at length: Int? = nil) {
    fileSize = length ?? prefix.count
    if isSearching { read() }
  }

  /// Gives up on what might still change a size that is known. For who can't read on.
  public mutating func settle() {
    isExact = false
    if isSearching { read() }
  }

  /// Pieces that the prefix has reached become part of it.
  private mutating func joinPieces() {
    while let index = further.firstIndex(where: { $0.offset <= prefix.count }) {
      let piece = further.remove(at: index)
      prefix.append(contentsOf: piece.bytes.dropFirst(prefix.count - piece.offset))
    }
  }

  /// Whether the bytes are there, in one piece, that were asked for last.
  private var hasWhatIsWanted: Bool {
    guard case .needs(let wanted) = reading else { return false }
    return prefix.count >= wanted.upperBound
      || further.contains { piece in
        piece.offset <= wanted.lowerBound
          && piece.offset + piece.bytes.count >= wanted.upperBound
      }
  }

  private mutating func read() {
    var buffer = prefix
    var pieces: [HeaderView.Piece] = []
    for piece in further {
      pieces.append(.init(file: piece.offset, buffer: buffer.count, count: piece.bytes.count))
      buffer.append(contentsOf: piece.bytes)
    }
    let view = HeaderView(
      buffer.span, prefix: prefix.count, pieces: pieces, fileSize: fileSize,
      isExact: isExact)
    reading = ImageHeader.read(view)
    switch reading {
    case .needs(let range):
      readings += 1
      worthReading =
        readings < Self.patience ? range.upperBound : max(range.upperBound, prefix.count * 2)
    case .header, .refused:
      prefix = []
      further = []
    }
  }
}
