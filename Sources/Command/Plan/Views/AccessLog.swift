internal import TesseraBytes
internal import TesseraCatalog
internal import TesseraJSON
internal import TesseraManifest
internal import TesseraOutput
internal import TesseraPlan
internal import TesseraSystem

/// How often files were requested, from the access logs of servers. Nothing else of a log is kept.
struct AccessLog: Sendable {
  /// Requests by the beginnings of digests of the paths of the files.
  private var requests: [UInt128: Int] = [:]
  /// Requests of files of this kind.
  private(set) var views = 0
  /// Lines about files that are of no known form, or that are too long.
  private(set) var unread = 0
  /// The columns of the lines that follow, where a log names them.
  private var columns: AccessLogLine.Columns?

  init() {}

  /// - Parameter paths: of logs, which may be compressed with gzip.
  /// - Throws: ``TesseraError`` if one can't be read, or if none has a request of a file.
  init(reading paths: [String]) throws {
    for path in paths { try read(path) }
    guard views == 0 else { return }
    let reason =
      unread > 0
      ? "\(unread) lines about files are in no known form; expected the combined format, columns that \"#Fields:\" names, or JSON objects with method, uri and status"
      : "they have no request of a file of an output, such as GET /variants/3f/9c/3f9c…-192x256-8c22….webp"
    throw TesseraError(.local, "the logs \(paths.joined(separator: ", ")): \(reason)")
  }

  private mutating func read(_ path: String) throws {
    columns = nil
    var splitter = RecordSplitter()
    do {
      let file = try File(path, .read)
      var gunzip: Gunzip?
      var isAtStart = true
      while true {
        var bytes: [UInt8] = []
        guard try file.read(1 << 18, into: &bytes) > 0 else { break }
        if isAtStart, bytes.starts(with: [0x1F, 0x8B]) { gunzip = Gunzip() }
        isAtStart = false
        guard let gunzip else {
          take(bytes, &splitter)
          continue
        }
        gunzip.add(bytes)
        while let chunk = try gunzip.next() { take(chunk, &splitter) }
      }
    } catch let error as SystemError {
      throw error
    } catch let error as Gunzip.Failure {
      throw TesseraError(.local, "the log \"\(path)\": \(error.reason)")
    } catch {
      throw TesseraError(.local, "the log \"\(path)\": \(error)")
    }
    if let last = splitter.finish() { add(last) }
  }

  private mutating func take(_ bytes: [UInt8], _ splitter: inout RecordSplitter) {
    var rest = bytes[...]
    while let record = splitter.next(in: &rest) { add(record) }
  }

  private mutating func add(_ record: RecordSplitter.Record) {
    if let bytes = record.bytes { add(bytes) } else { unread += 1 }
  }

  mutating func add(_ bytes: [UInt8]) {
    if let named = AccessLogLine.Columns(bytes) {
      columns = named
      return
    }
    // Most lines of most logs are about something else.
    guard bytes.contains(Self.folder) else { return }
    guard let line = AccessLogLine(bytes, columns) else {
      unread += 1
      return
    }
    guard line.isView, let digest = Self.digest(inTarget: line.target) else { return }
    views += 1
    requests[digest, default: 0] += 1
  }

  private static let folder = Array("variants/".utf8)

  /// The beginning of the digest of the path that a target ends in.
  private static func digest(inTarget target: Substring) -> UInt128? {
    let path = target.prefix { $0 != "?" && $0 != "#" }
    guard let start = path.ranges(of: "variants/").last?.lowerBound else { return nil }
    return digest(ofPath: String(path[start...]))
  }

  private static func digest(ofPath path: String) -> UInt128? {
    FileName.parts(of: path) == nil ? nil : UInt128(SHA256.of(path).prefix(32), radix: 16)
  }

  /// The requests of a file by its path in the output. They are taken once: of several images with one file, which have the
  /// same source, the first one has them all.
  mutating func takeRequests(of path: String) -> Int {
    Self.digest(ofPath: path).flatMap { requests.removeValue(forKey: $0) } ?? 0
  }
}

extension [UInt8] {
  fileprivate func contains(_ word: [UInt8]) -> Bool {
    guard let first = word.first, count >= word.count else { return false }
    let bytes = span
    for start in 0...(count - word.count) where bytes[start] == first {
      var length = 1
      while length < word.count, bytes[start + length] == word[length] { length += 1 }
      if length == word.count { return true }
    }
    return false
  }
}

