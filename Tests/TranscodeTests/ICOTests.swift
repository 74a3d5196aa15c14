import TesseraTestSupport
import Testing

@testable import TesseraTranscode

@Suite struct ICOTests {
  private struct Image {
    /// As the directory has them: 0 means 256.
    var width: Int
    var height: Int
    var content: [UInt8]
    /// Of the content, if it is not where it should be.
    var offset: Int?
  }

  private func icon(_ images: [Image]) -> [UInt8] {
    var bytes = little(0, 2) + little(1, 2) + little(images.count, 2)
    var offset = 6 + images.count * 16
    for image in images {
      bytes += [UInt8(image.width), UInt8(image.height), 0, 0] + little(1, 2) + little(99, 2)
      bytes += little(image.content.count, 4) + little(image.offset ?? offset, 4)
      offset += image.content.count
    }
    return bytes + images.flatMap(\.content)
  }

  private func decoded(_ file: [UInt8], maximumPixels: Int = 1_000) -> (String, [UInt8]) {
    do throws(BitmapError) {
      switch try ICODecoder.decode(file.span, maximumPixels: maximumPixels) {
      case .bitmap(let bitmap):
        return ("\(bitmap.width) x \(bitmap.height) x \(bitmap.bands)", bitmap.samples)
      case .png(let bytes): return ("png", bytes)
      }
    } catch {
      return (error.reason, [])
    }
  }

  /// An image of one pixel in 24 bits, and its mask. The header has twice the height.
  private func pixel(_ value: UInt8, isTransparent: Bool = false, bits: Int = 24) -> [UInt8] {
    let bytes: [UInt8] = [value, value, value, 0]
    let written = WrittenBitmap(
      width: 1, rows: 2, bits: bits, pixels: bytes + [isTransparent ? 0x80 : 0, 0, 0, 0])
    return written.dib
  }

  private func shade(_ images: [Image]) -> UInt8? { decoded(icon(images)).1.first }

  /// Masks stand between the header and the pixels, in an icon, too, which states no place of its pixels.
  @Test(arguments: [(3, 12), (6, 16)]) func masksAreBeforeThePixels(
    _ compression: Int, _ bytes: Int
  ) {
    let masks = [0xFF, 0xFF00, 0xFF_0000, 0xFF00_0000].flatMap { little($0, 4) }
    let written = WrittenBitmap(
      width: 1, rows: 2, bits: 32, compression: compression, more: Array(masks[..<bytes]),
      pixels: [1, 2, 3, 255, 0, 0, 0, 0])
    let image = Image(width: 1, height: 1, content: written.dib)
    #expect(decoded(icon([image])).1.starts(with: [1, 2, 3]))
  }

  @Test func theLargestImageIsTaken() {
    let (one, two, three) = (pixel(1), pixel(2), pixel(3))
    func image(_ width: Int, _ height: Int, _ content: [UInt8]) -> Image {
      Image(width: width, height: height, content: content)
    }
    #expect(shade([image(16, 16, one), image(17, 16, two), image(16, 16, three)]) == 2)
    #expect(shade([image(16, 17, one), image(16, 16, two)]) == 1)
  }

  /// A side of 0 is 256, unless the image itself says otherwise.
  @Test func anImageSaysItsOwnSize() {
    func png(_ width: Int, _ height: Int) -> [UInt8] {
      [0x89, 0x50, 0x4E, 0x47] + little(0, 12) + big(width, 4) + big(height, 4)
    }
    func image(_ width: Int, _ height: Int, _ content: [UInt8]) -> Image {
      Image(width: width, height: height, content: content)
    }
    let (one, two) = (pixel(1), pixel(2))
    #expect(decoded(icon([image(255, 255, one), image(0, 0, png(256, 256))])).0 == "png")
    #expect(decoded(icon([image(0, 255, png(256, 255)), image(255, 255, one)])).0 == "png")
    #expect(shade([image(32, 32, one), image(0, 0, png(16, 16))]) == 1)
    #expect(shade([image(0, 0, two), image(32, 32, one)]) == 1)
    #expect(shade([image(0, 32, two)]) == 2)
    // Where nothing can be read, the directory counts.
    let lost = Image(width: 0, height: 0, content: [], offset: 99_999)
    #expect(decoded(icon([image(255, 255, one), lost])).0 == "is truncated")
  }

