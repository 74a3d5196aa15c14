private import TesseraCWebPMux
internal import TesseraPlan

/// The container of an encoded WebP file (RFC 9649), through libwebp's own mux library.
enum WebPContainer {
  /// Removes Exif, XMP and ICC chunks that are not to be kept. libvips 8.14.1 writes an Exif block into
  /// every WebP file, whatever it is told. A still picture without alpha ends as the simple file format,
  /// which the library chooses by itself when nothing else is left.
  ///
  /// Returns nil where the library can't read the container.
  static func clean(
    _ bytes: UnsafeRawBufferPointer, keeping kept: MetadataPolicy = .strip
  ) -> [UInt8]? {
    var input = WebPData(
      bytes: bytes.baseAddress?.assumingMemoryBound(to: UInt8.self), size: bytes.count)
    guard let mux = WebPMuxCreateInternal(&input, 0, WEBP_MUX_ABI_VERSION) else { return nil }
    defer { WebPMuxDelete(mux) }
    let chunks: [(name: String, kind: MetadataPolicy)] = [
      ("EXIF", .exif), ("XMP ", .xmp), ("ICCP", .icc),
    ]
    for chunk in chunks where !kept.contains(chunk.kind) {
      // "Not found" is as good as deleted.
      let result = WebPMuxDeleteChunk(mux, chunk.name)
      guard result == WEBP_MUX_OK || result == WEBP_MUX_NOT_FOUND else { return nil }
    }
    dropExifPrefix(mux)
    var output = WebPData()
    guard WebPMuxAssemble(mux, &output) == WEBP_MUX_OK else { return nil }
    defer { WebPFree(UnsafeMutableRawPointer(mutating: output.bytes)) }
    return Array(UnsafeBufferPointer(start: output.bytes, count: output.size))
  }

  /// libvips begins the chunk as JPEG does ("Exif" and two zeros), which has no place in WebP.
  private static func dropExifPrefix(_ mux: OpaquePointer) {
    var chunk = WebPData()
    guard WebPMuxGetChunk(mux, "EXIF", &chunk) == WEBP_MUX_OK, chunk.size > 6,
      UnsafeBufferPointer(start: chunk.bytes, count: 6).elementsEqual([
        0x45, 0x78, 0x69, 0x66, 0, 0,
      ])
    else { return }
    var rest = WebPData(bytes: chunk.bytes + 6, size: chunk.size - 6)
    // The library copies the bytes before it lets go of the old ones.
    var copy = Array(UnsafeBufferPointer(start: rest.bytes, count: rest.size))
    copy.withUnsafeMutableBufferPointer { buffer in
      rest.bytes = UnsafePointer(buffer.baseAddress)
      _ = WebPMuxSetChunk(mux, "EXIF", &rest, 1)
    }
  }
}
