internal import TesseraCPixels
internal import TesseraCVips
internal import TesseraPlan
internal import TesseraText
internal import TesseraWorkers

/// The images in memory that outputs are made from: the decoded image and its halves, quarters and
/// so on, as far as they are needed.
///
/// Which level an output is made from depends on the source, the base and the output alone, never
/// on the other outputs of the job. So the same output always has the same bytes.
struct Pyramid {
  /// Uncropped images, each half as large as the one before. A level holds all frames.
  private var levels: [[Raster]]
  /// The size of the decoded image.
  private let base: Size
  /// The displayed size of the source.
  private let source: Size

  /// The frames of the previous output: the next one often differs only in its format.
  private var last: (crop: Crop?, size: Size, frames: [Raster])?
  /// Crops that were placed by the image's content, with their position.
  private var found: [Crop: Crop] = [:]

  init(_ frames: [Raster], base: Size, source: Size) {
    levels = [frames]
    self.base = base
    self.source = source
  }

  /// The frames of an output, computed and in memory.
  ///
  /// They are a level themselves, or are made from the smallest level that is still at least twice
  /// as large. Shrinking a well-shrunk image by two or more loses nothing; shrinking it by less
  /// would blur it twice.
  mutating func frames(for file: PlannedFile) throws(VipsError) -> [Raster] {
    let count = file.encoding.isAnimated ? levels[0].count : 1
    if let last, last.crop == file.crop, last.size == file.size, last.frames.count >= count {
      return Array(last.frames.prefix(count))
    }
    let shown = file.crop?.size ?? source
    let origin = try level(
      levelNumber(equalTo: file) ?? levelNumber(for: file.size, of: shown))
    var parts = Array(origin.prefix(count))
    if let crop = file.crop {
      let place = try place(of: crop)
      for index in parts.indices {
        parts[index] = try parts[index].part(crop.size, at: place, of: source)
      }
    }
    var frames: [Raster] = []
    for (frame, part) in zip(origin, parts) {
      let resized = try part.resized(width: file.size.width, height: file.size.height)
      frames.append(resized === frame ? frame : try resized.inMemory())
    }
    last = (file.crop, file.size, frames)
    return frames
  }

  /// The size of the uncropped image with its longer side reduced to `longest` pixels; never
  /// enlarged.
  func size(fitting longest: Int) -> Size {
    let longer = base.longerSide
    guard longer > longest else { return base }
    func side(_ length: Int) -> Int { max(1, (2 * length * longest + longer) / (2 * longer)) }
    return Size(side(base.width), side(base.height))
  }

  // MARK: Crops

  /// The longer side of the smallest level in which a crop is placed by content: what makes a part
  /// interesting still shows at this size.
  private static let searchedLength = 256

  /// The crop with its place, which may have to be found.
  mutating func placed(_ crop: Crop) throws(VipsError) -> Crop {
    let (x, y) = try place(of: crop)
    return Crop(x: x, y: y, size: crop.size)
  }

  /// The origin of a crop, in the source's pixels.
  private mutating func place(of crop: Crop) throws(VipsError) -> (x: Int, y: Int) {
    let interest: Interest
    switch crop.place {
    case .at(let x, let y): return (x, y)
    case .found(let strategy): interest = strategy
    }
    if let known = found[crop], case .at(let x, let y) = known.place { return (x, y) }
    var number = 0
    while levelSize(number + 1).longerSide >= Self.searchedLength { number += 1 }
    let image = try level(number)[0]
    let size = crop.size.scaled(from: source, to: image)
    let origin = try image.interestingPart(
      width: size.width, height: size.height, byEntropy: interest == .entropy)
    func inSource(_ offset: Int, _ part: Int, _ whole: Int, _ seen: Int) -> Int {
      min(whole - part, max(0, Int((Double(offset) * Double(whole) / Double(seen)).rounded())))
    }
    let x = inSource(origin.x, crop.size.width, source.width, image.width)
    let y = inSource(origin.y, crop.size.height, source.height, image.height)
    found[crop] = Crop(x: x, y: y, size: crop.size)
    return (x, y)
  }

  // MARK: Levels

  /// The level that already is the output's image: most are if sizes are rounded to powers of two.
  private func levelNumber(equalTo file: PlannedFile) -> Int? {
    guard file.crop == nil else { return nil }
    var number = 0
    while levelSize(number).longerSide > file.size.longerSide { number += 1 }
    return levelSize(number) == file.size ? number : nil
  }

  private func levelNumber(for size: Size, of shown: Size) -> Int {
    var number = 0
    // While the part of the next level that shows `shown` is at least twice as long as the result.
    while levelSize(number + 1).longerSide * shown.longerSide
      >= 2 * size.longerSide * source.longerSide
    {
      number += 1
    }
    return number
  }

  private func levelSize(_ number: Int) -> Size {
    Size(max(1, base.width >> number), max(1, base.height >> number))
  }

  private mutating func level(_ number: Int) throws(VipsError) -> [Raster] {
    while levels.count <= number {
      let size = levelSize(levels.count)
      var frames: [Raster] = []
      for frame in levels[levels.count - 1] {
        frames.append(try frame.resized(width: size.width, height: size.height).inMemory())
      }
      levels.append(frames)
    }
    return levels[number]
  }
}

