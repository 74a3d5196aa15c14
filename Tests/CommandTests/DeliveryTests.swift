import Foundation
import TesseraCatalog
import TesseraTestSupport
import Testing

/// `delivery`: an image service makes the variants, and a run learns sizes alone.
@Suite struct DeliveryTests {
  private static let names = [
    "plain.jpg", "rotated-phone-shot.jpg", "animated.gif", "tall-900x20000.png",
    "transparent-lossless.webp",
  ]

  private static let animationBytes =
    (try? Data(contentsOf: Places.fixtures.appending(path: "animated.gif")).count) ?? 0

  private static func manifest(_ nginx: Nginx, _ names: [String] = names) -> String {
    names.map { #"{"id":"\#($0)","url":"\#(nginx.url("/\($0)"))?v=1"}"# + "\n" }.joined()
  }

  private static func text(_ result: Tool.Result) -> String { result.output + result.errors }

  /// Of each preset whose URLs need nothing but a base: valid catalogs at the cost of a layout run, no file made, and
  /// the secrets nowhere in the output.
  @Test(arguments: [
    (
      "nos", "",
      "/plain.jpg?imageView&thumbnail=64y64&axis=5_5&type=webp&quality=80&stripmeta=1&tostatic=0&v=1"
    ),
    (
      "imgproxy", "base: https://img.example, key: \"${IMG_KEY}\", salt: \"${IMG_SALT}\"",
      "/rs:fill:64:64:0/g:fp:0.5:0.5/q:80/sm:1/plain/http%3A%2F%2F127.0.0.1%3APORT%2Fplain.jpg%3Fv%3D1@webp"
    ),
    (
      "thumbor", "base: https://img.example, key: \"${IMG_KEY}\"",
      "/64x64/filters:quality(80):format(webp):strip_exif()/http://127.0.0.1:PORT/plain.jpg%3Fv%3D1"
    ),
  ])
  func variantsAreURLs(_ preset: String, _ keys: String, _ end: String) async throws {
    let nginx = try await Nginx(serving: Places.fixtures)
    let more = keys.isEmpty ? "" : ", \(keys)"
    let fixture = try RunFixture(
      manifest: Self.manifest(nginx), keys: "delivery: {preset: \(preset)\(more)}")
    let secrets = ["IMG_KEY": "7365637265742d6b6579", "IMG_SALT": "7365637265742d73616c74"]
    let result = try await fixture.run(environment: secrets)
    #expect(result.status == 0, "\(result.errors)")
    #expect(result.output.contains(" of an image service\n"), "\(result.output)")
    let catalog = try fixture.catalog
    #expect(catalog.images.map(\.status) == Self.names.map { _ in .ok })
    let context = CatalogContext(catalog, accepting: [])
    for image in catalog.images {
      #expect(!image.variants.isEmpty)
      // The other services keep no animations.
      let isOriginal = image.id == "animated.gif" && preset != "nos"
      for variant in image.variants {
        #expect(variant.path == nil && (variant.bytes != nil) == isOriginal)
        #expect(variant.isOriginal == isOriginal)
        #expect(context.url(of: variant.reference) == variant.url)
      }
    }
    let avatar = try #require(
      catalog.images[0].variant(for: "avatar", scale: 1, in: catalog)?.url)
    #expect(avatar.hasSuffix(end.replacing("PORT", with: "\(nginx.port)")), "\(avatar)")
    let report = try fixture.report
    #expect(report["decodes"] == 0)
    // The frames of the animation are counted, in one more request.
    #expect(report["fetch.requests"] == Self.names.count + 1)
    #expect(report["fetch.bytes"] ?? .max <= Self.names.count * 3584 + Self.animationBytes)
    #expect(!FileManager.default.fileExists(atPath: fixture.folder.path("out/variants/3f")))
    // Not even in the state, which is a database, or as bytes.
    let found = try await Tool.run(
      "/usr/bin/grep", ["-rlaE", "7365637265742d|secret-(key|salt)", fixture.folder.path("out")])
    #expect(found.status == 1, "\(found.output)")
    // The same again costs no byte.
    let text = try fixture.catalogText
    #expect(try await fixture.run(environment: secrets).status == 0)
    #expect(try fixture.catalogText == text)
    #expect(try fixture.report["fetch.bytes"] == 0)
    // Another key is another catalog.
    guard !keys.isEmpty else { return await nginx.stop() }
    var others = secrets
    others["IMG_KEY"] = "6f74686572"
    #expect(try await fixture.run(environment: others).status == 0)
    #expect(
      try fixture.catalog.pipeline.fingerprint != Catalog(reading: text.utf8).pipeline.fingerprint)
    #expect(try fixture.catalogText != text)
    await nginx.stop()
  }

  /// A size over the limit of a format moves to another one of the same service. Beyond all of them, the source itself is the
  /// variant.
  @Test(.faults(.c21)) func limitsAreStated() async throws {
    let nginx = try await Nginx(serving: Places.fixtures)
    let keys = """
      rounding: exact
      scales: [1]
      delivery: {template: "/{width}x{height}.{format}", base: https://a.example, formats: {webp: webp, jpeg: jpg}%}
      """
    let fixture = try RunFixture(
      manifest: Self.manifest(nginx, ["tall-900x20000.png"]),
      keys: keys.replacing("%", with: ""), slots: "slots: {a: {size: 900x}, b: {size: 90x}}")
    let source = nginx.url("/tall-900x20000.png") + "?v=1"
    func variants() async throws -> [String] {
      let result = try await fixture.run()
      #expect(result.status == 0, "\(result.errors)")
      return try fixture.catalog.images[0].variants.map {
        "\($0.url ?? "") \($0.type) \($0.width)x\($0.height) \($0.fallback ?? "")"
          + ($0.isOriginal ? " original of \($0.bytes ?? 0) bytes" : "")
      }
    }
    let bytes = try Data(contentsOf: Places.fixtures.appending(path: "tall-900x20000.png")).count
    #expect(
      try await variants() == [
        "https://a.example/90x2000.webp image/webp 90x2000 ",
        "https://a.example/900x20000.jpg image/jpeg 900x20000 webp-size-limit",
      ])
    try fixture.write(
      keys: keys.replacing("%", with: ", longest-side: 4096"),
      slots: "slots: {a: {size: 900x}, b: {size: 90x}}")
    #expect(
      try await variants() == [
        "https://a.example/90x2000.webp image/webp 90x2000 ",
        "\(source) image/png 900x20000 service-limit original of \(bytes) bytes",
      ])
    try fixture.write(
      keys: keys.replacing("%", with: ", pixels: {webp: 80000}"),
      slots: "slots: {a: {size: 900x}, b: {size: 90x}}")
    #expect(
      try await variants() == [
        "https://a.example/90x2000.jpg image/jpeg 90x2000 webp-size-limit",
        "https://a.example/900x20000.jpg image/jpeg 900x20000 webp-size-limit",
      ])
    // Of a source that the service does not read it makes nothing.
    try fixture.write(
      keys: keys.replacing("%", with: ", source-pixels: 1MP"),
      slots: "slots: {a: {size: 900x}, b: {size: 90x}}")
    #expect(
      try await variants() == [
        "\(source) image/png 900x20000 service-limit original of \(bytes) bytes"
      ])
    let sample = try await Tool.run(
      Places.tessera,
      ["verify", fixture.folder.path("out"), "--sample", "5", "--allow", "loopback"])
    #expect(sample.status == 0, "\(Self.text(sample))")
    await nginx.stop()
  }

  /// What neither the service reads nor every client shows is not an image to show.
  @Test func anUnreadableSourceIsRejected() async throws {
    let nginx = try await Nginx(serving: Places.fixtures)
    let fixture = try RunFixture(
      manifest: Self.manifest(nginx, ["formats/lab.tif"]),
      keys: "delivery: {preset: imgix, base: https://a.example, source-pixels: 1}")
    let result = try await fixture.run()
    #expect(result.status == 1 && result.errors.contains("allows 1"), "\(result.errors)")
    await nginx.stop()
  }

  /// Files are made of what the service can't make, and of nothing else.
  @Test(.faults(.c21)) func filesAreMadeOfExceptions() async throws {
    let nginx = try await Nginx(serving: Places.fixtures)
    let names = ["plain.jpg", "animated.gif", "tall-900x20000.png"]
    func keys(_ exceptions: String) -> String {
      """
      scales: [1]
      delivery: {preset: fastly, base: https://a.example, files-for: [\(exceptions)]}
      """
    }
    let fixture = try RunFixture(
      manifest: Self.manifest(nginx, names), keys: keys("oversized, animated"),
      slots: "slots: {a: {size: 900x}}")
    let result = try await fixture.run()
    #expect(result.status == 0, "\(result.errors)")
    func kinds() throws -> [String] {
      try fixture.catalog.images.map { image in
        image.variants.map { variant in
          (variant.path == nil ? "" : "file ") + (variant.isOriginal ? "original " : "")
            + variant.type
        }.joined(separator: ", ")
      }
    }
    #expect(try kinds() == ["image/webp", "file image/webp", "file image/jpeg"])
    #expect(try fixture.report["decodes"] == 2)
    let verify = try await Tool.run(
      Places.tessera, ["verify", fixture.folder.path("out"), "--deep"])
    #expect(verify.status == 0, "\(Self.text(verify))")
    // The same again costs nothing, and gives the same.
    let text = try fixture.catalogText
    #expect(try await fixture.run().status == 0)
    #expect(try fixture.catalogText == text)
    #expect(try fixture.report["fetch.bytes"] == 0 && fixture.report["decodes"] == 0)
    // A copy is not needed of what has its files.
    try fixture.write(keys: keys("animated"), slots: "slots: {a: {size: 900x}}")
    #expect(try await fixture.run().status == 0)
    #expect(try kinds() == ["image/webp", "file image/webp", "original image/png"])
    let prune = try await Tool.run(
      Places.tessera, ["prune", fixture.folder.path("out"), "--grace", "0s"])
    #expect(prune.status == 0, "\(Self.text(prune))")
    let after = try await Tool.run(
      Places.tessera, ["verify", fixture.folder.path("out"), "--deep"])
    #expect(after.status == 0, "\(Self.text(after))")
    await nginx.stop()
  }

  /// A service that does not crop delivers the whole image, covering the slot, at one of its widths.
  @Test func withoutCropsTheWholeImageCovers() async throws {
    let nginx = try await Nginx(serving: Places.fixtures)
    let fixture = try RunFixture(
      manifest: Self.manifest(nginx, ["plain.jpg", "rotated-phone-shot.jpg"]),
      keys: "scales: [1, 2]\ndelivery: {preset: next, base: https://a.example}",
      slots: "slots: {avatar: {size: 36x36, mode: clip}}")
    #expect(try await fixture.run().status == 0)
    let images = try fixture.catalog.images
    // 240 x 160 covers 36 x 36 as 54 x 36, and 72 x 72 as 108 x 72; 64 and 128 are widths of the service.
    #expect(images[0].variants.map { "\($0.width)x\($0.height)" } == ["64x43", "128x85"])
    #expect(images[0].variants[0].url?.hasSuffix("plain.jpg%3Fv%3D1&w=64&q=75") == true)
    #expect(images[0].slots["avatar"].map { [$0.width, $0.height] } == [36, 36])
    // 600 x 800 as 48 x 64, and 96 x 128.
    #expect(images[1].variants.map { "\($0.width)x\($0.height)" } == ["48x64", "96x128"])
    let page = try await Tool.run(
      Places.tessera,
      ["export", fixture.folder.path("out"), "--as", "html", "--to", fixture.folder.path("a.html")])
    #expect(page.status == 0, "\(page.errors)")
    let style = try fixture.folder.text("a.css")
    #expect(style.contains("img.tessera-avatar{aspect-ratio:36/36;object-fit:cover}"), "\(style)")
    await nginx.stop()
  }

  /// With `files: true` a variant has both, unless the service can't make it.
  @Test func filesAndURLsStandSideBySide() async throws {
    let nginx = try await Nginx(serving: Places.fixtures)
    let file = Places.fixtures.appending(path: "plain.jpg").path
    let fixture = try RunFixture(
      manifest: Self.manifest(nginx, ["plain.jpg"]) + #"{"id":"own","url":"file://\#(file)"}"#,
      keys: """
        fetch: {allow: [loopback, "files:\(Places.fixtures.path)"]}
        variants: {format: [webp, png]}
        delivery: {preset: imgproxy, base: https://a.example, files: true}
        """)
    #expect(try await fixture.run().status == 0)
    let catalog = try fixture.catalog
    for variant in catalog.images[0].variants {
      for file in variant.files {
        #expect(file.path != nil && file.bytes != nil)
        #expect(file.url?.hasPrefix("https://a.example/unsafe/rs:") == true)
      }
    }
    #expect(
      catalog.images[1].variants.flatMap(\.files).allSatisfy { $0.url == nil && $0.path != nil })
    #expect(catalog.images[0].placeholder != nil)
    let verify = try await Tool.run(
      Places.tessera, ["verify", fixture.folder.path("out"), "--deep"])
    #expect(verify.status == 0, "\(Self.text(verify))")
    // Without files, a service can't fetch a file of this machine.
    try fixture.write(
      keys: """
        fetch: {allow: [loopback, "files:\(Places.fixtures.path)"]}
        delivery: {preset: imgproxy, base: https://a.example}
        """)
    let result = try await fixture.run()
    #expect(result.status == 1)
    #expect(
      result.errors.contains(
        "own: An image service fetches http(s) URLs only (\"delivery\"). (bad-url)"),
      "\(result.errors)")
    #expect(try fixture.catalog.outline[1] == "own failed [bad-url]")
    let assets = try await Tool.run(
      Places.tessera,
      ["export", fixture.folder.path("out"), "--as", "android", "--to", fixture.folder.path("res")])
    #expect(assets.status == 2)
    #expect(
      assets.errors.contains("this export needs files; run with \"delivery.files: true\" first"))
    await nginx.stop()
  }

  /// A source that is away for a while is still shown: the service may have it.
  @Test func anUnreachableSourceIsStale() async throws {
    let server = try FaultServer(["/a": { $1.fixture("plain.jpg") }])
    let fixture = try RunFixture(
      manifest: server.url("/a") + "\n", keys: "delivery: {preset: nos}")
    #expect(try await fixture.run().status == 0)
    let variants = try fixture.catalog.images[0].variants
    server.route("/a") { $1.respond("503 Service Unavailable") }
    #expect(try await fixture.run().status == 1)
    var image = try fixture.catalog.images[0]
    #expect(image.status == .stale && image.error?.code == "http-status")
    #expect(image.variants == variants)
    server.route("/a") { $1.respond("410 Gone") }
    #expect(try await fixture.run().status == 2)
    #expect(try await fixture.run("--allow-loss").status == 1)
    image = try fixture.catalog.images[0]
    #expect(image.status == .failed && image.variants.isEmpty)
    server.stop()
  }

  /// nginx with `image_filter`, a real service, described by a template.
  @Test func aRealServiceMakesWhatTheCatalogSays() async throws {
    let nginx = try await Nginx(
      serving: Places.fixtures,
      server: """
        location ~ ^/(resize|crop)/(\\d+)x(\\d+)/(.*)$ { proxy_pass http://127.0.0.1:PORT/filter/$1/$2/$3/$4; }
        location ~ ^/filter/resize/(\\d+)/(\\d+)/(.*)$ { alias \(Places.fixtures.path)/$3; image_filter resize $1 $2; }
        location ~ ^/filter/crop/(\\d+)/(\\d+)/(.*)$ { alias \(Places.fixtures.path)/$3; image_filter crop $1 $2; }
        """, modules: ["/usr/lib/nginx/modules/ngx_http_image_filter_module.so"])
    let fixture = try RunFixture(
      manifest: ["plain.jpg", "progressive.jpg"].map { nginx.url("/\($0)") + "\n" }.joined(),
      keys: """
        rounding: exact
        variants: {format: jpeg}
        delivery:
          template: "/{mode}/{width}x{height}/{path}"
          modes: {fit: resize, clip: crop}
          formats: {jpeg: jpg}
        """, slots: "slots: {avatar: {size: 36x36, mode: clip}, card: {size: 60x}}")
    let result = try await fixture.run()
    #expect(result.status == 0, "\(result.errors)")
    func tool(_ arguments: String...) async throws -> Tool.Result {
      try await Tool.run(
        Places.tessera, arguments + [fixture.folder.path("out"), "--allow", "loopback"])
    }
    let sample = try await tool("verify", "--sample", "5")
    #expect(
      sample.status == 0 && sample.output == "5 files of 2 images: no problems\n",
      "\(Self.text(sample))")
    let warm = try await tool("warm")
    #expect(warm.status == 0, "\(Self.text(warm))")
    #expect(
      warm.output.hasPrefix("12 files of 2 images, ") && warm.output.hasSuffix(": no problems\n"))
    await nginx.stop()
    let away = try await tool("warm", "--timeout", "1s", "--json")
    #expect(away.status == 1 && away.output.contains("\"problemCount\": 12"), "\(Self.text(away))")
  }

  /// What a service does wrong is reported file by file; a busy one is waited for.
  @Test func problemsOfTheServiceAreNamed() async throws {
    let server = try FaultServer(["/a": { $1.fixture("plain.jpg") }])
    let fixture = try RunFixture(
      manifest: server.url("/a") + "\n",
      keys: """
        scales: [1]
        rounding: exact
        variants: {format: [webp, jpeg]}
        delivery: {base: "\(server.url(""))", template: "/{format}/{width}x{height}", formats: {webp: w, jpeg: j}}
        """, slots: "slots: {card: {size: 120x}, whole: {size: 240x}}")
    #expect(try await fixture.run().status == 0)
    server.route("/w/240x160") { $1.respond("404 Not Found") }
    server.route("/j/240x160") { request, connection in
      if request.before == 0 { return connection.respond("503 Busy", ["Retry-After": "1"]) }
      connection.fixture("plain.jpg")
    }
    server.route("/w/120x80") { $1.fixture("plain.jpg") }
    server.route("/j/120x80") { $1.respond("200 OK", [:], Array("<html>".utf8)) }
    let result = try await Tool.run(
      Places.tessera, ["warm", fixture.folder.path("out"), "--allow", "loopback"])
    #expect(result.status == 1)
    let lines = result.output.split(separator: "\n").dropLast().sorted()
    #expect(
      lines == [
        "\(server.url("/a")): the file \(server.url("/j/120x80")) is not a recognized image",
        "\(server.url("/a")): the file \(server.url("/w/120x80")) has 240 x 160 pixels instead of 120 x 80",
        "\(server.url("/a")): the file \(server.url("/w/240x160")) can't be fetched: the server answered 404 Not Found",
      ], "\(result.output)")
    #expect(result.output.hasSuffix(": 3 problems\n"), "\(result.output)")
    server.stop()
  }

  @Test func onlyOutputsWithURLsAreRequested() async throws {
    let nginx = try await Nginx(serving: Places.fixtures)
    let fixture = try RunFixture(manifest: nginx.url("/plain.jpg") + "\n")
    #expect(try await fixture.run().status == 0)
    for arguments in [["warm"], ["verify", "--sample", "1"]] {
      let result = try await Tool.run(Places.tessera, arguments + [fixture.folder.path("out")])
      #expect(result.status == 2)
      #expect(
        result.errors.contains(
          "names no URLs of an image service; its pipeline needs \"delivery\", and a run"),
        "\(result.errors)")
    }
    await nginx.stop()
  }
}
