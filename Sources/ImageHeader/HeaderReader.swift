/// Collects the bytes of one file, from any source, until they state its header.
///
/// Bytes arrive as a stream from the file's beginning, or as answers to ``reading``, which may
/// request ranges far ahead. The reader allocates memory for bytes that it received, never for
/// lengths that the file claims.
public struct HeaderReader: Sendable {
  /// What the bytes so far say. At first it requests the bytes that distinguish formats.
  public private(set) var reading: HeaderReading = .needs(0..<Signature.longest)

  private var fileSize: Int?
  private var isExact: Bool
  private var known = KnownBytes()

  /// Of a stream: the next reading happens when this many bytes from the beginning are known. It
  /// depends on what the file requests and not on how the bytes arrive, so that the answer does
  /// not depend on that either.
  private var nextReading = ReadAhead.network.first
  private var readings = 0
  /// How many bytes from the file's beginning the last reading used.
  private(set) var prefix = 0

  /// After this many readings of a stream, the beginning must double before the next one. Each
  /// reading starts from the first byte, so a file that is made to be searched costs no more than
  /// twice its length from then on.
  private static let patience = 64

  /// - Parameters:
  ///   - fileSize: the file's length in bytes; nil if it is unknown.
  ///   - isExact: as in ``ImageHeader/read(_:isWhole:isExact:)``.
  public init(fileSize: Int? = nil, isExact: Bool = true) {
    self.fileSize = fileSize
    self.isExact = isExact
    // Of a short file, the first request must not exceed its length.
    if fileSize != nil { read(prefix: 0) }
  }

  /// Whether the reader still needs bytes.
  public var isSearching: Bool { if case .needs = reading { true } else { false } }

  /// The number of bytes that the reader holds.
  public var count: Int { known.count }

  /// Adds the next bytes of a stream from the file's beginning, in pieces of any length.
  public mutating func add(_ bytes: Span<UInt8>) { add(unsafe bytes.bytes) }

  /// Adds bytes from another place in the file, because ``reading`` requested them.
  ///
  /// - Parameters:
  ///   - bytes: those that are known already are kept.
  ///   - offset: in bytes from the file's beginning.
  public mutating func add(_ bytes: Span<UInt8>, at offset: Int) {
    add(unsafe bytes.bytes, at: offset)
  }

  package mutating func add(_ bytes: RawSpan) {
    guard isSearching else { return }
    known.insert(unsafe bytes.withUnsafeBytes { unsafe Array($0) }, at: known.prefix.count)
    // Not with all bytes that are here: in which pieces they arrive must not change the answer.
    while isSearching, known.prefix.count >= nextReading { read(prefix: nextReading) }
  }

  package mutating func add(_ bytes: RawSpan, at offset: Int) {
    guard isSearching, offset >= 0 else { return }
    known.insert(unsafe bytes.withUnsafeBytes { unsafe Array($0) }, at: offset)
    if case .needs(let wanted) = reading, known.contains(wanted) { look() }
  }

  /// Sets the file's length; without an argument, the bytes from its beginning are all of it.
  public mutating func end(at length: Int? = nil) {
    fileSize = length ?? known.prefix.count
    look()
  }

  /// Gives up bytes that may still change a known size. For callers that cannot read on.
  public mutating func settle() {
    isExact = false
    look()
  }

  /// Reads the header from the bytes at hand, even if they are not all that was requested.
  package mutating func look() {
    if isSearching { read(prefix: known.prefix.count) }
  }

  /// - Parameter count: the number of bytes from the file's beginning that this reading may use.
  private mutating func read(prefix count: Int) {
    prefix = count
    let (buffer, pieces) = known.joined()
    // A slice, because an array has a span from iOS 26 on only.
    let slice = buffer[...]
    reading = ImageHeader.read(
      HeaderView(slice.span, prefix: count, pieces: pieces, fileSize: fileSize, isExact: isExact))
    switch reading {
    case .needs(let range):
      readings += 1
      nextReading = max(nextReading, range.upperBound + ReadAhead.network.hop)
      if readings >= Self.patience { nextReading = max(nextReading, count * 2) }
    case .header, .rejected: known = KnownBytes()
    }
  }
}

extension HeaderReader {
  /// The number of bytes of a stream that are searched for a header: 16 MiB. An image whose size
  /// follows after more than that is not worth the transfer.
  package static let reach = 16 << 20

  /// Whether the requested bytes are beyond `reach` in a stream that must be read up to them, or
  /// the reader holds more than that without an answer.
  package func isOver(_ reach: Int) -> Bool {
    if case .needs(let range) = reading { range.upperBound > reach || count > reach } else { false }
  }

  /// A range beyond ``reach`` that is requested although little was read: the directory of a TIFF, or the boxes of a HEIC
  /// or AVIF, may be at the end of the file. Who has the whole file can read it there.
  package var farRange: Range<Int>? {
    guard case .needs(let range) = reading, range.upperBound > Self.reach,
      range.lowerBound > prefix + Self.jump
    else { return nil }
    return range
  }

  /// Farther than any segment or block of a file that is read on from one to the next.
  private static let jump = 1 << 20

  /// The answer if the file can only be read on from here, and not at other places.
  package mutating func streamed(_ reach: Int = reach) -> HeaderReading {
    // The size may be known, and only what could still change it may be too far away.
    if isOver(reach) { settle() }
    return isOver(reach)
      ? .rejected(
        .init(.malformed, "an image without a size in its first \(reach) bytes"))
      : reading
  }
}

/// What the bytes that are known of a file say about its header.
public enum HeaderReading: Sendable, Equatable {
  case header(ImageHeader)
  /// More bytes are needed: this range of the file, which may be far ahead. Read again with them.
  case needs(Range<Int>)
  case rejected(HeaderRejection)
}

/// Why bytes are not an image whose header Tessera can read.
public struct HeaderRejection: Error, Sendable, Equatable {
  public enum Kind: String, Sendable, CaseIterable {
    /// Not a recognized image: a web page, JSON, text, an empty file.
    case notImage = "not-image"
    /// The file has the signature of an image format and then contradicts that format.
    case malformed
    /// The file ends before the image size.
    case truncated
  }

  public var kind: Kind
  /// A clause that completes "the file is …": "an HTML page, not an image".
  public var reason: String

  public init(_ kind: Kind, _ reason: String) {
    self.kind = kind
    self.reason = reason
  }
}
