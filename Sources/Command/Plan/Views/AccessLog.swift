internal import TesseraBytes
internal import TesseraCatalog
internal import TesseraManifest
internal import TesseraOutput
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
