import TesseraImageHeader
import TesseraPlan
import TesseraTestSupport
import TesseraWorkers
import Testing

@testable import TesseraTranscode

extension LibvipsTests {
  @Suite struct GainMapTests {
    init() throws { try #require(LibvipsTests.isReady) }

    private static let metadata = GainMapMetadata(
      channels: [.init(maximum: 2)], alternateHeadroom: 2)!

    /// A map whose upper left quarter is white, as it is stored.
    private static func map(_ width: Int, _ height: Int) throws -> [UInt8] {
      let samples = (0..<width * height).flatMap { place in
        let isBright = place % width < width / 2 && place / width < height / 2
        return [UInt8](repeating: isBright ? 255 : 0, count: 3)
      }
      let image = try Raster.of(samples: samples, width: width, height: height, bands: 3)
      return try Encoder.encode([image], as: planned(Size(width, height), .jpeg, quality: 95))
    }

    private static func file(
      _ image: String = "plain.jpg", map size: Size = Size(120, 80)
    ) throws -> [UInt8] {
      try #require(
        GainMapFile.bytes(
          image: try Places.bytes(image), map: try map(size.width, size.height), metadata))
    }

    /// Requests files with a gain map.
    private static func job(_ size: Size, _ files: [(Size, Crop?)]) -> TranscodeJob {
      var job = decoding("jpeg", size, lanes: .on)
      job.decode.seeksGainMap = true
      job.expected.headroom = 4
      job.files = files.map { size, crop in
        var file = planned(size, .jpeg, quality: 90, keeping: .icc)
        file.crop = crop
        file.encoding.hasGainMap = true
        return file
      }
      return job
    }

    private static func gainMap(of file: [UInt8], orientation: Int = 1) -> GainMap? {
      withSource(file) { GainMap(of: $0, job(Size(1000, 1000), []), orientation: orientation) }
    }

    /// Whether each corner of a map is bright: upper left, upper right, lower left, lower right.
    private static func corners(_ map: Raster) throws -> [Bool] {
      let samples = try map.samples()
      let (left, right) = (map.width / 8, map.width * 7 / 8)
      let (top, bottom) = (map.height / 8, map.height * 7 / 8)
      return [(left, top), (right, top), (left, bottom), (right, bottom)].map { x, y in
        samples[(y * map.width + x) * 4] > 128
      }
    }

