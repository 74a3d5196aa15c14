// What the header reader promises for any bytes. libFuzzer calls `fuzzHeader` with one input after
// another; a broken promise ends the program, and so does every trap.

/// A precondition with a message: optimised code does not report which `precondition` failed.
private func require(
  _ condition: Bool, _ message: @autoclosure () -> String = "", line: UInt = #line
) {
  if !condition { fatalError(message(), line: line) }
}

@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzHeader(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  let bytes = unsafe Array(UnsafeBufferPointer(start: start, count: count))
  let whole = ImageHeader.read(bytes.span, isWhole: true)
  checkAnswer(whole)
  checkPrefix(bytes)
  compare(whole, jump(in: bytes), isExact: true)
  compare(whole, stream(bytes), isExact: true)
  compare(whole, ImageHeader.read(bytes.span, isWhole: true, isExact: false), isExact: false)
  _ = GIFStructure.isWhole(bytes.span)
  require(JPEGStructure.scans(bytes.span, limit: 9) <= 9)
  require(WebPStructure.frames(bytes.span, limit: 9) <= 9)
  return 0
}

/// A whole file never requests more, and every reported value is possible.
private func checkAnswer(_ reading: HeaderReading) {
  switch reading {
  case .needs(let range): fatalError("a whole file requests \(range)")
  case .rejected(let rejection): require(!rejection.reason.isEmpty)
  case .header(let header):
    require(header.pixelWidth > 0 && header.pixelHeight > 0)
    require(header.pixelCount >= header.pixelWidth)
    require(header.width == header.pixelWidth || header.orientation.swapsSides)
    require((1...128).contains(header.bitsPerChannel), "\(header.bitsPerChannel) bits")
    require(header.frames ?? 0 >= 0)
  }
}

/// A prefix requests only bytes that it does not have.
private func checkPrefix(_ bytes: [UInt8]) {
  if case .needs(let range) = ImageHeader.read(bytes.span, isWhole: false) {
    require(!range.isEmpty && range.lowerBound >= 0 && range.upperBound > bytes.count)
  }
}

/// Reads the file by ranges, as over a network, with short reads.
private func jump(in bytes: [UInt8]) -> HeaderReading {
  var reader = HeaderReader(fileSize: bytes.count)
  var ahead = ReadAhead(first: 48, hop: 16, hops: 3, mostReads: 100_000, mostBytes: 1 << 30)
  while case .needs(let wanted) = reader.reading, let window = ahead.next(for: wanted) {
    require(wanted.upperBound <= bytes.count, "requests \(wanted) of \(bytes.count) bytes")
    let part = window.clamped(to: 0..<bytes.count)
    reader.add(bytes.span.extracting(part), at: part.lowerBound)
    if case .needs(let next) = reader.reading {
      require(next != wanted, "requests \(next) again")
    }
  }
  return reader.reading
}

/// Reads the file as a stream, in pieces.
private func stream(_ bytes: [UInt8]) -> HeaderReading {
  var reader = HeaderReader()
  for start in stride(from: 0, to: bytes.count, by: 37) {
    reader.add(bytes.span.extracting(start..<min(start + 37, bytes.count)))
  }
  reader.end()
  return reader.reading
}

/// Requires the same answer of two ways to read a file. Only details that are not worth a request
/// may differ: whether a GIF is animated or its first frame is larger than its screen, and what
/// follows the texts of a PNG or the frame header of a JPEG.
private func compare(_ one: HeaderReading, _ other: HeaderReading, isExact: Bool) {
  switch (one, other) {
  case (.header(let one), .header(let other)):
    require(one.format == other.format, "\(one) and \(other)")
    guard one.format != .gif else { return }
    require(
      one.pixelWidth == other.pixelWidth && one.pixelHeight == other.pixelHeight,
      "\(one) and \(other)")
    if isExact, one.format != .png, one.format != .jpeg {
      require(one.orientation == other.orientation, "\(one) and \(other)")
    }
  case (.rejected(let one), .rejected(let other)):
    require(one.kind == other.kind, "\(one) and \(other)")
  // A chunk after those that were requested may show that a PNG is malformed.
  case (.rejected, .header(let other)) where other.format == .png || !isExact: break
  default: fatalError("\(one) and \(other)")
  }
}
