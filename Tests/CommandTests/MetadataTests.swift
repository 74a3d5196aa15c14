import Foundation
import TesseraCatalog
import TesseraTestSupport
import Testing

/// Which metadata of a source is in its files, for every policy and every format.
@Suite struct MetadataTests {
  private static let formats = ["webp", "jpeg", "png", "avif", "jxl", "heic"]

  /// Writes a typical phone photograph: rotated, in Display P3, with a location, a preview, a
  /// maker's note, XMP and IPTC.
  private static func photograph(in folder: TemporaryFolder) async throws {
    let path = folder.path("photo.jpg")
    try FileManager.default.copyItem(at: Places.fixture("display-p3.jpg"), to: URL(filePath: path))
    let preview = Places.fixture("plain.jpg").path
    let result = try await Tool.run(
      "/usr/bin/exiftool",
      [
        "-overwrite_original", "-n", "-Orientation=6", "-GPSLatitude=48.1", "-GPSLatitudeRef=N",
        "-GPSLongitude=11.5", "-GPSLongitudeRef=E", "-Make=Maker", "-Artist=An artist",
        "-ThumbnailImage<=\(preview)", "-XMP-dc:Title=A title", "-IPTC:Keywords=a keyword",
        "-XMP-tiff:Orientation=6", "-IPTC:City=A city", "-XResolution=72", path,
      ])
    try #require(result.status == 0, "\(result.errors)")
  }

  /// The tags that exiftool reads in a file, by `Group:Tag`.
  private static func read(_ path: String) async throws -> [String: String] {
    let result = try await Tool.run(
      "/usr/bin/exiftool", ["-j", "-G1", "-a", "-n", "-struct", path])
    let list = try JSONSerialization.jsonObject(with: Data(result.output.utf8)) as? [[String: Any]]
    return try #require(list?.first).mapValues { "\($0)" }
  }

