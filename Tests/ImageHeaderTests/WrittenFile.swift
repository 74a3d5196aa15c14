import TesseraImageHeader

// Files that tests write field by field from the specifications of their formats, and what a reader
// says of them.

func joined(_ parts: [UInt8]...) -> [UInt8] { parts.flatMap(\.self) }
func ascii(_ text: String) -> [UInt8] { Array(text.utf8) }
func zeros(_ count: Int) -> [UInt8] { [UInt8](repeating: 0, count: count) }

/// A number of some bytes, the lowest first.
func le(_ value: Int, _ count: Int) -> [UInt8] {
  (0..<count).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
}

/// A number of some bytes, the highest first.
func be(_ value: Int, _ count: Int) -> [UInt8] { le(value, count).reversed() }

/// Everything that a reading says, as one text: `png 7x9@8 alpha`.
func outcome(_ reading: HeaderReading) -> String {
  switch reading {
  case .needs(let range): return "needs \(range.lowerBound)..<\(range.upperBound)"
  case .rejected(let rejection): return "\(rejection.kind.rawValue): \(rejection.reason)"
  case .header(let header):
    var text = "\(header.format.rawValue) \(header.pixelWidth)x\(header.pixelHeight)"
    text += "@\(header.bitsPerChannel)"
    if header.orientation != .upright { text += " orientation \(header.orientation.rawValue)" }
    if header.hasAlpha { text += " alpha" }
    if header.isAnimated != false { text += header.isAnimated == nil ? " animated?" : " animated" }
    if let frames = header.frames { text += " frames \(frames)" }
    if header.hasICCProfile { text += " profile" }
    return text
  }
}

/// What is said of a whole file.
func whole(_ bytes: [UInt8]) -> String { outcome(ImageHeader.read(bytes.span, isWhole: true)) }

/// What is said of a file's beginning.
func beginning(_ bytes: [UInt8], isExact: Bool = true) -> String {
  outcome(ImageHeader.read(bytes.span, isWhole: false, isExact: isExact))
}

/// What is said of a file that ends early: each answer with the length from which on it holds.
func answersByLength(_ bytes: [UInt8]) -> [String] {
  var answers: [String] = []
  var last = ""
  for length in 0...bytes.count {
    var answer = whole(Array(bytes[..<length]))
    if answer.hasPrefix("not-image: ") { answer = "not-image" }
    // The reason names the length.
    if answer == "truncated: cut off after \(length) bytes, before the image size" {
      answer = "truncated"
    }
    if answer != last { answers.append("\(length) \(answer)") }
    last = answer
  }
  return answers
}

/// The ranges that a reader requests of a file, if it gets nothing but these, and its answer.
func requests(_ bytes: [UInt8], isExact: Bool = true) -> [String] {
  var reader = HeaderReader(fileSize: bytes.count, isExact: isExact)
  var list: [String] = []
  while case .needs(let range) = reader.reading, list.count < 100 {
    list.append("\(range.lowerBound)..<\(range.upperBound)")
    guard range.upperBound <= bytes.count else { break }
    reader.add(bytes.span.extracting(range), at: range.lowerBound)
  }
  return list + [outcome(reader.reading)]
}