extension Raster {
  /// A part of this reduced image, given in the source's pixels.
  fileprivate func part(
    _ size: Size, at place: (x: Int, y: Int), of source: Size
  ) throws(VipsError) -> Raster {
    let horizontal = Double(width) / Double(source.width)
    let vertical = Double(height) / Double(source.height)
    let left = min(width - 1, Int((Double(place.x) * horizontal).rounded()))
    let top = min(height - 1, Int((Double(place.y) * vertical).rounded()))
    let size = size.scaled(from: source, to: self)
    return try extracted(
      x: left, y: top, width: min(width - left, size.width),
      height: min(height - top, size.height))
  }
}

extension Size {
  /// A size in the source's pixels, converted to the pixels of a reduced image; at most that
  /// image's size.
  fileprivate func scaled(from source: Size, to image: Raster) -> Size {
    func side(_ part: Int, _ whole: Int, _ seen: Int) -> Int {
      max(1, min(seen, Int((Double(part) * Double(seen) / Double(whole)).rounded())))
    }
    return Size(
      side(width, source.width, image.width), side(height, source.height, image.height))
  }
}

/// What a client draws until a file has loaded.
extension Pyramid {
  /// Placeholders, from the first frame of the uncropped image; none if no kind is configured.
  mutating func placeholders(_ kinds: [Placeholders.Kind]) throws(VipsError) -> Placeholders {
    guard !kinds.isEmpty else { return Placeholders() }
    // All from one small image in sRGB: the base may be in the source's own profile.
    let small = try uncropped(Thumbnail.longestSide).onScreen().inMemory()
    let thumbnail = Thumbnail(
      width: small.width, height: small.height, samples: try small.samples())
    var placeholders = Placeholders()
    for kind in Placeholders.Kind.allCases where kind == .color || kinds.contains(kind) {
      placeholders[kind] = try placeholder(kind, small, thumbnail)
    }
    return placeholders
  }

  /// Nil if the image has none of the kind.
  private func placeholder(
    _ kind: Placeholders.Kind, _ small: Raster, _ thumbnail: Thumbnail
  ) throws(VipsError) -> String? {
    switch kind {
    case .color:
      return DominantColour.of(thumbnail).map {
        Colour(red: $0.red, green: $0.green, blue: $0.blue).hexadecimal
      }
    case .thumbhash: return Base64.encode(ThumbHash.encode(thumbnail))
    case .blurhash: return BlurHash.encode(thumbnail)
    case .css: return String(CSSPlaceholder.encode(thumbnail))
    }
  }

  /// The first frame, with its longer side reduced to `longest` pixels.
  private mutating func uncropped(_ longest: Int) throws(VipsError) -> Raster {
    // Only the size matters: frames do not depend on the encoding, but for animation.
    let encoding = Encoding(
      format: .webp, quality: nil, effort: nil, background: nil, isAnimated: false)
    let file = PlannedFile(
      crop: nil, size: size(fitting: longest), encoding: encoding, fallback: nil)
    return try frames(for: file)[0]
  }
}

/// Resizing with our own resampler, which has none of the fixed cost of an operation of libvips.
extension Raster {
  /// Rows of the source that libvips computes at a time.
  private static let strip = 16

  /// Whether ``resampled(width:height:)`` can make this size of it.
  func canBeResampled(width: Int, height: Int) -> Bool {
    let bands = vips_image_get_bands(handle)
    let most = Resampling.mostReduction
    return isEightBit && vips_image_get_coding(handle) == VIPS_CODING_NONE
      && (hasAlpha ? bands == 2 || bands == 4 : bands == 1 || bands == 3)
      && width * most >= self.width && height * most >= self.height
  }

  /// Resized to exactly this size with a Lanczos kernel, in memory. Alpha is taken into account.
  ///
  /// All rows are read, from the top down: an error of the decoder is thrown here.
  func resampled(width: Int, height: Int) throws(VipsError) -> Raster {
    let result = try blank(width: width, height: height)
    guard let samples = result.handle.pointee.data else { throw VipsError.current() }
    let bands = vips_image_get_bands(handle)
    guard
      let resampler = tessera_image_resampler_new(
        Int32(self.width), Int32(self.height), bands, Int32(width),
        Int32(height), samples)
    else { throw .memory }
    defer { tessera_image_resampler_end(resampler) }
    try forEachRow { tessera_image_resampler_add(resampler, $0, bands) }
    return result
  }

  /// Calls `body` with the samples of each row, from the top down.
  private func forEachRow(_ body: (UnsafePointer<UInt8>) -> Void) throws(VipsError) {
    if let samples = handle.pointee.data {
      let length = width * Int(vips_image_get_bands(handle))
      for row in 0..<height { body(samples + row * length) }
      return
    }
    guard let region = vips_region_new(handle) else { throw VipsError.current() }
    defer { g_object_unref(region) }
    for top in stride(from: 0, to: height, by: Self.strip) {
      let count = min(Self.strip, height - top)
      var area = VipsRect(left: 0, top: Int32(top), width: Int32(width), height: Int32(count))
      guard vips_region_prepare(region, &area) == 0 else { throw VipsError.current() }
      let length = Int(region.pointee.bpl)
      let first = region.pointee.data + length * (top - Int(region.pointee.valid.top))
      for row in 0..<count { body(first + row * length) }
    }
  }
}

/// What our own resampler can do.
enum Resampling {
  /// A kernel covers six times this many rows, which are in memory.
  static let mostReduction = 16
}
