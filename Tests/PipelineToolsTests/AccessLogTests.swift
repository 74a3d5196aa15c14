import TesseraCatalog
import TesseraPlan
import TesseraSystem
import TesseraTestSupport
import Testing

@testable import tessera

@Suite struct AccessLogTests {
  private static let source = "3f0123456789abcdef0123456789abcd"
  /// What is in names of WebP and of JPEG.
  private static let formats = [
    CatalogFormat(type: "image/webp", fileExtension: "webp", recipe: "0123456789abcdef"),
    CatalogFormat(type: "image/jpeg", fileExtension: "jpg", recipe: "fedcba9876543210"),
  ]
  private static let path = path("webp")

  /// - Parameter ending: the extension of the file.
  private static func path(
    _ ending: String, width: Int = 192, crop: String? = nil, source: String = source
  ) -> String {
    FileName.path(
      source: source, width: width, height: 256, crop: crop,
      recipe: ending == "webp" ? "0123456789abcdef" : "fedcba9876543210", fileExtension: ending)
  }

  private static func read(_ lines: String...) -> AccessLog {
    var log = AccessLog()
    for line in lines { log.add(Array(line.utf8)) }
    return log
  }

  /// As nginx, Apache and Caddy, CloudFront, and loggers of JSON write a request.
  @Test(arguments: [
    #"192.0.2.1 - - [10/Oct/2026:13:55:36 +0000] "GET /feed/PATH HTTP/1.1" 200 9120 "https://a/" "Mozilla/5.0""#,
    #"192.0.2.1 - u [10/Oct/2026:13:55:36 +0000] "GET http://cdn/PATH?v=1 HTTP/2.0" 304 0"#,
    #"{"level":"info","request":{"remote_ip":"192.0.2.1","method":"GET","host":"a","uri":"/PATH"},"status":206}"#,
    #"{"request":"GET /PATH HTTP/1.1","status":"200"}"#,
    #"{"request_method":"GET","request_uri":"/PATH?a=variants/x","status":200}"#,
    #" {"cs-method":"GET","cs-uri-stem":"/PATH","sc-status":200}"#,
  ])
  func aViewIsCounted(_ form: String) {
    var log = Self.read(form.replacing("PATH", with: Self.path))
    #expect(log.views == 1 && log.unread == 0)
    // Other names are other files.
    for other in [
      Self.path("jpg"), Self.path("webp", width: 193), Self.path("webp", crop: "00c0ffee"),
      Self.path("webp", source: "4f\(Self.source.dropFirst(2))"),
    ] {
      #expect(log.takeRequests(of: other) == 0)
    }
    #expect(log.takeRequests(of: "index.html") == 0)
    #expect(log.takeRequests(of: Self.path) == 1)
    // Of several images with one file the first one has its requests.
    #expect(log.takeRequests(of: Self.path) == 0)
  }

