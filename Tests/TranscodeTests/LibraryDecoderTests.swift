import TesseraImageHeader
import TesseraPlan
import TesseraTestSupport
import TesseraWorkers
import Testing

@testable import TesseraTranscode

extension LibvipsTests {
  /// What libjxl, OpenJPEG, libheif and librsvg show, beyond the corners of all formats.
  @Suite struct LibraryDecoderTests {
    init() throws { try #require(LibvipsTests.isReady) }

    /// Red, green, blue and alpha of a pixel, and the warnings.
    private func colour(
      _ file: [UInt8], _ format: String, _ x: Int, _ y: Int
    ) throws -> (samples: [Int], warnings: [SourceWarning]) {
      try withSource(file) { source in
        let header = try #require(source.header)
        let job = decoding(format, Size(header.width, header.height), alpha: header.hasAlpha)
        let decoder = try Decoder(source, job, failOn: .error)
        #expect(decoder.differenceFromHeader == nil && decoder.facts.hasAlpha == header.hasAlpha)
        var warnings: [SourceWarning] = []
        let frame = try #require(try decoder.frames(warnings: &warnings).first)
        let start = (y * frame.width + x) * 4
        return (try frame.samples()[start..<start + 4].map(Int.init), warnings)
      }
    }

    private func colour(_ name: String, _ x: Int, _ y: Int) throws -> [Int] {
      let format = name.hasSuffix("jxl") ? "jxl" : name.hasSuffix("avif") ? "avif" : "jp2"
      return try colour(Places.bytes(name), format, x, y).samples
    }

    /// JPEG XL with colours that are multiplied by alpha.
    @Test func alphaIsDividedOut() throws {
      let seen = try colour("formats/premultiplied.jxl", 20, 20)
      #expect(distance(seen, SampleImages.corners[0] + [128]) <= 2, "\(seen)")
    }

    /// An animated JPEG XL: the second frame is grey.
    @Test func theFirstFrameIsShown() throws {
      let seen = try colour("formats/animated.jxl", 20, 20)
      #expect(distance(seen, SampleImages.corners[0] + [255]) <= 2, "\(seen)")
    }

    /// 16 is black and 235 is white, which only the code points say.
    @Test func limitedGreyIsExpanded() throws {
      let (dark, light) = try (
        colour("formats/limited-grey.avif", 20, 40), colour("formats/limited-grey.avif", 100, 40)
      )
      #expect(distance(dark, [0, 0, 0, 255]) <= 3 && distance(light, [255, 255, 255, 255]) <= 3)
    }

    /// Of an image without chroma; of others it is not for their samples.
    @Test(arguments: [("formats/limited-grey.avif", true), ("formats/corners.avif", false)])
    func aProfileOfGreyIsForOneBand(_ name: String, _ isGrey: Bool) throws {
      try withSource(Places.bytes(name)) { source in
        let image = try Raster.load(source, format: .avif)
        image.set(Raster.profileField, greyProfile())
        let usual = try image.usual(.avif, source)
        #expect(usual.colourSpace == (isGrey ? "grey" : "rgb"))
        #expect(usual.hasUsableProfile == isGrey)
      }
    }

    /// What our reader changes in a file is what libheif gets.
    @Test func aSequenceMayNotNameItsStill() throws {
      var file = try Places.bytes("formats/corners.avif")
      let length = Int(file[3])
      for place in stride(from: 16, to: length, by: 4) {
        file.replaceSubrange(place..<place + 4, with: Array("iso8".utf8))
      }
      file.replaceSubrange(8..<12, with: Array("avis".utf8))
      let seen = try colour(file, "avif", 20, 20).samples
      #expect(distance(seen, SampleImages.corners[0] + [255]) <= 12, "\(seen)")
    }

    @Test func anApertureMayReachOutside() throws {
      var file = try Places.bytes("sizes/cropped.avif")
      let name = Array("clap".utf8)
      let place = try #require(file.indices.first { file[$0...].starts(with: name) }) + 4
      file.replaceSubrange(place..<place + 4, with: big(121, 4))
      let seen = try colour(file, "avif", 119, 79).samples
      #expect(distance(seen, [255, 255, 255, 255]) <= 30, "\(seen)")
    }

    @Test func damageHasAReason() throws {
      for (name, format, reason) in [
        ("formats/corners.jxl", ImageFormat.jxl, "its code stream is damaged"),
        ("formats/corners.jp2", .jp2, ""),
      ] {
        let bytes = try Places.bytes(name)
        for count in [bytes.count * 2 / 3, bytes.count - 2] {
          withSource(Array(bytes[..<count])) { source in
            do throws(VipsError) {
              _ = try LibraryDecoder.decode(source, format, 10_000, .error)
              Issue.record("\(name) of \(count) bytes was decoded")
            } catch {
              #expect(error.message.hasPrefix(reason) && !error.message.contains("no reason"))
            }
          }
        }
        #expect(throws: VipsError.self) {
          try withSource(bytes) { try LibraryDecoder.decode($0, format, 9_599, .error) }
        }
      }
    }

    // MARK: Drawings

    private func drawn(_ attributes: String, _ body: String, _ x: Int, _ y: Int) throws -> [Int] {
      let text = "<svg xmlns='http://www.w3.org/2000/svg' \(attributes)>\(body)</svg>"
      return try colour(Array(text.utf8), "svg", x, y).samples
    }

    /// 96 pixels per inch.
    @Test(arguments: [("25.4mm", 96), ("1in", 96), ("72pt", 96), ("6pc", 96), ("2.54cm", 96)])
    func unitsAreThoseOfBrowsers(_ length: String, _ side: Int) throws {
      let half = "<rect width='\(side / 2)' height='9' fill='#00f'/>"
      #expect(try drawn("width='\(length)' height='9'", half, side / 2 - 2, 5) == [0, 0, 255, 255])
      #expect(try drawn("width='\(length)' height='9'", half, side / 2 + 1, 5)[3] == 0)
    }

    @Test func aDrawingWithoutASizeHasThatOfAPage() throws {
      let square = "<rect x='290' y='140' width='10' height='10' fill='#0f0'/>"
      #expect(try drawn("", square, 295, 145) == [0, 255, 0, 255])
      #expect(try drawn("style='width:9px'", square, 295, 145) == [0, 255, 0, 255])
    }

    @Test(
      arguments: [
        ("<rect/>", nil), ("<style>@media print { a {} }</style>", nil),
        ("<style>@media (prefers-color-scheme: dark) { a {} }</style>", nil),
        ("<style>@media (min-width: 9px) { a {} }</style>", "@media"),
        (
          "<style>@media print {} @media not (a) {}</style><text dominant-baseline='middle'/>",
          "@media, dominant-baseline"
        ),
        ("<path marker-end='url(#a)' d='M1 2 m3-4'/>", "markers of paths without a line"),
        ("<text font-size='9pt'/>", "lengths in units of print"),
        ("<rect width='3mmm' height='9' a='9p'/>", nil), ("9pt", nil),
        ("<path d='M1 2 m3-4'/><path marker-end='url(#a)' d='M1 2h3'/>", nil),
        ("<path marker-end='url(#a)' d='", nil), ("<path marker-", nil),
      ] as [(String, String?)])
    func whatIsNotDrawnIsSaid(_ body: String, _ missing: String?) {
      withSource(Array("<svg>\(body)</svg>".utf8)) {
        #expect(DrawingCheck.missing(in: $0) == missing)
      }
    }
  }
}
