internal import TesseraPlan
internal import TesseraWorkers

/// Makes the files of a source that have its gain map: cropped and reduced as the image is.
struct GainMapOutput {
  private let metadata: GainMapMetadata
  /// The image in its own colours, which the map is for.
  private var image: Pyramid
  private var map: Pyramid
  private let source: Size
  /// How many samples of the map a pixel of the source has along a side.
  private let density: Double

  /// - Parameter frame: the decoded image, in its own colours.
  init(_ gainMap: GainMap, _ frame: Raster, base: Size, source: Size) {
    metadata = gainMap.metadata
    image = Pyramid([frame], base: base, source: source)
    let size = Size(gainMap.image.width, gainMap.image.height)
    map = Pyramid([gainMap.image], base: size, source: source)
    self.source = source
    density = Double(size.longerSide) / Double(source.longerSide)
  }

  /// Of the map. It is smooth, and an error in it is multiplied.
  private static let quality = 90

  /// - Parameter crop: with its place.
  mutating func bytes(of file: PlannedFile, crop: Crop?) throws(TranscodeFailure) -> [UInt8] {
    var file = file
    file.crop = crop
    let frames: (image: [Raster], map: [Raster])
    let small = PlannedFile(
      crop: crop, size: mapSize(of: file),
      encoding: Encoding(
        format: .jpeg, quality: Self.quality, effort: nil, background: nil, isAnimated: false),
      fallback: nil)
    do throws(VipsError) {
      frames = (try image.frames(for: file), try map.frames(for: small))
    } catch {
      throw TranscodeFailure(decoding: error)
    }
    let bytes = GainMapFile.bytes(
      image: try Encoder.encode(frames.image, as: file),
      map: try Encoder.encode(frames.map, as: small), metadata)
    guard let bytes else {
      throw TranscodeFailure(.encode, "the gain map could not be put beside its image")
    }
    return bytes
  }

  /// Half the image's, at most as many samples as there are.
  private func mapSize(of file: PlannedFile) -> Size {
    let shown = file.crop?.size ?? source
    func side(_ length: Int, _ shown: Int) -> Int {
      max(1, min((length + 1) / 2, Int((Double(shown) * density).rounded(.down))))
    }
    return Size(side(file.size.width, shown.width), side(file.size.height, shown.height))
  }
}

/// Makes a JPEG file with a gain map: both images one after the other, which Multi-Picture Format (CIPA DC-007), the
/// packets of Ultra HDR 1.1 and the blocks of ISO 21496-1 describe. A program that knows none of them shows the first.
enum GainMapFile {
  /// - Parameters:
  ///   - image: a JPEG file, as ``JPEGContainer/clean(_:keeping:)`` returns it.
  ///   - map: likewise, without metadata.
  /// - Returns: nil if they cannot be read.
  static func bytes(image: [UInt8], map: [UInt8], _ metadata: GainMapMetadata) -> [UInt8]? {
    guard map.starts(with: [0xFF, 0xD8]),
      let place = image.withUnsafeBytes({ JPEGContainer.endOfApplicationSegments($0) }),
      let packet = JPEGContainer.applicationSegment(1, JPEGContainer.xmpMark, metadata.packet),
      let block = JPEGContainer.applicationSegment(2, JPEGContainer.gainMapMark, metadata.block)
    else { return nil }
    let second = map[..<2] + packet + block + map[2...]
    guard
      let directory = JPEGContainer.applicationSegment(
        1, JPEGContainer.xmpMark, GainMapMetadata.packetOfImage(mapLength: second.count)),
      // The version alone: the values are with the map.
      let version = JPEGContainer.applicationSegment(2, JPEGContainer.gainMapMark, [0, 0, 0, 0])
    else { return nil }
    let head = image[..<place] + directory + version
    let length = head.count + imageList(first: 0, second: 0, offset: 0).count + image.count - place
    // Offsets are counted from behind the segment's mark.
    let list = imageList(
      first: length, second: second.count, offset: length - head.count - 4 - listMark.count)
    return head + list + image[place...] + second
  }

  private static let listMark = Array("MPF\0".utf8)

  /// The segment that lists both images (CIPA DC-007, 5.2): lengths in bytes, and where the second one begins.
  private static func imageList(first: Int, second: Int, offset: Int) -> [UInt8] {
    func field(_ tag: UInt16, _ type: UInt16, _ count: UInt32, _ value: [UInt8]) -> [UInt8] {
      tag.bigEndianBytes + type.bigEndianBytes + count.bigEndianBytes + value
    }
    func entry(_ attributes: UInt32, _ length: Int, _ offset: Int) -> [UInt8] {
      attributes.bigEndianBytes + UInt32(truncatingIfNeeded: length).bigEndianBytes
        + UInt32(truncatingIfNeeded: offset).bigEndianBytes + [0, 0, 0, 0]
    }
    let entries = entry(0x030000, first, 0) + entry(0, second, offset)
    // Behind the header of 8 bytes and a directory of three fields.
    let entriesOffset: UInt32 = 8 + 2 + 3 * 12 + 4
    let block =
      Array("MM\0*".utf8) + UInt32(8).bigEndianBytes + UInt16(3).bigEndianBytes
      + field(0xB000, 7, 4, Array("0100".utf8))
      + field(0xB001, 4, 1, UInt32(2).bigEndianBytes)
      + field(0xB002, 7, UInt32(entries.count), entriesOffset.bigEndianBytes)
      + UInt32(0).bigEndianBytes + entries
    return JPEGContainer.applicationSegment(2, listMark, block) ?? []
  }
}
