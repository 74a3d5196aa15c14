import TesseraTestSupport
import Testing

@testable import TesseraImageHeader

/// Boxes (ISO/IEC 14496-12, section 4.2), and files of them that hold images (ISO/IEC 23008-12).
enum BoxFile {
  static func box(_ type: String, _ content: [UInt8]...) -> [UInt8] {
    let content = content.flatMap(\.self)
    return joined(be(content.count + 8, 4), ascii(type), content)
  }

  /// With version and flags before the content.
  static func full(_ type: String, version: Int = 0, flags: Int = 0, _ content: [UInt8]...)
    -> [UInt8]
  {
    box(type, be(version, 1), be(flags, 3), content.flatMap(\.self))
  }

  static func ftyp(_ major: String, _ compatible: String...) -> [UInt8] {
    box("ftyp", ascii(major), zeros(4), compatible.flatMap { ascii($0) })
  }

  static func size(_ width: Int = 7, _ height: Int = 9) -> [UInt8] {
    full("ispe", be(width, 4), be(height, 4))
  }

  /// A meta box whose primary item, 1, has these properties.
  static func meta(_ properties: [[UInt8]], further: [UInt8] = []) -> [UInt8] {
    full(
      "meta", full("pitm", be(1, 2)), further,
      box(
        "iprp", box("ipco", properties.flatMap(\.self)),
        full(
          "ipma", be(1, 4), be(1, 2), be(properties.count, 1),
          (1...properties.count).flatMap { be($0, 1) })))
  }
}

@Suite struct HEIFHeaderTests {
  private typealias F = BoxFile

  private static func read(_ properties: [UInt8]...) -> String {
    whole(joined(F.ftyp("heic"), F.meta(properties)))
  }

  @Test(arguments: [
    ("avif", "avif", ""), ("avis", "avif", " animated"), ("heic", "heic", ""), ("heix", "heic", ""),
    ("heim", "heic", ""), ("heis", "heic", ""), ("hevc", "heic", " animated"),
    ("hevx", "heic", " animated"), ("hevm", "heic", " animated"), ("hevs", "heic", " animated"),
    ("mif1", "heic", ""), ("msf1", "heic", " animated"), ("miaf", "heic", ""), ("1pic", "heic", ""),
  ])
  func majorBrands(_ brand: String, _ format: String, _ suffix: String) {
    let expected = "\(format) 7x9@8\(suffix)"
    #expect(whole(joined(F.ftyp(brand), F.meta([F.size()]))) == expected)
    // Brands of another kind beside it change nothing, unless the brand is general.
    let beside = whole(joined(F.ftyp(brand, "avif", "heic"), F.meta([F.size()])))
    let isGeneral = ["mif1", "msf1", "miaf", "1pic"].contains(brand)
    #expect(beside == (isGeneral ? "avif 7x9@8\(suffix)" : expected))
  }

  @Test func otherBrandsAreVideos() {
    for brand in ["isom", "mp42", "qt  ", "M4V ", "avi1", "heiz", "mif2"] {
      let file = joined(F.ftyp(brand, "avif", "heic"), F.meta([F.size()]))
      #expect(whole(file) == "not-image: a video, not an image")
    }
  }

  /// A file of a general brand is AVIF if one of its compatible brands says so: the first, the last
  /// or any other.
  @Test func compatibleBrandsBeginBehindTheMinorVersion() {
    func format(_ brands: [String], _ next: [UInt8] = []) -> String {
      let bytes = F.box("ftyp", ascii("mif1"), ascii("avif"), brands.flatMap { ascii($0) })
      return String(whole(joined(bytes, next, F.meta([F.size()]))).prefix { $0 != " " })
    }
    // The minor version is not a brand, whatever it is.
    #expect(format([]) == "heic" && format(["heic"]) == "heic")
    #expect(format(["avif"]) == "avif" && format(["avis"]) == "avif")
    for place in 0..<5 {
      var brands = ["mif1", "heic", "miaf", "MA1A", "xxxx"]
      brands[place] = "avif"
      #expect(format(brands) == "avif", "\(place)")
    }
    // What follows the box does not count, and neither do brands behind byte 256.
    #expect(format([], F.box("avif")) == "heic" && format(["heic"], F.box("avif")) == "heic")
    for count in 57...61 {
      let many = (0..<count).map { _ in "xxxx" } + ["avif", "yyyy", "yyyy", "yyyy", "yyyy"]
      #expect(format(many) == (count <= 59 ? "avif" : "heic"), "\(count)")
    }
  }

