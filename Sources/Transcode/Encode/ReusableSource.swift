internal import TesseraImageHeader
internal import TesseraPlan
internal import TesseraWorkers

/// A source whose own encoded image may serve as an output, with cleaned metadata: encoded again at
/// its own size and format it could be larger, and would be worse.
struct ReusableSource {
  private let source: SourceData
  private let format: String
  private let size: Size
  private let isAnimated: Bool

  init(_ source: SourceData, _ job: TranscodeJob, _ facts: SourceFacts) {
    self.source = source
    format = job.format
    size = facts.size
    isAnimated = facts.frames > 1
  }

  /// The source's image with the metadata of an encoded result. Nil unless it is smaller than the
  /// result and shows the same.
  func smaller(
    than result: [UInt8], as file: PlannedFile
  ) -> [UInt8]? {
    guard file.crop == nil, file.size == size, file.encoding.format.rawValue == format,
      file.encoding.isAnimated == isAnimated, !file.encoding.hasGainMap
    else { return nil }
    let copy = result.withUnsafeBytes {
      OutputContainer.image(of: source.bytes, withMetadataOf: $0, file.encoding.format)
    }
    guard let copy, copy.count < result.count, file.matches(copy.span) else { return nil }
    return copy
  }
}

extension PlannedFile {
  /// Whether a file's header states the planned format and size.
  func matches(_ bytes: Span<UInt8>) -> Bool {
    guard case .header(let header) = ImageHeader.read(bytes, isWhole: true) else { return false }
    return header.format.rawValue == encoding.format.rawValue
      && header.width == size.width && header.height == size.height
  }
}