/// A request in a log: in the Combined Log Format (nginx, Apache, Caddy), with named columns (W3C Extended Log Format:
/// CloudFront, IIS), or as a JSON object on a line (Caddy, and what others write so).
struct AccessLogLine: Equatable {
  var method: String
  /// A path or a URL.
  var target: Substring
  var status: Int

  /// Whether people got to see what was requested.
  var isView: Bool {
    method == "GET" && (200..<300 ~= status || status == 304)
  }

  init?(_ bytes: [UInt8], _ columns: Columns?) {
    if bytes.first(where: { $0 != UInt8(ascii: " ") }) == UInt8(ascii: "{") {
      self.init(json: bytes)
    } else if let columns {
      self.init(columns: columns, String(decoding: bytes, as: UTF8.self))
    } else {
      self.init(combined: String(decoding: bytes, as: UTF8.self))
    }
  }

  private init?(_ method: some StringProtocol, _ target: Substring, _ status: Int?) {
    guard let status else { return nil }
    (self.method, self.target, self.status) = (String(method), target, status)
  }

  /// `GET /a HTTP/1.1`, as it stands in the first line of a request.
  private init?(request: Substring, _ status: Int?) {
    let words = request.split(separator: " ")
    guard words.count >= 2 else { return nil }
    self.init(words[0], words[1], status)
  }

  /// `192.0.2.1 - - [10/Oct/2026:13:55:36 +0000] "GET /a HTTP/1.1" 200 2326 …`
  private init?(combined line: String) {
    let parts = line.split(separator: "\"", maxSplits: 2, omittingEmptySubsequences: false)
    guard parts.count == 3 else { return nil }
    self.init(request: parts[1], parts[2].split(separator: " ").first.flatMap { Int($0) })
  }

  // MARK: Named columns

  /// The places of columns, from a line such as `#Fields: date cs-method cs-uri-stem sc-status`.
  struct Columns: Sendable, Equatable {
    let method: Int
    let target: Int
    let status: Int

    init?(_ line: [UInt8]) {
      guard line.starts(with: Array("#Fields:".utf8)) else { return nil }
      let names = String(decoding: line, as: UTF8.self).dropFirst("#Fields:".count)
        .split { $0 == " " || $0 == "\t" }
      guard let method = names.firstIndex(of: "cs-method"),
        let target = names.firstIndex(of: "cs-uri-stem") ?? names.firstIndex(of: "cs-uri"),
        let status = names.firstIndex(of: "sc-status")
      else { return nil }
      (self.method, self.target, self.status) = (method, target, status)
    }
  }

  private init?(columns: Columns, _ line: String) {
    let values = line.split { $0 == " " || $0 == "\t" }
    guard values.count > max(columns.method, columns.target, columns.status) else { return nil }
    self.init(values[columns.method], values[columns.target], Int(values[columns.status]))
  }

  // MARK: JSON

  private static let targets = ["uri", "request_uri", "path", "url", "cs-uri-stem"]
  private static let methods = ["method", "request_method", "cs-method"]
  private static let statuses = ["status", "status_code", "sc-status"]

  private init?(json bytes: [UInt8]) {
    guard let line = try? JSONParser.parse(bytes) else { return nil }
    let status = Self.statuses.lazy.compactMap { line[$0] }.first.flatMap { value in
      value.intValue ?? value.stringValue.flatMap { Int($0) }
    }
    if let request = line["request"]?.stringValue {
      self.init(request: request[...], status)
      return
    }
    // Caddy has the request as an object.
    let request = line["request"] ?? line
    guard let method = Self.methods.lazy.compactMap({ request[$0]?.stringValue }).first,
      let target = Self.targets.lazy.compactMap({ request[$0]?.stringValue }).first
    else { return nil }
    self.init(method, target[...], status)
  }
}

extension AccessLog {
  /// How often the image of a line of the catalog was viewed in each place; nil if none of its files was requested.
  mutating func takeWeights(
    of line: ArraySlice<UInt8>, _ formats: [CatalogFormat], _ settings: PlanSettings
  ) -> ViewWeights? {
    guard let image = try? CatalogImage(reading: Array(line), formats) else { return nil }
    var counts: [Int] = []
    for variant in image.variants {
      counts.append(variant.allFiles.compactMap(\.path).reduce(0) { $0 + takeRequests(of: $1) })
    }
    guard counts.contains(where: { $0 > 0 }) else { return nil }
    return ViewWeights(counts, image.slots.mapValues(\.variants), settings)
  }
}
