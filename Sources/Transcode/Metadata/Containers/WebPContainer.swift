private import TesseraCWebPMux
internal import TesseraPlan

/// The container of a WebP file (RFC 9649), through libwebp's mux library.
enum WebPContainer {
  /// Removes Exif, XMP and ICC chunks that are not to be kept. libvips 8.14.1 writes an Exif block
  /// into every WebP file, even with its `strip` option. If nothing else is left, the library
  /// writes a still image without alpha in the simple file format.
  ///
  /// Returns nil if the library cannot read the container.
  static func clean(
    _ bytes: UnsafeRawBufferPointer, keeping kept: MetadataPolicy = .strip
  ) -> [UInt8]? {
    guard let mux = opened(bytes) else { return nil }
    defer { WebPMuxDelete(mux) }
    for chunk in metadata where !kept.contains(chunk.kind) {
      // "Not found" is as good as deleted.
      let result = WebPMuxDeleteChunk(mux, chunk.name)
      guard result == WEBP_MUX_OK || result == WEBP_MUX_NOT_FOUND else { return nil }
    }
    dropExifPrefix(mux)
    return assembled(mux)
  }

  /// A source's frames with the metadata of a result. Nil if the library cannot read one of them.
  ///
  /// - Parameter result: a file as ``clean(_:keeping:)`` returns it.
  static func image(
    of source: UnsafeRawBufferPointer, withMetadataOf result: UnsafeRawBufferPointer
  ) -> [UInt8]? {
    guard let mux = opened(source) else { return nil }
    defer { WebPMuxDelete(mux) }
    guard let other = opened(result) else { return nil }
    defer { WebPMuxDelete(other) }
    // A new file, because the library would copy unknown chunks of the source.
    guard let copy = WebPMuxNew() else { return nil }
    defer { WebPMuxDelete(copy) }
    guard copyFrames(from: mux, to: copy) else { return nil }
    for name in metadata.map(\.name) {
      var chunk = WebPData()
      guard WebPMuxGetChunk(other, name, &chunk) == WEBP_MUX_OK else { continue }
      // 1: copied, because the chunk's bytes belong to `other`.
      guard WebPMuxSetChunk(copy, name, &chunk, 1) == WEBP_MUX_OK else { return nil }
    }
    return assembled(copy)
  }

  private static let metadata: [(name: String, kind: MetadataPolicy)] = [
    ("EXIF", .exif), ("XMP ", .xmp), ("ICCP", .icc),
  ]

  private static func copyFrames(from source: OpaquePointer, to result: OpaquePointer) -> Bool {
    var parameters = WebPMuxAnimParams()
    let isAnimated = WebPMuxGetAnimationParams(source, &parameters) == WEBP_MUX_OK
    var (width, height, count): (Int32, Int32, Int32) = (0, 0, 1)
    if isAnimated {
      guard WebPMuxNumChunks(source, WEBP_CHUNK_ANMF, &count) == WEBP_MUX_OK, count > 0,
        WebPMuxGetCanvasSize(source, &width, &height) == WEBP_MUX_OK,
        WebPMuxSetAnimationParams(result, &parameters) == WEBP_MUX_OK,
        WebPMuxSetCanvasSize(result, width, height) == WEBP_MUX_OK
      else { return false }
    }
    for number in 1...UInt32(count) {
      var frame = WebPMuxFrameInfo()
      guard WebPMuxGetFrame(source, number, &frame) == WEBP_MUX_OK else { return false }
      // WebPMuxGetFrame allocates a copy, which its caller has to free.
      defer { WebPDataClear(&frame.bitstream) }
      let copied =
        isAnimated
        ? WebPMuxPushFrame(result, &frame, 1) : WebPMuxSetImage(result, &frame.bitstream, 1)
      guard copied == WEBP_MUX_OK else { return false }
    }
    return true
  }

  private static func opened(_ bytes: UnsafeRawBufferPointer) -> OpaquePointer? {
    guard bytes.count >= 12 else { return nil }
    // Cut at the length that the RIFF header states: the library rejects some kinds of trailing
    // bytes.
    let stated = (4..<8).reversed().reduce(0) { $0 << 8 | Int(bytes[$1]) }
    var input = WebPData(
      bytes: bytes.baseAddress?.assumingMemoryBound(to: UInt8.self),
      size: min(bytes.count, stated + stated % 2 + 8))
    // 0: not copied, because the caller's bytes outlive the mux.
    return WebPMuxCreateInternal(&input, 0, WEBP_MUX_ABI_VERSION)
  }

  private static func assembled(_ mux: OpaquePointer) -> [UInt8]? {
    var output = WebPData()
    guard WebPMuxAssemble(mux, &output) == WEBP_MUX_OK else { return nil }
    defer { WebPFree(UnsafeMutableRawPointer(mutating: output.bytes)) }
    return Array(UnsafeBufferPointer(start: output.bytes, count: output.size))
  }

  /// libvips begins the chunk with JPEG's mark ("Exif" and two zeros), which WebP does not have.
  private static func dropExifPrefix(_ mux: OpaquePointer) {
    let mark = JPEGContainer.exifMark
    var chunk = WebPData()
    guard WebPMuxGetChunk(mux, "EXIF", &chunk) == WEBP_MUX_OK, chunk.size > mark.count,
      UnsafeBufferPointer(start: chunk.bytes, count: mark.count).elementsEqual(mark)
    else { return }
    // Copied first: the chunk's bytes belong to the library, which replaces them here.
    var rest = Array(
      UnsafeBufferPointer(start: chunk.bytes, count: chunk.size).dropFirst(mark.count))
    rest.withUnsafeMutableBufferPointer { buffer in
      var data = WebPData(bytes: UnsafePointer(buffer.baseAddress), size: buffer.count)
      _ = WebPMuxSetChunk(mux, "EXIF", &data, 1)
    }
  }
}
