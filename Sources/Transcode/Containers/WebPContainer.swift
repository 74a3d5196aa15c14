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

  /// One file's frames with another's metadata.
  ///
  /// - Parameter described: a file as ``clean(_:keeping:)`` leaves it.
  static func picture(
    of source: UnsafeRawBufferPointer, describedAs described: UnsafeRawBufferPointer
  ) -> [UInt8]? {
    guard let mux = opened(source) else { return nil }
    defer { WebPMuxDelete(mux) }
    guard let other = opened(described) else { return nil }
    defer { WebPMuxDelete(other) }
    // Built anew, since the library takes along chunks that it does not know.
    guard let result = WebPMuxNew() else { return nil }
    defer { WebPMuxDelete(result) }
    guard copyFrames(from: mux, to: result) else { return nil }
    for name in metadata.map(\.name) {
      var chunk = WebPData()
      guard WebPMuxGetChunk(other, name, &chunk) == WEBP_MUX_OK else { continue }
      guard WebPMuxSetChunk(result, name, &chunk, 1) == WEBP_MUX_OK else { return nil }
    }
    return assembled(result)
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
    // What stands behind the end is not the library's: it refuses some of it.
    let told = (4..<8).reversed().reduce(0) { $0 << 8 | Int(bytes[$1]) }
    var input = WebPData(
      bytes: bytes.baseAddress?.assumingMemoryBound(to: UInt8.self),
      size: min(bytes.count, told + told % 2 + 8))
    return WebPMuxCreateInternal(&input, 0, WEBP_MUX_ABI_VERSION)
  }

  private static func assembled(_ mux: OpaquePointer) -> [UInt8]? {
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
