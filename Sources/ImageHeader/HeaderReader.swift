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
