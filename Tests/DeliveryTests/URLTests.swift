import Foundation
import TesseraCatalog
import TesseraPipelineFile
import TesseraPlan
import TesseraTestSupport
import Testing

/// The URLs of every preset for one table of requests, `requests.jsonl`, compared with those that `urls.py` comes to
/// by itself: `urls.tsv`.
@Suite struct URLTests {
  private struct Request: Decodable {
    var url: String
    var source: [Int]
    var mode: String
    var size: [Int]
    var format: String
    var quality: Int?
    var focus: [Double]
    var metadata: String
    var crop: [Int]?

    var delivery: DeliveryRequest {
      DeliveryRequest(
        url: url, source: PlanSource(size: Size(source[0], source[1])),
        focus: .init(x: focus[0], y: focus[1]),
        mode: CatalogSlot.Mode(rawValue: mode) ?? .fit,
        file: PlannedFile(
          crop: crop.map { Crop(x: $0[0], y: $0[1], size: Size($0[2], $0[3])) },
          size: Size(size[0], size[1]),
          encoding: Encoding(
            format: OutputFormat(rawValue: format) ?? .webp, quality: quality, effort: nil,
            background: nil, isAnimated: false, metadata: metadata == "strip" ? .strip : .keep),
          fallback: nil))
    }
  }

  /// What each service is given besides its preset.
  private static let own = [
    "bunny": "base: https://cdn.example", "cloudflare": "base: https://cdn.example/",
    "cloudinary": "base: https://cdn.example, key: cloudinary-secret",
    "fastly": "base: https://cdn.example", "imgix": "base: https://cdn.example, key: FOO123bar",
    "imgproxy": "base: https://cdn.example, key: 736563726574, salt: 68656c6c6f",
    "next": "base: https://cdn.example",
    "thumbor": "base: https://cdn.example, key: my-security-key",
  ]

  private static func service(_ preset: String) throws -> ImageService {
    let keys = ["preset: \(preset)", own[preset]].compactMap(\.self).joined(separator: ", ")
    let text = """
      manifest: m
      output: o
      slots: {a: {size: 10x}}
      delivery: {\(keys)}
      """
    let file = try PipelineFile.decode(Array(text.utf8), path: "p.yaml") { _ in nil }
    return try #require(file.delivery)
  }

  private static func lines(_ name: String) throws -> [String] {
    let path = Places.root.appending(path: "Tests/DeliveryTests/\(name)")
    return try String(contentsOf: path, encoding: .utf8).split(separator: "\n").map(String.init)
  }

  private static let presets = [
    "aliyun", "bunny", "cloudflare", "cloudinary", "fastly", "imgix", "imgproxy", "next", "nos",
    "qiniu", "tencent", "thumbor",
  ]

  @Test(arguments: presets)
  func aPresetHasTheURLsOfItsService(_ preset: String) throws {
    let service = try Self.service(preset)
    let requests = try Self.lines("requests.jsonl").map {
      try JSONDecoder().decode(Request.self, from: Data($0.utf8))
    }
    let expected = try Self.lines("urls.tsv").filter { $0.hasPrefix("\(preset)\t") }
    try #require(requests.count == 40 && expected.count == 40)
    for (number, (request, line)) in zip(requests, expected).enumerated() {
      let url = service.url(of: request.delivery) ?? "-"
      #expect("\(preset)\t\(number + 1)\t\(url)" == line)
    }
  }

  /// The pipeline's own keys replace those of the preset.
  @Test func aPresetCanBeChanged() throws {
    let text = """
      manifest: m
      output: o
      slots: {a: {size: 10x}}
      delivery: {preset: next, base: "https://a.example", widths: [100, 200], qualities: [50, 90], template: "/i?u={+url}&w={width}&q={quality}"}
      """
    let file = try PipelineFile.decode(Array(text.utf8), path: "p.yaml") { _ in nil }
    let service = try #require(file.delivery)
    let line =
      #"{"url":"https://b.example/c?d=e#f","source":[400,300],"mode":"fit","size":[200,150],"format":"webp","quality":60,"focus":[0.5,0.5],"metadata":"strip"}"#
    let request = try JSONDecoder().decode(Request.self, from: Data(line.utf8))
    #expect(
      service.url(of: request.delivery)
        == "https://a.example/i?u=https://b.example/c?d=e&w=200&q=90")
    #expect(file.plan.service?.widths == [100, 200])
  }

  /// A source that a service can't fetch has no URL.
  @Test(arguments: ["file:///a.jpg", "data:image/png;base64,AA==", "s3://bucket/a.jpg", "a.jpg"])
  func onlyTheWebIsDelivered(_ url: String) throws {
    let lines = try Self.lines("requests.jsonl")
    var request = try JSONDecoder().decode(Request.self, from: Data(lines[0].utf8))
    request.url = url
    #expect(try Self.service("nos").url(of: request.delivery) == nil)
  }
}
