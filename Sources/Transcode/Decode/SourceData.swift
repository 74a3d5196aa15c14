internal import TesseraImageHeader

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
