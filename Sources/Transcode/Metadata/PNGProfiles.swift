internal import TesseraBytes
internal import TesseraText

/// Metadata in text chunks of PNG (ISO/IEC 15948, 11.3.4), as ImageMagick writes it:
/// the keyword `Raw profile type` with a name, and as text the name, a length and bytes in hexadecimal digits.
struct PNGProfiles {
  /// A block that begins like a TIFF file.
  private(set) var exif: [UInt8]?
  private(set) var xmp: [UInt8]?
  /// Photoshop's image resources.
  private(set) var iptc: [UInt8]?

  private static let keyword = Array("Raw profile type ".utf8)
  /// The longest text that is read. Metadata of real images is far below it.
  private static let maximumText = 8 << 20
  /// How many texts are read at most, including damaged ones. No program writes more than one of a kind.
  private static let maximumChunks = 16

  /// The first of each kind counts. Others, and unknown ones, are not even inflated: a file may have thousands.
  init(_ bytes: UnsafeRawBufferPointer) {
    guard let chunks = PNGContainer.chunks(of: bytes) else { return }
    var budget = Self.maximumChunks
    for chunk in chunks where ["tEXt", "zTXt"].contains(chunk.name) {
      guard bytes[chunk.body].starts(with: Self.keyword),
        let end = bytes[chunk.body].firstIndex(of: 0), chunk.body.count <= Self.maximumText
      else { continue }
      let name = String(
        decoding: bytes[chunk.body.lowerBound + Self.keyword.count..<end], as: UTF8.self
      ).lowercased()
      guard isMissing(name) else { continue }
      guard budget > 0 else { return }
      budget -= 1
      let text = Array(bytes[end + 1..<chunk.body.upperBound])
      guard let text = chunk.name == "tEXt" ? text : Self.inflated(text),
        let content = Self.content(of: text)
      else { continue }
      take(content, name)
    }
  }

  /// Whether a profile of this name may have something that is not here yet.
  private func isMissing(_ name: String) -> Bool {
    switch name {
    case "exif": exif == nil
    case "app1": exif == nil || xmp == nil
    case "xmp": xmp == nil
    case "iptc", "8bim": iptc == nil
    default: false
    }
  }

  private mutating func take(_ content: [UInt8], _ name: String) {
    switch name {
    case "exif", "app1":
      if content.starts(with: JPEGContainer.xmpMark) {
        xmp = xmp ?? Array(content.dropFirst(JPEGContainer.xmpMark.count))
      } else {
        let isMarked = content.starts(with: JPEGContainer.exifMark)
        exif = exif ?? (isMarked ? Array(content.dropFirst(JPEGContainer.exifMark.count)) : content)
      }
    case "xmp": xmp = content
    default:
      // A bare record of IPTC begins with the mark of a dataset.
      let isComplete = content.starts(with: IPTCBlock.signature) || content.first == 0x1C
      iptc = isComplete ? content : IPTCBlock.signature + content
    }
  }

  /// A line with the name, one with the number of bytes, then their digits in lines of 72.
  private static func content(of text: [UInt8]) -> [UInt8]? {
    let lines = text.split(separator: UInt8(ascii: "\n"), maxSplits: 2)
    guard lines.count == 3,
      let count = Int(String(decoding: lines[1].filter { $0 != UInt8(ascii: " ") }, as: UTF8.self))
    else { return nil }
    let digits = String(decoding: lines[2].filter { $0 != UInt8(ascii: "\n") }, as: UTF8.self)
    let content = Hexadecimal.decode(digits)
    return count > 0 && content?.count == count ? content : nil
  }

  /// The text of `zTXt`: the number of the method, which is 0, then a stream of zlib.
  private static func inflated(_ packed: [UInt8]) -> [UInt8]? {
    guard packed.first == 0 else { return nil }
    let inflate = Inflate()
    var buffer = [UInt8](repeating: 0, count: 1 << 16)
    var (text, offset): ([UInt8], Int) = ([], 1)
    while true {
      guard let step = try? inflate.step(packed.span.extracting(offset...), into: &buffer),
        step.hasEnded || step.consumed + step.produced > 0,
        text.count + step.produced <= maximumText
      else { return nil }
      text += buffer[..<step.produced]
      offset += step.consumed
      if step.hasEnded { return text }
    }
  }
}
