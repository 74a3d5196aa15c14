import Foundation
import TesseraTestSupport
import Testing

/// A source as a service fetches it.
struct SimulatedSource: Sendable, CustomTestStringConvertible {
  var name: String
  var format: String
  /// As stored, and as displayed.
  var stored: (width: Int, height: Int)
  var shown: (width: Int, height: Int)
  var frames: Int
  var hasAlpha: Bool
  var bytes: Int
  var focus: [Double]?

  var testDescription: String { name }

  static let all: [SimulatedSource] = Tables.rows("sources.tsv").map { row in
    let (width, height) = (Int(row["width"] ?? "") ?? 0, Int(row["height"] ?? "") ?? 0)
    let isTurned = (Int(row["orientation"] ?? "") ?? 1) > 4
    return SimulatedSource(
      name: row["name"] ?? "", format: row["format"] ?? "", stored: (width, height),
      shown: isTurned ? (height, width) : (width, height), frames: Int(row["frames"] ?? "") ?? 0,
      hasAlpha: row["alpha"] == "yes", bytes: Int(row["bytes"] ?? "") ?? 0,
      focus: row["focus"].flatMap { text in
        text == "-" ? nil : text.split(separator: ",").compactMap { Double($0) }
      })
  }
}

/// Tables with a line of names.
enum Tables {
  static func rows(_ name: String) -> [[String: String]] {
    let path = Places.root.appending(path: "Tests/DeliveryTests/\(name)")
    let text = (try? String(contentsOf: path, encoding: .utf8)) ?? ""
    let lines = text.split(separator: "\n").filter { !$0.hasPrefix("#") }
    let names = lines.first?.split(separator: "\t").map(String.init) ?? []
    return lines.dropFirst().map { line in
      Dictionary(
        uniqueKeysWithValues: zip(
          names, line.split(separator: "\t", omittingEmptySubsequences: false).map(String.init)))
    }
  }
}

/// An image service as its pages describe it (`services.tsv`): what it makes of a source by a URL, or why it does not.
struct SimulatedService: Sendable, CustomTestStringConvertible {
  struct Made: Equatable {
    var format: String
    var width: Int
    var height: Int
    var frames: Int
    var hasAlpha: Bool
  }

  /// What it does instead of what is asked.
  struct Failure: Error { var reason: String }

  let name: String
  let makes: [String]
  private let row: [String: String]
  private let grammar: URLGrammar

  var testDescription: String { name }

  static let all: [SimulatedService] = Tables.rows("services.tsv").compactMap { row in
    guard let name = row["name"], let grammar = URLGrammar.of[name] else { return nil }
    return SimulatedService(
      name: name, makes: (row["makes"] ?? "").split(separator: ",").map(String.init), row: row,
      grammar: grammar)
  }

  private func limit(_ column: String) -> Int { Int(row[column] ?? "") ?? .max }

  /// A limit of results; one for a format is written behind that of all.
  private func limit(_ column: String, of format: String) -> Int {
    let parts = (row[column] ?? "").split(separator: ",")
    let own = parts.first { $0.hasPrefix("\(format)=") }.flatMap {
      Int($0.drop { $0 != "=" }.dropFirst())
    }
    return own ?? parts.first.flatMap { Int($0) } ?? .max
  }

  /// The sides that a header of the format holds.
  private static let holds = [
    "webp": 16_383, "jpeg": 65_500, "png": .max, "avif": 16_384, "jxl": 262_144,
  ]

  /// Why it does not read a source; nil if it does.
  func rejection(of source: SimulatedSource) -> String? {
    let reads = row["reads"] ?? "-"
    let area = source.stored.width * source.stored.height
    if reads != "-", !reads.split(separator: ",").contains(source.format[...]) {
      return "it does not read \(source.format)"
    }
    if source.bytes > limit("bytes") { return "the source has too many bytes" }
    if area > limit("pixels") { return "the source has too many pixels" }
    if max(source.stored.width, source.stored.height) > limit("source-side") {
      return "a side of the source is too long"
    }
    guard source.frames > 1 else { return nil }
    if source.frames > limit("source-frames") { return "the source has too many frames" }
    return area * source.frames > limit("animation-pixels") ? "it is sent as it is" : nil
  }

  /// Whether it makes a result of this size.
  func holds(_ width: Int, _ height: Int, in format: String) -> Bool {
    makes.contains(format) && width * height <= limit("area", of: format)
      && max(width, height) <= min(limit("side", of: format), Self.holds[format] ?? 0)
  }

  /// How many frames of a source a WebP has.
  func frames(of source: SimulatedSource) -> Int {
    // No page says that the frames of a PNG are kept.
    source.format == "png" ? 1 : min(source.frames, limit("frames"))
  }

  func make(_ source: SimulatedSource, by url: String) throws -> Made {
    let request = try grammar.parse(url)
    if let rejection = rejection(of: source) { throw Failure(reason: rejection) }
    let turns = row["turns"] ?? "always"
    let whole = turns == "always" || url.contains(turns) ? source.shown : source.stored
    var part = whole
    if let cut = request.cut {
      guard cut.x + cut.width <= whole.width, cut.y + cut.height <= whole.height else {
        throw Failure(reason: "the part is not in the image")
      }
      part = (cut.width, cut.height)
    }
    let size = request.size(of: part)
    guard size.width <= part.width, size.height <= part.height else {
      throw Failure(reason: "the image is enlarged")
    }
    guard holds(size.width, size.height, in: request.format) else {
      throw Failure(reason: "\(request.format) of \(size) is too large")
    }
    var frames = request.format == "webp" ? self.frames(of: source) : 1
    // NOS keeps frames with these words alone.
    if name == "nos", !url.contains("tostatic=0") || request.mode == .clip { frames = 1 }
    return Made(
      format: request.format, width: size.width, height: size.height, frames: frames,
      hasAlpha: source.hasAlpha && request.format != "jpeg")
  }
}
