import Foundation
import TesseraCatalog
import Testing

@testable import TesseraTestSupport

/// A chart of 24 colours in many colour spaces, through the whole pipeline. Each patch is compared
/// with LittleCMS's conversion of the source.
@Suite struct ColourTests {
  /// Published sRGB values of a ColorChecker's patches, rounded.
  private static let patches: [[Int]] = [
    [115, 82, 68], [194, 150, 130], [98, 122, 157], [87, 108, 67], [133, 128, 177],
    [103, 189, 170], [214, 126, 44], [80, 91, 166], [193, 90, 99], [94, 60, 108],
    [157, 188, 64], [224, 163, 46], [56, 61, 150], [70, 148, 73], [175, 54, 60], [231, 199, 31],
    [187, 86, 149], [8, 133, 161], [243, 243, 242], [200, 200, 200], [160, 160, 160],
    [122, 122, 121], [85, 85, 85], [52, 52, 52],
  ]
  private static let side = 32
  private static let columns = 6

  /// Test data published by Sharma et al., which verifies the implementation of CIEDE2000.
  @Test(
    arguments: [
      ([50, 2.6772, -79.7751], [50, 0, -82.7485], 2.0425),
      ([50, -1.3802, -84.2814], [50, 0, -82.7485], 1.0000),
      ([50, 2.5, 0], [73, 25, -18], 27.1492), ([50, 2.5, 0], [50, 0, -2.5], 4.3065),
      ([60.2574, -34.0099, 36.2677], [60.4626, -34.1751, 39.4387], 1.2644),
      ([6.7747, -0.2908, -2.4247], [5.8714, -0.0985, -2.2286], 0.6377),
      ([90.8027, -2.0831, 1.441], [91.1528, -1.6435, 0.0447], 1.4441),
    ] as [([Double], [Double], Double)])
  func colourDifferenceIsCIEDE2000(_ first: [Double], _ second: [Double], _ expected: Double) {
    #expect(abs(ColourDifference.ofLab(first, second) - expected) < 0.0001)
  }

  /// The mean colour of the centre of a patch.
  private static func patch(_ index: Int, of pixels: Pixels) -> [Double] {
    let (left, top) = (index % columns * side, index / columns * side)
    var sums = [0.0, 0, 0]
    for y in top + 12..<top + 20 {
      for x in left + 12..<left + 20 {
        let sample = pixels[x, y]
        for band in 0..<3 { sums[band] += Double(sample[pixels.bands < 3 ? 0 : band]) / 64 }
      }
    }
    return sums
  }

  @Test(.faults(.i11, .i12)) func everyPatchMatchesLittleCMS() async throws {
    let folder = try TemporaryFolder()
    let chart = folder.path("srgb.png")
    try await Pixels.make(
      chart, width: Self.columns * Self.side, height: Self.patches.count / Self.columns * Self.side
    ) { x, y in Self.patches[y / Self.side * Self.columns + x / Self.side] }
    func vips(_ words: String...) async throws {
      let result = try await Tool.run("/usr/bin/vips", words)
      try #require(result.status == 0, "\(words) \(result.errors)")
    }
    let profiles = "/usr/share/color/icc/colord"
    try await vips("icc_transform", chart, folder.path("p3.png"), "p3", "--input-profile", "srgb")
    try await vips(
      "icc_transform", chart, folder.path("adobe.png"), "\(profiles)/AdobeRGB1998.icc",
      "--input-profile", "srgb")
    try await vips(
      "icc_transform", chart, folder.path("prophoto.png"), "\(profiles)/ProPhotoRGB.icc",
      "--input-profile", "srgb", "--depth", "16")
    try await vips(
      "icc_transform", chart, folder.path("inks.tif"), "cmyk", "--input-profile", "srgb")
    try await vips(
      "icc_transform", chart, folder.path("inks.jpg[Q=100]"), "cmyk", "--input-profile", "srgb")
    try await vips("copy", "\(folder.path("p3.png"))", "\(folder.path("p3.jpg"))[Q=100]")
    let names = [
      "srgb.png", "p3.png", "adobe.png", "prophoto.png", "inks.tif", "inks.jpg", "p3.jpg",
    ]
    let nginx = try await Nginx(serving: URL(filePath: folder.path("")))
    let fixture = try RunFixture(
      manifest: names.map { #"{"id":"\#($0)","url":"\#(nginx.url("/\($0)"))"}"# + "\n" }.joined(),
      keys: "scales: [1]\nvariants: {format: [webp, png]}", slots: "slots: {a: {size: 1000x}}")
    let run = try await fixture.run()
    #expect(run.status == 0, "\(run.output) \(run.errors)")
    await nginx.stop()
    for image in try fixture.catalog.images {
      #expect(image.warnings == nil, "\(image.id): \(image.warnings ?? [])")
      let reference = folder.path("reference.png")
      if image.id == "srgb.png" {
        try await vips("copy", chart, reference)
      } else {
        try await vips(
          "icc_transform", folder.path(image.id), reference, "srgb", "--embedded", "--intent",
          "relative", "--depth", "8")
      }
      let expected = try Pixels(reference)
      let variant = try #require(image.variants.first)
      let lossless = try #require(variant.also.first)
      for (path, limit) in [(variant.reference, 2.0), (lossless.reference, 1.0)] {
        let pixels = try Pixels(fixture.folder.path("out/\(path)"))
        for index in Self.patches.indices {
          let difference = ColourDifference.between(
            Self.patch(index, of: pixels), Self.patch(index, of: expected))
          #expect(difference < limit, "\(image.id), patch \(index), \(path): \(difference)")
        }
      }
    }
  }
}
