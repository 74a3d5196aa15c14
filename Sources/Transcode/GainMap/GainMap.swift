internal import Glibc
internal import TesseraCVips
internal import TesseraImageHeader
internal import TesseraPlan
internal import TesseraWorkers

/// The gain map of a JPEG file: a second image behind the first, which says how much brighter each part of that is on a
/// screen of high dynamic range (ISO 21496-1; Ultra HDR 1.1; Apple's maps).
struct GainMap {
  let metadata: GainMapMetadata
  /// Turned as its image, in memory: grey, or red, green and blue, in 8 bits.
  let image: Raster

  /// Nil if there is none, or none that can be used.
  ///
  /// - Parameter orientation: of the image, which is that of the map, too.
  init?(of source: SourceData, _ job: TranscodeJob, orientation: Int) {
    guard let end = JPEGContainer.end(of: source.bytes),
      Self.isPromised(by: UnsafeRawBufferPointer(rebasing: source.bytes[..<end]))
    else { return nil }
    var rest = UnsafeRawBufferPointer(rebasing: source.bytes[end...])
    for _ in 0..<Self.mostImages {
      guard let start = Self.nextImage(in: rest) else { return nil }
      let image = UnsafeRawBufferPointer(rebasing: rest[start...])
      let length = JPEGContainer.end(of: image) ?? Self.startMark.count
      let whole = UnsafeRawBufferPointer(rebasing: image[..<min(length, image.count)])
      if let described = Self.description(of: whole) {
        guard
          let decoded = Self.decode(
            SourceData(whole), job, described.curve, orientation: orientation)
        else { return nil }
        (metadata, self.image) = (described.metadata, decoded)
        return
      }
      rest = UnsafeRawBufferPointer(rebasing: image[min(length, image.count)...])
    }
    return nil
  }

  /// More images than any camera puts into one file.
  private static let mostImages = 16

  private static let startMark: [UInt8] = [0xFF, 0xD8, 0xFF]

  private static func nextImage(in bytes: UnsafeRawBufferPointer) -> Int? {
    guard let base = bytes.baseAddress else { return nil }
    var offset = 0
    while offset < bytes.count, let found = memchr(base + offset, 0xFF, bytes.count - offset) {
      offset = UnsafeRawPointer(found) - base
      if bytes[offset...].starts(with: startMark) { return offset }
      offset += 1
    }
    return nil
  }

  /// Whether the first image says that others follow.
  private static func isPromised(by image: UnsafeRawBufferPointer) -> Bool {
    [Array("MPF\0".utf8), JPEGContainer.gainMapMark].contains {
      !JPEGContainer.blocks(after: $0, inApplicationSegments: 2, of: image).isEmpty
    }
      || JPEGContainer.blocks(
        after: JPEGContainer.xmpMark, inApplicationSegments: 1, of: image
      ).contains { !XMPProperty("hdrgm:Version").values(in: $0).isEmpty }
  }

  private static func description(
    of image: UnsafeRawBufferPointer
  ) -> (metadata: GainMapMetadata, curve: [UInt8]?)? {
    let blocks = JPEGContainer.blocks(
      after: JPEGContainer.gainMapMark, inApplicationSegments: 2, of: image)
    // The first image has a block of four bytes.
    if let block = blocks.first, block.count > 4 {
      return GainMapMetadata(block: block).map { ($0, nil) }
    }
    for packet in JPEGContainer.blocks(
      after: JPEGContainer.xmpMark, inApplicationSegments: 1, of: image)
    {
      if let metadata = GainMapMetadata(packet: packet) { return (metadata, nil) }
      if let apple = GainMapMetadata.apple(packet: packet) { return apple }
    }
    return nil
  }

  /// Nil if the map is damaged in any way: its image is whole without it.
  private static func decode(
    _ source: SourceData, _ job: TranscodeJob, _ curve: [UInt8]?, orientation: Int
  ) -> Raster? {
    do {
      try StructureCheck.run(source, job, .jpeg, .error)
      let opened = try Raster.load(source, format: .jpeg)
      let bands = vips_image_get_bands(opened.handle)
      // One that is larger than its image is not a gain map.
      guard opened.isEightBit, bands == 1 || bands == 3,
        opened.width * opened.height <= job.expected.size.area
      else { return nil }
      let decoded = try opened.inMemory()
      if let curve, let samples = decoded.handle.pointee.data {
        for place in 0..<decoded.width * decoded.height * Int(bands) {
          samples[place] = curve[Int(samples[place])]
        }
      }
      return try decoded.marked(orientation: orientation).turnedUpright().inMemory()
    } catch {
      return nil
    }
  }
}
