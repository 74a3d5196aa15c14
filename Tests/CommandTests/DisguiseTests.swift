import Foundation
import TesseraCatalog
import TesseraTestSupport
import Testing

/// Files that are not what their names say, and formats that no decoder is called for.
@Suite struct DisguiseTests {
  /// I9: bytes after an image, and a wrong extension. Nothing but the image is published, even if
  /// outputs have the source's own format and keep its metadata.
  @Test(.faults(.i9), arguments: ["strip", "keep"])
  func noOutputHasBytesAfterTheImage(_ metadata: String) async throws {
    let folder = try TemporaryFolder()
    let sources = [
      ("plain.jpg", "png"), ("transparent.png", "jpg"), ("animated.gif", "webp"),
      ("lossy.webp", "avif"), ("formats/corners.avif", "heic"), ("formats/corners.heic", "tif"),
      ("formats/corners.tif", "jxl"), ("formats/corners.jxl", "bmp"),
      ("formats/corners.bmp", "svg"), ("formats/corners.svg", "jp2"),
      ("formats/corners.jp2", "ico"), ("formats/png.ico", "gif"),
    ]
    var manifest = ""
    let nginx = try await Nginx(serving: URL(filePath: folder.path("")))
    for (index, (source, wrong)) in sources.enumerated() {
      let tail = Array("<!-- PK polyglot <?php -->".utf8)
      let bytes = try Places.bytes(source) + tail
      try Data(bytes).write(to: URL(filePath: folder.path("\(index).\(wrong)")))
      manifest += #"{"id":"\#(source)","url":"\#(nginx.url("/\(index).\(wrong)"))"}"# + "\n"
    }
    let fixture = try RunFixture(
      manifest: manifest,
      keys: "accept: [jpeg, png, gif, webp, avif, heic, tiff, jxl, bmp, svg, jp2, ico]\n"
        + "scales: [1]\nvariants: {format: [source, png], quality: 100, metadata: \(metadata)}",
      slots: "slots: {a: {size: 5000x}}")
    let result = try await fixture.run()
    await nginx.stop()
    #expect(result.status == 0, "\(result.errors)")
    for (image, (source, _)) in zip(try fixture.catalog.images, sources) {
      #expect(image.status == .ok, "\(source): \(image.error?.message ?? "")")
    }
    let paths = fixture.folder.files(below: "out/variants")
    #expect(paths.count >= sources.count)
    for path in paths {
      let bytes = try fixture.folder.read("out/variants/\(path)")
      #expect(bytes.range(of: Data("polyglot".utf8)) == nil, "\(path)")
    }
  }

  /// I17: formats for which ImageMagick, Ghostscript or libvips' less tested loaders would be
  /// called. Each is rejected; no other program is started, and no file that it names is opened.
  @Test(.faults(.i17)) func rareFormatsReachNoDecoder() async throws {
    let folder = try TemporaryFolder()
    let canaries = try TemporaryFolder()
    let canary = try canaries.write("a canary", to: "canary.jpg")
    func zeros(_ count: Int) -> [UInt8] { [UInt8](repeating: 0, count: count) }
    let files: [(name: String, bytes: [UInt8])] = [
      ("pdf", Array("%PDF-1.4\n1 0 obj\n<< /F (\(canary)) >>\nendobj\n".utf8)),
      (
        "mvg", Array("push graphic-context\nviewbox 0 0 9 9\nimage over 0,0 9,9 '\(canary)'\n".utf8)
      ),
      ("msl", Array("<?xml version=\"1.0\"?><image><read filename=\"\(canary)\"/></image>".utf8)),
      ("eps", Array("%!PS-Adobe-3.0 EPSF-3.0\n%%BoundingBox: 0 0 9 9\n(\(canary)) run\n".utf8)),
      ("xbm", Array("#define x_width 8\n#define x_height 1\nstatic char x_bits[] = {0};\n".utf8)),
      ("xpm", Array("/* XPM */\nstatic char *x[] = {\"1 1 1 1\", \"a c #000\", \"a\"};\n".utf8)),
      (
        "psd",
        Array("8BPS".utf8) + [0, 1] + zeros(6) + [0, 3, 0, 0, 0, 9, 0, 0, 0, 9, 0, 8, 0, 3]
          + zeros(99)
      ),
      (
        "tga",
        [0, 0, 2] + zeros(9) + [9, 0, 9, 0, 24, 0] + zeros(300)
          + Array("TRUEVISION-XFILE.\0".utf8)
      ),
      ("bmp", try Places.bytes("formats/corners.bmp")),
      ("ico", try Places.bytes("formats/png.ico")),
      ("exr", [0x76, 0x2F, 0x31, 1, 2, 0, 0, 0] + zeros(100)),
      ("fits", Array("SIMPLE  =                    T".utf8) + zeros(2850)),
      ("hdr", Array("#?RADIANCE\nFORMAT=32-bit_rle_rgbe\n\n-Y 9 +X 9\n".utf8) + zeros(400)),
      ("ppm", Array("P6 2 2 255\n".utf8) + zeros(12)),
      ("v", [0xB6, 0xA6, 0xF2, 8, 9, 0, 0, 0, 9, 0, 0, 0, 1, 0, 0, 0] + zeros(200)),
      ("mat", Array("MATLAB 5.0 MAT-file".utf8) + zeros(109)),
      ("csv", Array("1,2\n3,4\n".utf8)),
    ]
    let nginx = try await Nginx(serving: URL(filePath: folder.path("")))
    var manifest = nginx.url("/good.jpg") + "\n"
    try Data(Places.bytes("plain.jpg")).write(to: URL(filePath: folder.path("good.jpg")))
    for (name, bytes) in files {
      // With its own extension, and with that of an image.
      for path in ["a.\(name)", "\(name).jpg"] {
        try Data(bytes).write(to: URL(filePath: folder.path(path)))
        manifest += nginx.url("/\(path)") + "\n"
      }
    }
    let fixture = try RunFixture(
      manifest: manifest, keys: "accept: [jpeg, png, gif, webp]\nworkers: 1")
    let watch = try OpenWatch(canaries.path(""))
    let log = fixture.folder.path("calls")
    let result = try await Tool.run(
      "/usr/bin/strace",
      [
        "-f", "--seccomp-bpf", "-qq", "-e", "trace=execve,execveat", "-o", log, Places.tessera,
        "run", fixture.folder.path("feed.yaml"),
      ])
    await nginx.stop()
    #expect(result.status == 1, "\(result.errors)")
    let images = try fixture.catalog.images
    #expect(images.first?.status == .ok)
    for image in images.dropFirst() {
      let code = image.error?.code ?? image.status.rawValue
      #expect(
        ["not-image", "unsupported-format", "malformed"].contains(code), "\(image.url): \(code)")
    }
    #expect(!watch.hasNoticed())
    let calls = try String(contentsOfFile: log, encoding: .utf8)
      .split(separator: "\n").filter { $0.contains("exec") }
    let own = calls.filter { $0.contains("/tessera\"") || $0.contains("/tessera-worker\"") }
    #expect(calls.count >= 2 && own.count == calls.count, "\(calls)")
  }
}
