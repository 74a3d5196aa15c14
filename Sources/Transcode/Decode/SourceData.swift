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

  var span: Span<UInt8> {
    @_lifetime(borrow self)
    get {
      // The bytes outlive the value, as its contract says.
      let span = Span<UInt8>(_unsafeBytes: bytes)
      return _overrideLifetime(span, borrowing: self)
    }
  }
}