  @Test func ofEquallyLargeOnesTheMostColoursAreTaken() {
    let images = [24, 32, 24, 32].map { bits in
      Image(width: 16, height: 16, content: pixel(UInt8(bits), bits: bits))
    }
    #expect(shade(images) == 32)
    #expect(shade([images[1], images[0]]) == 32)
    // The first of those that are equal.
    #expect(shade([images[0], Image(width: 16, height: 16, content: pixel(1))]) == 24)
    // A PNG counts as one with 32 bits.
    let png: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 7, 8]
    let file = Image(width: 16, height: 16, content: png)
    #expect(decoded(icon([images[0], file, images[0]])) == ("png", png))
    #expect(shade([images[1], file]) == 32)
    #expect(decoded(icon([file, images[1]])) == ("png", png))
  }

  @Test func onlyTheLargestImageHasToBeThere() {
    let whole = Image(width: 16, height: 16, content: pixel(5))
    let lost = Image(width: 16, height: 16, content: [], offset: 99_999)
    let small = Image(width: 8, height: 8, content: [], offset: 99_999)
    let large = Image(width: 17, height: 16, content: [], offset: 99_999)
    #expect(shade([small, whole]) == 5)
    #expect(shade([whole, small]) == 5)
    #expect(shade([lost, whole]) == 5)
    #expect(shade([whole, lost]) == 5)
    #expect(decoded(icon([whole, large])).0 == "is truncated")
    #expect(decoded(icon([])).0 == "contains no image")
    #expect(decoded([0, 0, 1, 0]).0 == "is truncated")
    let file = icon([Image(width: 1, height: 1, content: [0x89, 0x50, 0x4E, 0x47, 7, 8])])
    #expect(decoded(file).0 == "png")
    #expect(decoded(Array(file.dropLast())).0 == "is truncated")
    #expect(decoded(icon([whole]), maximumPixels: 0).0 == "has 1 x 1 pixels")
  }

  // MARK: Masks

  /// A set bit is transparent; rows are of 32 bits, from the lowest on.
  @Test(arguments: [7, 8, 9, 32, 33]) func theMaskIsAlpha(_ width: Int) {
    let stride = (width * 24 + 31) / 32 * 4
    let maskStride = (width + 31) / 32 * 4
    func isClear(_ x: Int, _ y: Int) -> Bool { (x * 5 + y * 3) % 7 < 3 }
    func rows(_ isTopDown: Bool) -> [Int] { isTopDown ? [0, 1, 2] : [2, 1, 0] }
    for isTopDown in [false, true] {
      var bytes: [UInt8] = []
      for y in rows(isTopDown) {
        let row = (0..<width).flatMap { [UInt8($0), UInt8(y), 9] as [UInt8] }
        bytes += row + [UInt8](repeating: 0, count: stride - row.count)
      }
      for y in rows(isTopDown) {
        var row = [UInt8](repeating: 0, count: maskStride)
        for x in 0..<width where isClear(x, y) { row[x / 8] |= 0x80 >> UInt8(x % 8) }
        bytes += row
      }
      let written = WrittenBitmap(width: width, rows: isTopDown ? -6 : 6, pixels: bytes)
      let file = icon([Image(width: width, height: 3, content: written.dib)])
      let samples = (0..<3).flatMap { y in
        (0..<width).flatMap { [9, UInt8(y), UInt8($0), isClear($0, y) ? 0 : 255] as [UInt8] }
      }
      #expect(decoded(file) == ("\(width) x 3 x 4", samples))
      #expect(decoded(Array(file.dropLast())).0 == "is truncated")
    }
  }

  @Test func alphaTakesThePlaceOfTheMask() {
    func result(_ alphas: [UInt8], mask: [UInt8]) -> (String, [UInt8]) {
      let pixels = alphas.flatMap { [1, 2, 3, $0] as [UInt8] }
      let written = WrittenBitmap(
        width: alphas.count, rows: 2, bits: 32, pixels: pixels + mask)
      return decoded(icon([Image(width: 2, height: 1, content: written.dib)]))
    }
    let size = "2 x 1 x 4"
    let second: [UInt8] = [0x40, 0, 0, 0]
    #expect(result([255, 7], mask: second) == (size, [3, 2, 1, 255, 3, 2, 1, 7]))
    #expect(result([0, 7], mask: []) == (size, [3, 2, 1, 0, 3, 2, 1, 7]))
    // Without alpha the mask counts, if there is one.
    for alpha in [0, 255] as [UInt8] {
      #expect(result([alpha, alpha], mask: second) == (size, [3, 2, 1, 255, 3, 2, 1, 0]))
      #expect(result([alpha, alpha], mask: []) == (size, [3, 2, 1, 255, 3, 2, 1, 255]))
    }
    // With fewer bits it has to be there.
    let written = WrittenBitmap(width: 1, rows: 2, pixels: [1, 2, 3, 0])
    #expect(decoded(icon([Image(width: 1, height: 1, content: written.dib)])).0 == "is truncated")
  }
}