  @Test func propertiesOfThePrimaryItem() {
    let size = F.size(0x0102_0304, 0x0506_0708)
    #expect(Self.read(size) == "heic 16909060x84281096@8")
    #expect(Self.read(F.size(), F.full("pixi", [3, 10, 12, 12])) == "heic 7x9@10")
    #expect(Self.read(F.size(), F.full("pixi", [0, 10])) == "heic 7x9@8")
    for (type, suffix) in [("prof", " profile"), ("rICC", " profile"), ("nclx", "")] {
      #expect(
        Self.read(F.size(), F.box("colr", ascii(type), zeros(8))) == "heic 7x9@8\(suffix)")
    }
    for (angle, orientation) in [
      (0, ""), (1, " orientation 8"), (2, " orientation 3"), (3, " orientation 6"),
    ] {
      #expect(Self.read(F.size(), F.box("irot", be(angle, 1))) == "heic 7x9@8\(orientation)")
      // The other bits are reserved.
      #expect(Self.read(F.size(), F.box("irot", be(0xFC | angle, 1))) == "heic 7x9@8\(orientation)")
    }
    for (axis, orientation) in [(0, 2), (1, 4), (0xFE, 2), (0xFF, 4)] {
      #expect(
        Self.read(F.size(), F.box("imir", be(axis, 1))) == "heic 7x9@8 orientation \(orientation)")
    }
    // They apply in their order.
    let (turn, mirror) = (F.box("irot", be(1, 1)), F.box("imir", be(0, 1)))
    #expect(Self.read(F.size(), turn, mirror) == "heic 7x9@8 orientation 7")
    #expect(Self.read(F.size(), mirror, turn) == "heic 7x9@8 orientation 5")
    // Of two sizes the first counts.
    #expect(Self.read(F.size(), F.size(5, 6)) == "heic 7x9@8")
    #expect(Self.read(F.box("free")) == "malformed: a HEIC image, but its primary item has no size")
  }

  /// An aperture crops the image as it is turned so far.
  @Test(arguments: [
    ([6, 1, 4, 1, 0, 1, 0, 1], "6x4"), ([12, 2, 12, 3, 0, 9, 0, 9], "6x4"),
    ([6, 1, 4, 1, 1, 1, -2, 1], "6x4"), ([5, 1, 4, 1, 1, 2, 0, 1], "5x4"),
    // As many whole pixels as are nearest.
    ([5, 1, 4, 1, 0, 1, 0, 1], "5x4"), ([6, 1, 3, 4, 0, 1, 1, 2], "6x1"),
    ([11, 2, 9, 2, 0, 1, 0, 1], "6x5"),
    // What is not inside the image, or less than half a pixel, is ignored.
    ([10, 1, 20, 1, 0, 1, 0, 1], "10x20"), ([9, 1, 20, 1, 2, 1, 0, 1], "10x20"),
    ([6, 1, 21, 1, 0, 1, 0, 1], "10x20"), ([6, 1, 4, 1, -3, 1, 0, 1], "10x20"),
    ([6, 1, 4, 1, 0, 1, -9, 1], "10x20"), ([6, 1, 1, 9, 0, 1, 1, 2], "10x20"),
    // Impossible numbers are ignored.
    ([6, 0, 4, 1, 0, 1, 0, 1], "10x20"), ([6, 1, 4, 0, 0, 1, 0, 1], "10x20"),
    ([6, 1, 4, 1, 0, 0, 0, 1], "10x20"), ([6, 1, 4, 1, 0, 1, 0, 0], "10x20"),
    ([0, 1, 4, 1, 0, 1, 0, 1], "10x20"), ([6, 1, 0, 1, 0, 1, 0, 1], "10x20"),
    ([-6, 1, 4, 1, 0, 1, 0, 1], "10x20"), ([6, 1, -4, 1, 0, 1, 0, 1], "10x20"),
    ([6 * 65_535, 65_535, 4, 1, 0, 1, 0, 1], "6x4"),
    ([6 * 65_536, 65_536, 4, 1, 0, 1, 0, 1], "10x20"),
    ([6, 1, 4, 1, -1 << 31, 65_535, 0, 1], "10x20"),
    ([6, 1, 4, 1, 0, 1, -1 << 31, 65_535], "10x20"),
  ])
  func apertures(_ numbers: [Int], _ expected: String) {
    let clap = F.box("clap", numbers.flatMap { be($0, 4) })
    #expect(Self.read(F.size(10, 20), clap) == "heic \(expected)@8")
    // The size counts wherever it stands.
    #expect(Self.read(clap, F.size(10, 20)) == "heic \(expected)@8")
    let turned = Self.read(F.size(20, 10), F.box("irot", [1]), clap)
    let sides = expected.split(separator: "x").reversed().joined(separator: "x")
    #expect(turned == "heic \(sides)@8 orientation 8")
  }

  /// Rotations and mirrorings in any order make the orientation that shows the same image.
  @Test func turnsMakeAnOrientation() {
    let steps = [0, 1, 2, 3, 4, 5]
    for first in steps {
      for second in steps {
        for third in steps {
          var (turn, grid) = (QuarterTurn(), Grid.stored)
          for step in [first, second, third] {
            if step < 4 {
              turn.rotate(step)
              for _ in 0..<step { grid = grid.turnedLeft }
            } else {
              turn.mirror(step - 4)
              grid = step == 4 ? grid.mirrored : grid.turnedLeft.turnedLeft.mirrored
            }
          }
          #expect(grid == Grid.stored.shown(turn.orientation), "\([first, second, third])")
        }
      }
    }
  }

  /// A small image whose pixels differ.
  private struct Grid: Equatable {
    var rows: [[Int]]
    static let stored = Grid(rows: [[1, 2, 3], [4, 5, 6]])

    /// Left and right change places.
    var mirrored: Grid { Grid(rows: rows.map { $0.reversed() }) }
    var turnedLeft: Grid {
      Grid(rows: rows[0].indices.reversed().map { column in rows.map { $0[column] } })
    }

    /// By the words of Exif 2.32: on which side the first row and the first column are shown.
    func shown(_ orientation: Orientation) -> Grid {
      let upsideDown = Grid(rows: rows.reversed())
      let transposed = Grid(rows: rows[0].indices.map { column in rows.map { $0[column] } })
      return switch orientation {
      case .upright: self
      case .mirrored: mirrored  // top, right
      case .upsideDown: upsideDown.mirrored  // bottom, right
      case .mirroredUpsideDown: upsideDown  // bottom, left
      case .mirroredTurnedLeft: transposed  // left, top
      case .turnedRight: transposed.mirrored  // right, top
      case .mirroredTurnedRight: Grid(rows: transposed.mirrored.rows.reversed())  // right, bottom
      case .turnedLeft: Grid(rows: transposed.rows.reversed())  // left, bottom
      }
    }
  }
}
