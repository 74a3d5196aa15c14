import TesseraPlan
import TesseraTestSupport
import Testing

@testable import TesseraTranscode

/// RFC 9649.
@Suite struct WebPContainerTests {
  private struct Chunk: Equatable {
    var name: String
    var body: [UInt8]

    /// The padding is not part of the length.
    var bytes: [UInt8] {
      Array(name.utf8) + little(body.count, 4) + body + (body.count % 2 == 1 ? [0] : [])
    }
  }

  /// The chunks of a file, which has to be written as the specification says.
  private static func chunks(_ file: [UInt8]) throws -> [Chunk] {
    try #require(file.starts(with: "RIFF".utf8) && Array(file[8..<12]) == Array("WEBP".utf8))
    try #require(Array(file[4..<8]) == little(file.count - 8, 4))
    var chunks: [Chunk] = []
    var rest = file[12...]
    while !rest.isEmpty {
      try #require(rest.count >= 8)
      let length = rest.prefix(8).suffix(4).reversed().reduce(0) { $0 << 8 | Int($1) }
      try #require(rest.count >= 8 + length + length % 2)
      chunks.append(
        Chunk(
          name: String(decoding: rest.prefix(4), as: UTF8.self),
          body: Array(rest.dropFirst(8).prefix(length))))
      rest = rest.dropFirst(8 + length + length % 2)
    }
    return chunks
  }

  private static func file(_ chunks: [Chunk]) -> [UInt8] {
    let body = Array("WEBP".utf8) + chunks.flatMap(\.bytes)
    return Array("RIFF".utf8) + little(body.count, 4) + body
  }

  private static func clean(_ file: [UInt8], _ kept: MetadataPolicy = []) -> [UInt8]? {
    file.withUnsafeBytes { WebPContainer.clean($0, keeping: kept) }
  }

  private static let profile = Chunk(name: "ICCP", body: [1, 2, 3])
  private static let exif = Chunk(name: "EXIF", body: Array("MM*".utf8))
  private static let xmp = Chunk(name: "XMP ", body: Array("<x>".utf8))
  private static let unknown = Chunk(name: "TESS", body: [9])

  /// 240 x 160 pixels.
  private let image: Chunk

  init() throws {
    image = try #require(try Self.chunks(Places.bytes("lossy.webp")).first { $0.name == "VP8 " })
  }

  /// The header of the extended format.
  private func extended(_ flags: UInt8) -> Chunk {
    Chunk(name: "VP8X", body: [flags, 0, 0, 0] + little(239, 3) + little(159, 3))
  }

  /// With a profile, Exif and XMP.
  private var whole: [UInt8] {
    Self.file([extended(0x2C), Self.profile, image, Self.exif, Self.xmp])
  }

  @Test func onlyWhatIsKeptStays() {
    let plain = Self.file([image])
    let all: [(MetadataPolicy, [UInt8])] = [
      ([], plain), (.icc, Self.file([extended(0x20), Self.profile, image])),
      (.exif, Self.file([extended(8), image, Self.exif])),
      (.xmp, Self.file([extended(4), image, Self.xmp])), (.iptc, plain), (.keep, whole),
    ]
    for (kept, expected) in all {
      #expect(Self.clean(whole, kept) == expected)
      #expect(Self.clean(plain, kept) == plain)
    }
    #expect(whole.withUnsafeBytes { WebPContainer.clean($0) } == plain)
  }

  /// libvips writes JPEG's mark.
  @Test func exifHasNoMark() {
    func clean(_ body: String) -> [UInt8]? {
      Self.clean(
        Self.file([extended(8), image, Chunk(name: "EXIF", body: Array(body.utf8))]), .exif)
    }
    func expected(_ body: String) -> [UInt8] {
      Self.file([extended(8), image, Chunk(name: "EXIF", body: Array(body.utf8))])
    }
    #expect(clean("Exif\0\0MM*") == expected("MM*"))
    #expect(clean("Exif\0\0M") == expected("M"))
    for body in ["Exif\0\0", "Exif\0M", "exif\0\0MM", "MM"] {
      #expect(clean(body) == expected(body))
    }
  }

  @Test func bytesAfterTheFileDoNotMatter() {
    for more in [[0], [1, 2, 3], [UInt8](repeating: 7, count: 99)] as [[UInt8]] {
      #expect(Self.clean(whole + more, .keep) == whole)
    }
    for count in 0...20 { #expect(Self.clean(Array(whole.prefix(count))) == nil) }
    #expect(Self.clean(Array(whole.prefix(300))) == nil)
    // A length without the padding of the last chunk.
    var odd = whole
    odd[4] -= 1
    #expect(Self.clean(odd + [1, 2, 3], .keep) == whole)
  }

  // MARK: A source's image

  private func image(_ source: [UInt8], _ result: [UInt8]) -> [UInt8]? {
    source.withUnsafeBytes { source in
      result.withUnsafeBytes { WebPContainer.image(of: source, withMetadataOf: $0) }
    }
  }

  @Test func theImageGetsTheMetadataOfTheResult() {
    let other = Chunk(name: "XMP ", body: Array("<other>".utf8))
    let source = Self.file([extended(4), image, other, Self.unknown])
    let plain = Self.file([image])
    #expect(image(source, plain) == plain)
    #expect(image(source, whole) == whole)
    #expect(image(plain, whole) == whole)
    #expect(
      image(plain, Self.file([extended(4), image, Self.xmp, Self.unknown]))
        == Self.file([extended(4), image, Self.xmp]))
    #expect(image([1, 2, 3], plain) == nil && image(plain, [1, 2, 3]) == nil)
  }

  @Test func anAnimationKeepsItsFrames() throws {
    let source = try Places.bytes("animated.webp")
    let chunks = try Self.chunks(source)
    #expect(chunks.map(\.name).count { $0 == "ANMF" } == 6)
    let noisy = Self.file(chunks + [Self.unknown])
    let made = try Self.chunks(try #require(image(noisy, Self.file([image]))))
    let frames = chunks.filter { ["ANIM", "ANMF"].contains($0.name) }
    // 96 x 64 pixels, with alpha and animated, without Exif.
    let header = Chunk(name: "VP8X", body: [0x12, 0, 0, 0] + little(95, 3) + little(63, 3))
    #expect(made == [header] + frames)
    let marked = try Self.chunks(try #require(image(noisy, whole)))
    #expect(marked.filter { ["ANIM", "ANMF"].contains($0.name) } == frames)
    #expect(
      marked.filter { ["ICCP", "EXIF", "XMP "].contains($0.name) } == [
        Self.profile, Self.exif, Self.xmp,
      ])
    // Without its frames.
    #expect(image(Self.file(chunks.filter { $0.name != "ANMF" }), Self.file([image])) == nil)
  }
}