  @Test(.faults(.i15), arguments: formats)
  func policiesKeepTheirMetadata(_ format: String) async throws {
    let folder = try TemporaryFolder()
    try await Self.photograph(in: folder)
    let before = try await Self.read(folder.path("photo.jpg"))
    // The source must have all kinds, or the test would prove nothing.
    for tag in [
      "GPS:GPSLatitude", "IFD0:Artist", "IFD1:ThumbnailLength", "XMP-dc:Title", "IPTC:Keywords",
      "ICC_Profile:ProfileDescription",
    ] { #expect(before[tag] != nil, "\(tag)") }
    let nginx = try await Nginx(serving: URL(filePath: folder.path("")))
    for (policy, expected) in [
      ("strip", ""), ("keep", "icc exif xmp iptc"), ("icc", "icc"), ("exif", "exif place"),
      ("xmp", "xmp"), ("[icc, xmp]", "icc xmp"), ("iptc", "iptc"),
      ("[exif, iptc]", "exif place iptc"),
    ] {
      let fixture = try RunFixture(
        manifest: nginx.url("/photo.jpg"),
        keys: "scales: [1]\nvariants: {format: \(format), metadata: \(policy)}",
        slots: "slots: {a: {size: 50x}}")
      #expect(try await fixture.run().status == 0)
      let image = try #require(try fixture.catalog.images.first)
      #expect([image.width, image.height] == [160, 240])
      #expect(image.warnings == nil)
      let path = fixture.folder.path("out/\(try #require(image.variants.first).reference)")
      let tags = try await Self.read(path)
      var kinds: [String] = []
      // A JPEG XL's profile is in its codestream, which exiftool does not read.
      let hasProfile =
        format == "jxl"
        ? try await Tool.run("/usr/bin/vipsheader", ["-a", path]).output.contains(
          "icc-profile-data")
          && expected.contains("icc")
        : tags.keys.contains { $0.hasPrefix("ICC_Profile:") || $0.hasPrefix("ICC-header:") }
      if hasProfile { kinds.append("icc") }
      if tags["IFD0:Artist"] == "An artist" { kinds.append("exif") }
      if tags.keys.contains(where: { $0.hasPrefix("GPS:") }) { kinds.append("place") }
      if tags["XMP-dc:Title"] == "A title" { kinds.append("xmp") }
      if tags["IPTC:Keywords"] == "a keyword" { kinds.append("iptc") }
      // Only JPEG can hold IPTC.
      let possible = expected.split(separator: " ").filter { format == "jpeg" || $0 != "iptc" }
        .joined(separator: " ")
      #expect(kinds.joined(separator: " ") == possible, "\(format) \(policy): \(tags)")
      // The location in IPTC follows the same rule.
      #expect(
        (tags["IPTC:City"] != nil) == (kinds.contains("iptc") && expected.contains("place")),
        "\(policy)")
      #expect(["1", nil].contains(tags["XMP-tiff:Orientation"]), "\(policy)")
      if format == "png" {
        // Each kind once, and XMP where readers expect it.
        let parts = Container.parts(of: Array(try Data(contentsOf: URL(filePath: path))))
        #expect(
          parts.filter { ["eXIf", "iTXt", "zTXt", "tEXt"].contains($0) }
            == (kinds.contains("exif") ? ["eXIf"] : []) + (kinds.contains("xmp") ? ["iTXt"] : []),
          "\(policy)")
      }
      if kinds.contains("exif"), !kinds.contains("icc") {
        #expect(["1", nil].contains(tags["ExifIFD:ColorSpace"]), "\(policy)")
      }
      #expect(!tags.keys.contains { $0.hasPrefix("Photoshop:") }, "\(policy)")
      // Under every policy: upright, without a preview, and without unlisted blocks.
      #expect(["1", nil].contains(tags["IFD0:Orientation"]))
      #expect(!tags.keys.contains { $0.hasPrefix("IFD1:") })
      if !expected.contains("exif") {
        #expect(
          !tags.keys.contains { $0.hasPrefix("IFD0:") || $0.hasPrefix("ExifIFD:") }, "\(tags)")
      }
      let size = try Pixels(path)
      #expect(size.width == 85 && size.height == 128)
      await Task.yield()
    }
    await nginx.stop()
  }

  /// A profile belongs to the source's image, which is freed before files are encoded: freed memory, poisoned with
  /// two values, must not reach a file.
  @Test(.faults(.p1)) func noFreedMemoryReachesAPublishedProfile() async throws {
    let folder = try TemporaryFolder()
    var names = ["a.heic", "a.avif", "a.jpg", "a.png", "a.webp", "a.tif", "a.jxl"]
    let source = Places.fixture("display-p3.jpg").path
    for name in names {
      let options = name.hasSuffix("heic") ? "[compression=hevc]" : ""
      let result = try await Tool.run(
        "/usr/bin/vips", ["copy", source, folder.path(name) + options])
      if result.status != 0, result.errors.contains("Unsupported compression") {
        print("not tested: the profile of \(name) (this libheif has no encoder for it)")
        names.removeAll { $0 == name }
        continue
      }
      try #require(result.status == 0, "\(name): \(result.errors)")
    }
    try folder.write(names.map { "file://\(folder.path($0))\n" }.joined(), to: "manifest")
    try folder.write(
      """
      {manifest: manifest, output: out, slots: {a: {size: 50x}}, scales: [1], lanes: off,
      fetch: {allow: ["files:."]}, variants: {format: webp, metadata: [icc, exif, xmp]}}
      """, to: "feed.yaml")
    var runs: [[String: String]] = []
    for poison: UInt8 in [0x5A, 0xC3] {
      let shim = try await WorkerShim(poison: poison)
      defer { withExtendedLifetime(shim) {} }
      let tessera = try await shim.tessera()
      let output = folder.path("out-\(poison)")
      let result = try await Tool.run(
        tessera, ["run", folder.path("feed.yaml"), "--output", output])
      #expect(result.status == 0, "\(result.errors)")
      let catalog = try Catalog(reading: try folder.read("out-\(poison)/catalog.json"))
      var files: [String: String] = [:]
      for image in catalog.images {
        let path = try #require(image.variants.first?.path)
        files[image.id] = path
        let tags = try await Self.read("\(output)/\(path)")
        let name = tags["ICC_Profile:ProfileDescription"]
        // libjxl stores the numbers of a profile, and makes one of them.
        let isOwn = image.format == "jxl" && name?.hasPrefix("RGB_D65_") == true
        #expect(isOwn || name == "sP3C", "\(image.id): \(tags)")
      }
      #expect(files.count == names.count)
      runs.append(files)
    }
    // Files are named by their bytes.
    #expect(runs[0] == runs[1])
  }

  /// What a file has in it is of its source, whatever was in memory before: all fixtures, all formats of files.
  @Test(arguments: ["[webp, jpeg]", "[avif, jxl]", "[heic, png]"])
  func filesAreTheSameInPoisonedMemory(_ formats: String) async throws {
    let folder = try TemporaryFolder()
    let names = try ["", "formats"].flatMap { part in
      try FileManager.default.contentsOfDirectory(atPath: Places.fixture(part).path)
        .map { part.isEmpty ? $0 : "\(part)/\($0)" }
    }.filter { $0.contains(".") }.sorted()
    try folder.write(
      names.map { "{\"id\":\"\($0)\",\"url\":\"file://\(Places.fixture($0).path)\"}\n" }.joined(),
      to: "manifest.jsonl")
    try folder.write(
      """
      {manifest: manifest.jsonl, output: out, scales: [1], fail-above: 100%,
      slots: {a: {size: 50x}, b: {size: 20x20, mode: fill}}, placeholders: [color, thumbhash, blurhash],
      accept: [jpeg, png, gif, webp, avif, heic, tiff, jxl, bmp, ico, svg, jp2],
      fetch: {allow: ["files:\(Places.fixture("").path)"]}, variants: {format: \(formats), metadata: keep}}
      """, to: "feed.yaml")
    var catalogs: [[CatalogImage]] = []
    for poison: UInt8 in [0x5A, 0xC3] {
      let shim = try await WorkerShim(poison: poison)
      defer { withExtendedLifetime(shim) {} }
      let result = try await Tool.run(
        try await shim.tessera(),
        ["run", folder.path("feed.yaml"), "--output", folder.path("out-\(poison)")])
      #expect(result.status < 2, "\(result.errors)")
      catalogs.append(
        try Catalog(reading: try folder.read("out-\(poison)/catalog.json")).images)
    }
    // Files are named by their bytes.
    #expect(catalogs[0] == catalogs[1])
    #expect(catalogs[0].count { $0.status == .ok } >= names.count - 2)
  }

  /// Exif and XMP are kept from sources of every format that has them.
  @Test func metadataIsKeptFromEveryFormat() async throws {
    let folder = try TemporaryFolder()
    let names = [
      "plain.jpg", "grey.png", "lossy.webp", "formats/corners.tif", "formats/corners.heic",
      "formats/corners.avif", "formats/corners.jxl", "formats/tiled-jpeg.tif",
    ].map { URL(filePath: $0) }
    for name in names {
      let path = folder.path(name.lastPathComponent)
      try FileManager.default.copyItem(
        at: Places.fixture(name.relativePath), to: URL(filePath: path))
      let order = name.lastPathComponent == "tiled-jpeg.tif" ? "Big-endian" : "Little-endian"
      let result = try await Tool.run(
        "/usr/bin/exiftool",
        [
          "-m", "-overwrite_original", "-n", "-ExifByteOrder=\(order)", "-EXIF:Artist=An artist",
          "-EXIF:Make=Maker", "-EXIF:FNumber=2.8", "-EXIF:UserComment=A comment",
          "-GPSLatitude=48.1", "-GPSLatitudeRef=N", "-XMP-dc:Title=A title", path,
        ])
      try #require(result.status == 0, "\(name): \(result.errors)")
    }
    let nginx = try await Nginx(serving: URL(filePath: folder.path("")))
    for (policy, hasPlace) in [("keep", false), ("[exif, xmp]", true)] {
      let fixture = try RunFixture(
        manifest: names.map(\.lastPathComponent).map { name in
          #"{"id":"\#(name)","url":"\#(nginx.url("/\(name)"))"}"# + "\n"
        }.joined(),
        keys: "scales: [1]\nvariants: {format: jxl, metadata: \(policy)}",
        slots: "slots: {a: {size: 50x}}")
      let result = try await fixture.run()
      #expect(result.status == 0, "\(result.errors)")
      for image in try fixture.catalog.images {
        let path = try #require(image.variants.first).reference
        let tags = try await Self.read(fixture.folder.path("out/\(path)"))
        #expect(tags["IFD0:Artist"] == "An artist", "\(image.id) \(tags)")
        #expect(tags["IFD0:Make"] == "Maker", "\(image.id)")
        #expect(tags["ExifIFD:FNumber"] == "2.8", "\(image.id)")
        #expect(tags["ExifIFD:UserComment"] == "A comment", "\(image.id)")
        #expect(tags["ExifIFD:ExifImageWidth"] == "\(image.variants[0].width)", "\(image.id)")
        #expect(tags["XMP-dc:Title"] == "A title", "\(image.id)")
        #expect((tags["GPS:GPSLatitude"] == "48.1") == hasPlace, "\(image.id)")
        #expect(image.warnings == nil)
      }
    }
    await nginx.stop()
  }

  /// U1: kept metadata says nothing that a viewer would turn the image by once more. HEIC, AVIF and JPEG XL are turned as
  /// their own headers say, whatever their Exif does, and WebP is not turned.
  @Test(.faults(.u1), arguments: formats)
  func nothingIsTurnedTwice(_ format: String) async throws {
    let folder = try TemporaryFolder()
    let sources = [
      ("plain.jpg", 160, 240), ("grey.png", 80, 120), ("lossy.webp", 240, 160),
      ("formats/turned.tif", 120, 80), ("formats/corners.heic", 120, 80),
      ("formats/corners.avif", 120, 80), ("formats/corners.jxl", 120, 80),
      ("sizes/turned.avif", 80, 120), ("sizes/turned-alpha.avif", 75, 100),
    ].map { (URL(filePath: $0), [$1, $2]) }
    for (name, _) in sources {
      let path = folder.path(name.lastPathComponent)
      try FileManager.default.copyItem(
        at: Places.fixture(name.relativePath), to: URL(filePath: path))
      let result = try await Tool.run(
        "/usr/bin/exiftool",
        [
          "-m", "-overwrite_original", "-n", "-EXIF:Artist=An artist", "-EXIF:Orientation=6",
          "-XMP-tiff:Orientation=6", "-XMP-dc:Title=A title", path,
        ])
      try #require(result.status == 0, "\(name): \(result.errors)")
    }
    let nginx = try await Nginx(serving: URL(filePath: folder.path("")))
    let fixture = try RunFixture(
      manifest: sources.map(\.0.lastPathComponent).map { name in
        #"{"id":"\#(name)","url":"\#(nginx.url("/\(name)"))"}"# + "\n"
      }.joined(),
      keys: "scales: [1]\nvariants: {format: \(format), metadata: keep}",
      slots: "slots: {a: {size: 400x400}}")
    let run = try await fixture.run()
    #expect(run.status == 0, "\(run.errors)")
    #expect(try fixture.report["headerDiffers"] == 0)
    for (image, (name, size)) in zip(try fixture.catalog.images, sources) {
      #expect([image.width, image.height] == size, "\(name)")
      #expect(image.warnings == nil, "\(name)")
      let file = try #require(image.variants.first)
      #expect([file.width, file.height] == size, "\(name)")
      let tags = try await Self.read(fixture.folder.path("out/\(file.reference)"))
      #expect(tags["IFD0:Artist"] == "An artist", "\(name)")
      for tag in ["IFD0:Orientation", "XMP-tiff:Orientation"] {
        #expect(["1", nil].contains(tags[tag]), "\(name): \(tag)")
      }
      #expect(tags.keys.allSatisfy { !$0.hasSuffix(":Rotation") || tags[$0] == "0" }, "\(name)")
    }
    await nginx.stop()
  }

  /// Colours look the same whether they are converted to sRGB or keep the source's profile.
  @Test(arguments: formats)
  func strippedAndKeptProfilesLookTheSame(_ format: String) async throws {
    let nginx = try await Nginx(serving: Places.fixtures)
    var names = ["display-p3.jpg", "plain.jpg", "cmyk.jpg"]
    // JPEG flattens onto white, and translucent colours blend differently in another colour space.
    if format != "jpeg" { names.append("formats/p3-sixteen-bit-alpha.png") }
    func run(_ policy: String) async throws -> RunFixture {
      let fixture = try RunFixture(
        manifest: names.map { #"{"id":"\#($0)","url":"\#(nginx.url("/\($0)"))"}"# + "\n" }.joined(),
        keys:
          "scales: [1]\nvariants: {format: \(format), quality: 95, metadata: \(policy)}",
        slots: "slots: {a: {size: 100x}}")
      #expect(try await fixture.run().status == 0)
      return fixture
    }
    let stripped = try await run("strip")
    let kept = try await run("keep")
    for name in names {
      let plain = try Pixels(try stripped.file(name, "a"))
      let path = try kept.file(name, "a")
      // What a viewer with colour management shows.
      let screen = kept.folder.path("screen.png")
      let shown = try await Tool.run(
        "/usr/bin/vips",
        name == "display-p3.jpg" || name.hasSuffix("alpha.png")
          ? ["icc_transform", path, screen, "srgb", "--embedded", "--depth", "8"]
          : ["copy", path, screen])
      #expect(shown.status == 0, "\(format) \(name): \(shown.errors)")
      let pixels = try Pixels(screen)
      for (x, y) in [(0.25, 0.25), (0.75, 0.25), (0.25, 0.75), (0.75, 0.75)] {
        #expect(
          distance(pixels.at(x, y), plain.at(x, y)) <= 6,
          "\(format) \(name): \(pixels.at(x, y)) \(plain.at(x, y))")
      }
    }
    // Placeholders have no profile, so theirs is a corner's colour in sRGB. All corners have the
    // same size.
    let corners = [[200, 40, 40], [40, 160, 60], [40, 60, 180], [230, 200, 50]]
    for image in try kept.catalog.images where image.id != "cmyk.jpg" {
      let text = try #require(image.placeholder?.color?.dropFirst())
      let colour = stride(from: 0, to: 6, by: 2).compactMap {
        Int(text.dropFirst($0).prefix(2), radix: 16)
      }
      #expect(corners.contains { distance($0, colour) <= 4 }, "\(image.id): \(text)")
    }
    await nginx.stop()
  }

  /// A preview in XMP may show what a crop or a later edit removed. Its packet is not kept.
  @Test func packetsWithPreviewsAreRemoved() async throws {
    let folder = try TemporaryFolder()
    for (name, options) in [
      ("with", ["-XMP-xmp:ThumbnailFormat=JPEG", "-XMP-xmp:ThumbnailWidth=8"]), ("without", []),
    ] {
      let path = folder.path("\(name).jpg")
      try FileManager.default.copyItem(at: Places.fixture("plain.jpg"), to: URL(filePath: path))
      let made = try await Tool.run(
        "/usr/bin/exiftool",
        ["-overwrite_original", "-XMP-dc:Title=A title", "-Artist=An artist"] + options + [path])
      try #require(made.status == 0, "\(made.errors)")
    }
    let nginx = try await Nginx(serving: URL(filePath: folder.path("")))
    let fixture = try RunFixture(
      manifest: ["with", "without"].map { nginx.url("/\($0).jpg") + "\n" }.joined(),
      keys: "scales: [1]\nvariants: {format: jpeg, metadata: keep}",
      slots: "slots: {a: {size: 50x}}")
    #expect(try await fixture.run().status == 0)
    await nginx.stop()
    for (image, title) in zip(try fixture.catalog.images, [nil, "A title"]) {
      let path = fixture.folder.path("out/\(try #require(image.variants.first).reference)")
      let tags = try await Self.read(path)
      #expect(tags["IFD0:Artist"] == "An artist")
      #expect(tags["XMP-dc:Title"] == title, "\(tags)")
    }
  }

  /// Locations are removed from XMP of every namespace, from Exif and from IPTC.
  @Test(.faults(.i15), arguments: formats)
  func locationsAreRemovedUnlessListed(_ format: String) async throws {
    let folder = try TemporaryFolder()
    let ways = [
      ["-XMP-exif:GPSLatitude=48.1"], ["-XMP-photoshop:City=HERE"],
      ["-XMP-iptcCore:Location=HERE"], ["-XMP-iptcExt:LocationCreatedCity=HERE"],
      ["-IFD0:ApplicationNotes<=x.xmp"], ["-GPSLatitude=48.1", "-GPSLatitudeRef=N"],
      ["-IPTC:City=HERE", "-IPTC:Sub-location=HERE", "-IPTC:ContentLocationName=HERE"],
      ["-XMP<=drone.xmp"], ["-XMP-xmpDM:ShotLocation=HERE"],
    ]
    try folder.write(
      "<x:xmpmeta xmlns:x='adobe:ns:meta/'><rdf:RDF xmlns:rdf='http://www.w3.org/1999/02/22-rdf-syntax-ns#'>"
        + "<rdf:Description xmlns:d='http://www.dji.com/drone-dji/1.0/' d:GpsLongtitude='HERE'/>"
        + "</rdf:RDF></x:xmpmeta>", to: "drone.xmp")
    try folder.write(
      "<x:xmpmeta xmlns:x='adobe:ns:meta/'><rdf:RDF xmlns:rdf='http://www.w3.org/1999/02/22-rdf-syntax-ns#'>"
        + "<rdf:Description xmlns:exif='http://ns.adobe.com/exif/1.0/' exif:GPSLatitude='48,6N'/>"
        + "</rdf:RDF></x:xmpmeta>", to: "x.xmp")
    for (index, way) in ways.enumerated() {
      let path = folder.path("\(index).jpg")
      try FileManager.default.copyItem(at: Places.fixture("plain.jpg"), to: URL(filePath: path))
      let words = way.map { word in
        word.replacing(/=([a-z]+\.xmp)/) { "=" + folder.path(String($0.1)) }
      }
      let made = try await Tool.run(
        "/usr/bin/exiftool", ["-overwrite_original", "-n", "-Artist=An artist"] + words + [path])
      #expect(made.status == 0, "\(made.errors)")
    }
    let nginx = try await Nginx(serving: URL(filePath: folder.path("")))
    let fixture = try RunFixture(
      manifest: ways.indices.map { nginx.url("/\($0).jpg") + "\n" }.joined(),
      keys: "scales: [1]\nvariants: {format: \(format), metadata: keep}",
      slots: "slots: {a: {size: 50x}}")
    #expect(try await fixture.run().status == 0)
    await nginx.stop()
    for (way, image) in zip(ways, try fixture.catalog.images) {
      let path = "out/\(try #require(image.variants.first).reference)"
      let tags = try await Self.read(fixture.folder.path(path))
      #expect(tags["IFD0:Artist"] == "An artist", "\(way)")
      let found = tags.keys.filter {
        $0.contains("GPS") || $0.contains("City") || $0.contains("ocation")
      }
      #expect(found.isEmpty, "\(way): \(found)")
      #expect(try fixture.folder.read(path).range(of: Data("HERE".utf8)) == nil, "\(way)")
      #expect(try fixture.folder.read(path).range(of: Data("GPSL".utf8)) == nil, "\(way)")
    }
  }
}
