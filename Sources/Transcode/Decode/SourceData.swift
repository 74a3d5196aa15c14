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

  var span: Span<UInt8> {
    @_lifetime(borrow self)
    get {
      // The bytes outlive the value, as its contract says.
      let span = Span<UInt8>(_unsafeBytes: bytes)
      return _overrideLifetime(span, borrowing: self)
    }
  }
}
