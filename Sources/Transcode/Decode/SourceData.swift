internal import TesseraImageHeader
internal import TesseraPlan
internal import TesseraWorkers

/// The bytes of one source in memory.
///
/// The bytes must stay until every raster that was loaded from them is gone: libvips reads them when
/// pixels are needed.
package struct SourceData {
  let bytes: UnsafeRawBufferPointer

  package init(_ bytes: UnsafeRawBufferPointer) { self.bytes = bytes }

  /// Up to `count` bytes from `offset`; fewer where the source ends.
  func read(_ count: Int, at offset: Int) -> [UInt8] {
    guard offset >= 0, offset < bytes.count else { return [] }
    return Array(bytes[offset...].prefix(count))
  }

  /// What our own reader finds in the file's header.
  var header: ImageHeader? {
    if case .header(let header) = ImageHeader.read(span, isWhole: true) { header } else { nil }
  }

  /// The bytes with what our reader of headers changes in them; nil if it changes nothing.
  func edited() -> [UInt8]? {
    guard let edits = header?.coded.edits, !edits.isEmpty else { return nil }
    var result: [UInt8] = []
    var done = 0
    for edit in edits.sorted(by: { $0.range.lowerBound < $1.range.lowerBound }) {
      guard edit.range.lowerBound >= done, edit.range.upperBound <= bytes.count else { continue }
      result += bytes[done..<edit.range.lowerBound]
      result += edit.bytes
      done = edit.range.upperBound
    }
    return result + bytes[done...]
  }

  var span: Span<UInt8> {
    @_lifetime(borrow self)
    get {
      // The bytes outlive the value, as its contract says.
      let span = Span<UInt8>(_unsafeBytes: bytes)
      return _overrideLifetime(span, borrowing: self)
    }
  }
}

/// Checks of a source's structure before libvips opens it: defects that libvips accepts, or rejects
/// too late.
enum StructureCheck {
  /// More scans than any camera or program writes. Each costs a pass over the whole image: a JPEG
  /// of 64 megapixels with 10,000 scans takes over 40 s.
  private static let maximumScans = 100

  static func run(
    _ source: SourceData, _ job: TranscodeJob, _ format: ImageFormat, _ failOn: FailOn
  ) throws(TranscodeFailure) {
    // libvips fills the missing rows of a truncated GIF and reports nothing.
    if format == .gif, failOn != .none, !GIFStructure.isWhole(source.span) {
      throw TranscodeFailure(.decode, "the image could not be decoded: the GIF file is truncated")
    }
    if format == .avif, source.header?.coded.hasLayers == true {
      throw TranscodeFailure(
        .decode,
        "the image could not be decoded: AVIF that names one of several layers is not supported")
    }
    if format == .jpeg, JPEGStructure.scans(source.span, limit: maximumScans + 1) > maximumScans {
      throw TranscodeFailure(
        .tooManyScans,
        "the JPEG has more than \(maximumScans) scans, each of which costs a full decode")
    }
    // libwebpdemux walks over all frames to find the next one: without this check, a file of 2.3 MB
    // with 50,000 frames took eight seconds to be rejected.
    let limit = job.maximumFrames
    if format == .webp, WebPStructure.frames(source.span, limit: limit + 1) > limit {
      throw .tooManyFrames("more than \(limit)", limit: limit)
    }
  }
}

extension TranscodeFailure {
  static func tooManyFrames(_ count: String, limit: Int) -> TranscodeFailure {
    TranscodeFailure(
      .tooManyFrames, "the image has \(count) frames; limits.frames allows \(limit)")
  }
}