    @Test func theListOfImagesSaysWhereTheyAre() throws {
      let image = try Places.bytes("plain.jpg")
      let file = try Self.file()
      let end = try #require(file.withUnsafeBytes { JPEGContainer.end(of: $0) })
      // The first image is the one that was given, with three segments more.
      #expect(Array(file[..<end].suffix(1000)) == Array(image.suffix(1000)))
      #expect(file[end...].starts(with: [0xFF, 0xD8, 0xFF, 0xE1]))
      let list = try #require(
        file.withUnsafeBytes {
          JPEGContainer.blocks(after: Array("MPF\0".utf8), inApplicationSegments: 2, of: $0)
        }.first)
      func number(_ offset: Int, _ count: Int = 4) -> Int {
        list[offset..<offset + count].reduce(0) { $0 << 8 | Int($1) }
      }
      #expect(list.starts(with: Array("MM\0*".utf8)))
      #expect((number(4), number(8, 2)) == (8, 3))
      let fields = (0..<3).map {
        (number(10 + $0 * 12, 2), number(14 + $0 * 12), number(18 + $0 * 12))
      }
      #expect(fields.map(\.0) == [0xB000, 0xB001, 0xB002])
      #expect(fields.map(\.1) == [4, 1, 32])
      #expect(number(46) == 0)
      let entries = fields[2].2
      // Where the list's own numbers begin.
      let start = try #require(file.firstRange(of: Array("MPF\0MM".utf8))).lowerBound + 4
      #expect([number(entries), number(entries + 4), number(entries + 8)] == [0x030000, end, 0])
      #expect(
        [number(entries + 16), number(entries + 20), number(entries + 24)]
          == [0, file.count - end, end - start])
      #expect(list.count == entries + 32)
      let packet = String(
        decoding: file.withUnsafeBytes {
          JPEGContainer.blocks(
            after: JPEGContainer.xmpMark, inApplicationSegments: 1, of: $0)[0]
        }, as: UTF8.self)
      #expect(packet.contains("Item:Length=\"\(file.count - end)\""))
    }

    @Test func whatIsWrittenIsFound() throws {
      let found = try #require(Self.gainMap(of: try Self.file()))
      #expect(found.metadata == Self.metadata)
      #expect((found.image.width, found.image.height) == (120, 80))
      #expect(try Self.corners(found.image) == [true, false, false, false])
      // Bytes in between, and an image that is not the map.
      let file = try Self.file()
      let end = try #require(file.withUnsafeBytes { JPEGContainer.end(of: $0) })
      let others = try [0xFF, 0, 0xFF, 0xD8, 1, 0xFF, 0xD8, 0xFF] + Places.bytes("progressive.jpg")
      #expect(Self.gainMap(of: file[..<end] + others + file[end...]) != nil)
    }

    /// The block of the standard counts before a packet; and a map may have either alone.
    @Test func aMapIsDescribedInEitherWay() throws {
      let file = try Self.file()
      let end = try #require(file.withUnsafeBytes { JPEGContainer.end(of: $0) })
      for mark in [JPEGContainer.xmpMark, JPEGContainer.gainMapMark] {
        var other = file
        let place = try #require(other[end...].firstRange(of: mark))
        other[place.lowerBound] = UInt8(ascii: "x")
        #expect(Self.gainMap(of: other)?.metadata == Self.metadata)
      }
    }

    @Test func aMapThatIsNotPromisedOrDamagedIsNone() throws {
      let file = try Self.file()
      let end = try #require(file.withUnsafeBytes { JPEGContainer.end(of: $0) })
      #expect(Self.gainMap(of: Array(file[..<end])) == nil)
      #expect(Self.gainMap(of: Array(file.dropLast(40))) == nil)
      var damaged = file
      damaged[file.count - 2] = 0
      #expect(Self.gainMap(of: damaged) == nil)
      // A photograph that another follows.
      #expect(Self.gainMap(of: try Places.bytes("plain.jpg") + file[end...]) == nil)
      #expect(Self.gainMap(of: []) == nil)
      // A map with more pixels than its image.
      var job = Self.job(Size(120, 80), [])
      #expect(withSource(file) { GainMap(of: $0, job, orientation: 1) } != nil)
      job.expected.size = Size(119, 80)
      #expect(withSource(file) { GainMap(of: $0, job, orientation: 1) } == nil)
    }

    /// Exif 2.32, 4.6.4: where the stored upper left corner appears.
    @Test(arguments: [(1, 0), (2, 1), (3, 3), (4, 2), (5, 0), (6, 1), (7, 3), (8, 2)])
    func aMapIsTurnedAsItsImage(_ orientation: Int, _ corner: Int) throws {
      let found = try #require(
        Self.gainMap(of: try Self.file(), orientation: orientation))
      #expect(try Self.corners(found.image) == (0..<4).map { $0 == corner })
      let isTurned = orientation > 4
      #expect(found.image.width == (isTurned ? 80 : 120))
    }

    @Test func filesHaveTheirPartOfTheMap() throws {
      let size = Size(240, 160)
      let job = Self.job(
        size,
        [
          (size, nil), (Size(60, 40), nil), (Size(80, 80), Crop(x: 0, y: 0, size: Size(80, 80))),
          (Size(40, 40), Crop(x: 80, y: 40, size: Size(80, 80))),
        ])
      let (reply, files) = try transcoded(job, try Self.file())
      #expect(try transcodeResult(reply).facts.headroom == 4)
      let maps = try files.map { try #require(Self.gainMap(of: $0)) }
      // Half as large as the file; all that there is of it in the third case.
      #expect(
        maps.map { Size($0.image.width, $0.image.height) }
          == [Size(120, 80), Size(30, 20), Size(40, 40), Size(20, 20)])
      #expect(
        try maps.map { try Self.corners($0.image) } == [
          [true, false, false, false], [true, false, false, false], [true, true, true, true],
          [true, false, false, false],
        ])
      #expect(maps.allSatisfy { $0.metadata == Self.metadata })
      for (file, wanted) in zip(files, job.files) {
        let matches = wanted.matches(file.span)
        #expect(matches)
      }
      // Without metadata of the source.
      let clean = try files.map { file in
        let end = try #require(file.withUnsafeBytes { JPEGContainer.end(of: $0) })
        return Array(file[..<end])
      }
      for bytes in clean {
        #expect(bytes.withUnsafeBytes { JPEGContainer.exif(in: $0) } == nil)
      }
    }

    @Test func aCropThatIsFoundIsThatOfTheOtherFiles() throws {
      let crop = Crop(Size(80, 80), .found(.entropy))
      var job = Self.job(Size(240, 160), [(Size(80, 80), crop)])
      var plain = job.files[0]
      plain.encoding.hasGainMap = false
      job.files.append(plain)
      let files = try transcoded(job, try Self.file()).1
      let end = try #require(files[0].withUnsafeBytes { JPEGContainer.end(of: $0) })
      let images = try [Array(files[0][..<end]), files[1]].map { bytes in
        try withSource(bytes) { try Raster.load($0, format: .jpeg).inMemory().samples() }
      }
      #expect(images[0] == images[1])
    }

    /// The map is for the primaries of its image, whatever the other files have.
    @Test func theImageStaysInItsColours() throws {
      let (source, size) = (
        try Self.file("display-p3.jpg", map: Size(20, 20)), try Self.size("display-p3.jpg")
      )
      var job = Self.job(size, [(size, nil)])
      job.files.append(planned(size, .jpeg, quality: 90))
      let files = try transcoded(job, source).1
      let profiles = try files.map { file in
        try withSource(file) { try Raster.load($0, format: .jpeg).profileLength }
      }
      #expect(profiles[0] > 0 && profiles[1] == 0)
    }

    private static func size(_ name: String) throws -> Size {
      let header = try withSource(Places.bytes(name)) { try #require($0.header) }
      return Size(header.width, header.height)
    }

    @Test func theFactsSayWhatWasFound() throws {
      let size = Size(240, 160)
      let source = try Self.file()
      // Nothing looks for it.
      var job = decoding("jpeg", size)
      #expect(try transcodeResult(try transcoded(job, source).0).facts.headroom == nil)
      // The plan was made without it.
      job.decode.seeksGainMap = true
      guard case .differs(let facts) = try transcoded(job, source).0 else {
        Issue.record("not reported")
        return
      }
      #expect(facts.headroom == 4)
      let plain = try Places.bytes("plain.jpg")
      #expect(try transcodeResult(try transcoded(job, plain).0).facts.headroom == 0)
      // It is known that the map can't be used.
      job.expected.headroom = 0
      #expect(try transcodeResult(try transcoded(job, source).0).facts.headroom == 0)
      job = Self.job(size, [])
      guard case .differs(let none) = try transcoded(job, plain).0 else {
        Issue.record("not reported")
        return
      }
      #expect(none.headroom == 0)
    }
  }
}
