import TesseraBytes
import TesseraCatalog
import Testing

@testable import TesseraPlan

/// URLs of a service that is described in the test, signatures, and what identifies a service.
@Suite struct ServiceTests {
  private static func service(_ template: String) throws -> ImageService {
    var service = ImageService()
    service.template = try Template(template, allowed: Template.Name.allCases)
    service.formats = [.webp: "w", .png: "p"]
    service.modes = [.fit: "a", .fill: "b", .clip: "c"]
    service.limits.formats = [.webp, .png]
    return service
  }

  private static func request(
    _ source: Size, _ size: Size, mode: CatalogSlot.Mode = .fit, crop: Crop? = nil,
    focus: CatalogFocus = .init(x: 0.25, y: 1), quality: Int? = 80, url: String = "https://a/b"
  ) -> DeliveryRequest {
    let encoding = Encoding(
      format: .webp, quality: quality, effort: nil, background: nil, isAnimated: false)
    return DeliveryRequest(
      url: url, source: PlanSource(size: source), focus: focus, mode: mode,
      file: PlannedFile(crop: crop, size: size, encoding: encoding, fallback: nil))
  }

  @Test(arguments: [
    ("https://h", "https://h|h||"), ("https://h/", "https://h|h||"),
    ("https://h?c=d", "https://h|h||c=d"),
    ("http://h:8080//a//b?c?d#e?f", "http://h:8080|h:8080|a//b|c?d"),
    ("https://h/a#?b", "https://h|h|a|"), ("https://h/a?", "https://h|h|a|"),
    ("https://h/é ü|\"", "https://h|h|%C3%A9%20%C3%BC%7C%22|"),
    ("https://h/!$&'()*+,;=:@[]%20~", "https://h|h|!$&'()*+,;=:@[]%20~|"),
  ])
  func aSourceHasParts(_ url: String, _ parts: String) throws {
    let service = try Self.service("|{host}|{path}|{query}")
    #expect(service.url(of: Self.request(Size(4, 3), Size(4, 3), url: url)) == parts)
  }

  /// The box is as the plan's size: of a whole image its shorter side never decides.
  @Test(arguments: [
    // Source, size, mode, box.
    (Size(3_000, 2_000), Size(256, 171), CatalogSlot.Mode.fit, "256x171"),
    (Size(3_000, 2_000), Size(255, 170), .fit, "255x170"),
    (Size(3_000, 2_000), Size(257, 171), .fit, "257x172"),
    (Size(2_000, 3_000), Size(171, 257), .fit, "172x257"),
    (Size(1_000, 1_000), Size(99, 99), .fit, "99x99"),
    (Size(3_000, 1), Size(512, 1), .fit, "512x1"), (Size(1, 3_000), Size(1, 512), .fit, "1x512"),
    // The size of the source itself is that.
    (Size(257, 172), Size(257, 172), .fit, "257x172"),
    // A cover is rounded down.
    (Size(3_000, 2_000), Size(257, 171), .fill, "257x171"),
    (Size(2_000, 3_000), Size(171, 257), .fill, "171x257"),
    (Size(3_000, 1), Size(512, 1), .fill, "512x1"),
    (Size(3_000, 2_000), Size(257, 257), .clip, "257x257"),
  ])
  func aBoxIsAsThePlanHasIt(_ source: Size, _ size: Size, _ mode: CatalogSlot.Mode, _ box: String)
    throws
  {
    var service = try Self.service("{width}x{height}")
    service.base = ""
    #expect(service.url(of: Self.request(source, size, mode: mode)) == box)
    // Without a word for it, a cover is made by its size.
    if mode == .fill {
      service.modes[.fill] = nil
      let fit = service.url(of: Self.request(source, size, mode: .fit))
      #expect(service.url(of: Self.request(source, size, mode: mode)) == fit)
    }
  }