  @Test(arguments: [
    (#"a "POST /PATH HTTP/1.1" 200 1"#, 0), (#"a "HEAD /PATH HTTP/1.1" 200 1"#, 0),
    (#"a "GET /PATH HTTP/1.1" 404 1"#, 0), (#"a "GET /PATH HTTP/1.1" 302 1"#, 0),
    // A page that names a file was requested, and a file that Tessera did not make.
    (#"a "GET / HTTP/1.1" 200 1 "https://a/PATH""#, 0),
    (#"a "GET /variants/3f/01/x.webp HTTP/1.1" 200 1"#, 0),
    (#"a "GET /PATH.gz HTTP/1.1" 200 1"#, 0),
    (#"a "GET /PATH HTTP/1.1" - 1"#, -1), ("a GET /PATH 200", -1), (#"a "GET" 200 PATH"#, -1),
    (#"{"uri":"/PATH","status":200}"#, -1), (#"{"method":"GET","uri":"/PATH"}"#, -1),
    (#"{"method":"GET","uri":"/PATH","status":200"#, -1), ("", 0), ("nonsense", 0),
  ])
  func whatIsNotAView(_ form: String, _ expected: Int) {
    let log = Self.read(form.replacing("PATH", with: Self.path))
    #expect(log.views == max(0, expected) && log.unread == max(0, -expected))
  }

  /// W3C Extended Log Format: the directive names the columns of the lines that follow.
  @Test func columnsHaveNames() {
    var log = Self.read(
      "#Version: 1.0",
      "#Fields: date time x-edge-location sc-bytes c-ip cs-method cs(Host) cs-uri-stem sc-status",
      "2026-10-10\t13:55:36\tFRA2\t9120\t192.0.2.1\tGET\td1.example\t/\(Self.path)\t200",
      "2026-10-10\t13:55:37\tFRA2\t9120\t192.0.2.1\tGET\td1.example\t/\(Self.path)\t403",
      "2026-10-10\t13:55:38\tGET\t/\(Self.path)",
      "#Fields: sc-status cs-uri cs-method", "304 /\(Self.path) GET")
    #expect(log.takeRequests(of: Self.path) == 2 && log.views == 2 && log.unread == 1)
  }

  @Test func logsMayBeCompressed() async throws {
    let folder = try TemporaryFolder()
    let line = #"a "GET /\#(Self.path) HTTP/1.1" 200 1"#
    let plain = try folder.write("\(line)\n\(line)", to: "a.log")
    let packed = try folder.write("\(line)\n", to: "b.log") + ".gz"
    #expect(try await Tool.run("/usr/bin/gzip", [folder.path("b.log")]).status == 0)
    var log = try AccessLog(reading: [plain, packed])
    #expect(log.takeRequests(of: Self.path) == 3)
    let gone = #expect(throws: SystemError.self) { try AccessLog(reading: [folder.path("c")]) }
    #expect(gone?.description.contains("No such file") == true)
    let other = try folder.write("a \"GET / HTTP/1.1\" 200 1\n", to: "other.log")
    let none = #expect(throws: TesseraError.self) { try AccessLog(reading: [other]) }
    #expect(none?.description.contains("they have no request of a file of an output") == true)
    let odd = try folder.write("a /\(Self.path)\n", to: "odd.log")
    let unknown = #expect(throws: TesseraError.self) { try AccessLog(reading: [odd]) }
    #expect(unknown?.description.contains("1 lines about files are in no known form") == true)
  }

  // MARK: Views of an image

  private static let settings = PlanSettings(
    slots: [Slot("avatar", width: 36, height: nil), Slot("card", width: 180, height: nil)],
    scales: [1, 2])

  /// A file that serves several places counts for each as often as their weights say.
  @Test func requestsAreDividedAmongPlaces() {
    var settings = Self.settings
    let uses = ["avatar": [0, 1], "card": [1, 2]]
    #expect(ViewWeights([6, 10, 3], uses, settings).values == [6, 5, 5, 3])
    settings.slotWeights = ["card": 4]
    #expect(ViewWeights([6, 10, 3], uses, settings).values == [6, 2, 8, 3])
    // What the catalog lacks, or has for other scales, is not viewed.
    #expect(
      ViewWeights([6, 10], ["avatar": [0, 1, 1], "card": [1, 9]], settings).values == [0, 0, 10, 0])
    #expect(ViewWeights(settings).values == [1, 1, 4, 4])
  }

  @Test func aLineSaysWhichFilesServeWhichPlaces() {
    let line = """
      {"id":"a","status":"ok","width":3,"height":4,"source":"\(Self.source)","variants":[\
      {"width":192,"height":256,"bytes":[1,1]}],\
      "slots":{"card":{"width":180,"height":240,"variants":[0,0]}},"focus":[0.5,0.25]}
      """
    let image = Array(line.utf8)[...]
    let lines = ["webp", "jpg"].map { #"a "GET /\#(Self.path($0)) HTTP/1.1" 200 1"# }
    var log = Self.read(lines[0])
    #expect(log.takeWeights(of: image, Self.formats, Self.settings)?.values == [0, 0, 0.5, 0.5])
    #expect(log.takeWeights(of: image, Self.formats, Self.settings) == nil)
    log = Self.read(lines[0], lines[1])
    #expect(log.takeWeights(of: Array("no line".utf8)[...], Self.formats, Self.settings) == nil)
    #expect(log.takeWeights(of: image, Self.formats, Self.settings)?.values == [0, 0, 1, 1])
  }
}
