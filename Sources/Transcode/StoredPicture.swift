internal import TesseraImageHeader
internal import TesseraPlan
internal import TesseraSystem
internal import TesseraWire

/// A source whose picture may be used as it is stored: encoded again in its own size and format it might be
/// larger, and would be worse.
struct StoredPicture {
  private let path: String
  private let format: String
  private let size: Size
  private let isAnimated: Bool

  init(_ job: TranscodeJob, _ facts: SourceFacts) {
    path = job.source
    format = job.format
    size = facts.size
    isAnimated = facts.frames > 1
  }

  /// The stored picture with a result's metadata, where that is smaller than the result and shows the same.
  func smaller(
    than result: [UInt8], as file: PlannedFile
  ) throws(SystemError) -> [UInt8]? {
    guard file.crop == nil, file.size == size, file.encoding.format.rawValue == format,
      file.encoding.isAnimated == isAnimated
    else { return nil }
    let source = try FileSystem.read(path, limit: 1 << 31)
    let copy = source.withUnsafeBytes { stored in
      result.withUnsafeBytes {
        Containers.picture(of: stored, describedAs: $0, file.encoding.format)
      }
    }
    guard let copy, copy.count < result.count, file.isMet(by: copy.span) else { return nil }
    return copy
  }
}

extension PlannedFile {
  /// Whether a file begins like the one that was asked for.
  func isMet(by bytes: Span<UInt8>) -> Bool {
    guard case .header(let header) = ImageHeader.read(bytes, isWhole: true) else { return false }
    return header.format.rawValue == encoding.format.rawValue
      && header.width == size.width && header.height == size.height
  }
}