  @Test func aBoxHasAWidthOfTheService() throws {
    var service = try Self.service("{width}x{height}")
    service.base = ""
    service.limits.widths = [100, 200]
    for (width, box) in [(100, "100x66"), (200, "200x133")] {
      #expect(
        service.url(of: Self.request(Size(300, 200), Size(width, width * 2 / 3))) == box)
    }
    #expect(service.url(of: Self.request(Size(150, 100), Size(150, 100))) == "200x100")
    #expect(service.url(of: Self.request(Size(300, 200), Size(150, 100))) == nil)
    #expect(service.url(of: Self.request(Size(300, 200), Size(300, 200))) == nil)
  }

  // MARK: Crops

  private static let crop = Crop(x: 10, y: 20, size: Size(100, 50))

  @Test(arguments: [
    (0.0, 0.0, 1.0, "0,0"), (1, 0.5, 1, "1,0.5"), (0.3333333, 0.25, 1, "0.3333,0.25"),
    (0.00004, 0.00006, 1, "0,0.0001"), (0.9999, 0.99996, 1, "0.9999,1"), (0.1, 0.01, 1, "0.1,0.01"),
    (0.5, 0.25, 0.5, "0.25,0.125"), (0.333, 0.666, 100, "33,67"), (0.24, 0.25, 10, "2,3"),
    (1, 0, 1.5, "2,0"),
  ])
  func aPointIsInTheScaleOfTheService(_ x: Double, _ y: Double, _ scale: Double, _ text: String)
    throws
  {
    var service = try Self.service("{x},{y}")
    service.base = ""
    service.focus.scale = scale
    #expect(
      service.url(
        of: Self.request(
          Size(400, 300), Size(50, 25), mode: .clip, crop: Self.crop, focus: .init(x: x, y: y)))
        == text)
  }

  @Test func aPositionIsThePlaceAmongAllPossibleOnes() throws {
    var service = try Self.service(
      "[{x},{y}]|[{left},{top},{right},{bottom},{crop-width},{crop-height}]")
    service.base = ""
    service.focus.kind = .position
    func url(_ crop: Crop?) -> String? {
      service.url(of: Self.request(Size(400, 300), Size(50, 25), mode: .clip, crop: crop))
    }
    #expect(url(Self.crop) == "0.0333,0.08|10,20,110,70,100,50")
    #expect(url(Crop(x: 300, y: 0, size: Size(100, 300))) == "1,0.5|300,0,400,300,100,300")
    // A service crops the centre itself; a place in the pixels is not known.
    #expect(url(Crop(x: 150, y: 125, size: Size(100, 50))) == "0.5,0.5|")
    #expect(url(Crop(Size(100, 50), .found(.entropy))) == "|")
    #expect(url(nil) == "|")
  }

  /// An odd rest is a pixel on one side.
  @Test(arguments: [
    (149, 125, false), (150, 125, true), (151, 125, true), (152, 125, false), (150, 124, false),
    (150, 126, true), (150, 127, false),
  ])
  func theCentreIsMetToAPixel(_ x: Int, _ y: Int, _ isCentre: Bool) throws {
    var service = try Self.service("[{left}]")
    service.base = ""
    let request = Self.request(
      Size(401, 301), Size(50, 25), mode: .clip, crop: Crop(x: x, y: y, size: Size(100, 50)))
    #expect(service.url(of: request) == (isCentre ? "" : "\(x)"))
  }

  @Test func wordsAreThoseOfTheService() throws {
    var service = try Self.service("{mode},{format},{metadata},{animation}[,{quality}]")
    service.base = "https://s"
    (service.metadata.keep, service.metadata.drop) = ("k", "s")
    (service.animation.keep, service.animation.drop) = ("m", "n")
    service.qualities = [50, 90]
    var request = Self.request(Size(4, 3), Size(4, 3))
    #expect(service.url(of: request) == "https://sa,w,s,n,90")
    for (quality, accepted) in [(1, 50), (50, 50), (51, 90), (90, 90), (91, 90)] {
      request.file.encoding.quality = quality
      #expect(service.url(of: request) == "https://sa,w,s,n,\(accepted)")
    }
    service.keepsAnimations = true
    request.file.encoding.metadata = .icc
    request.file.encoding.quality = nil
    request.file.encoding.format = .png
    request.mode = .clip
    #expect(service.url(of: request) == "https://sc,p,k,m")
    // A mode without a word is made as the whole image.
    service.modes[.clip] = nil
    #expect(service.url(of: request) == "https://sa,p,k,m")
    request.file.encoding.format = .jpeg
    #expect(service.url(of: request) == nil)
    service.template = nil
    #expect(service.url(of: Self.request(Size(4, 3), Size(4, 3))) == nil)
  }

  /// The part that is signed is that of the mode, or else the one of `fit`.
  @Test func aSignatureCoversThePartOfTheMode() throws {
    var service = try Self.service("{signature}/{signed}/{quality}")
    service.base = ""
    service.signed[.fit] = try Template("f{width}", allowed: [.width])
    service.signed[.clip] = try Template("c{height}", allowed: [.height])
    func url(_ mode: CatalogSlot.Mode) -> String? {
      service.url(of: Self.request(Size(400, 300), Size(400, 300), mode: mode))
    }
    #expect([url(.fit), url(.fill), url(.clip)] == ["/f400/80", "/f400/80", "/c300/80"])
    var signature = ServiceSignature()
    (signature.algorithm, signature.encoding) = (.sha256, .hex)
    (signature.unsigned, signature.length) = ("u", 8)
    signature.of = try Template("{salt}{signed}{key}", allowed: [.signed, .key, .salt])
    service.signature = signature
    #expect(url(.fit) == "u/f400/80")
    (service.key, service.salt) = (Array("k".utf8), Array("s".utf8))
    let digest = MessageDigest.sha256.digest(of: Array("sc300k".utf8)).prefix(4)
    let text = digest.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
    #expect(url(.clip) == "\(text)/c300/80")
  }
}
