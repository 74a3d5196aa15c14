import Foundation
import Synchronization
import TesseraBytes
import TesseraTestSupport

@testable import TesseraNet
@testable import TesseraOutput

/// An object store over loopback, as far as outputs need one, with a clock that only a test moves.
final class ObjectStore: Sendable {
  struct Object: Sendable {
    var bytes: [UInt8]
    var etag: String
    /// Seconds since 1970.
    var written: Int
    var type = ""
    var caching = ""
  }

  fileprivate struct State {
    var objects: [String: Object] = [:]
    var uploads: [String: [Int: [UInt8]]] = [:]
    var now = 1_767_268_800
    var versions = 0
    var pageSize = 1_000
    var hasConditions = true
    /// Answers instead of those of the store, for requests whose line begins so.
    var failures: [String: String] = [:]
    var requests: [String] = []
  }

  /// The error of a run whose place was taken.
  static func lost(_ place: String) -> String {
    "another run has taken over \"s3://feed/out/\(place)\", because this one was not heard of for "
      + "120 s; run it again"
  }

  static let location = StoreLocation(bucket: "feed", key: "out")
  private static let root = "/feed/out/"

  private let server: FaultServer
  private let state = Mutex(State())

  /// - Parameter paths: all objects that it may have, below ``location``.
  init(_ paths: [String]) throws {
    server = try FaultServer()
    for path in ["/feed"] + paths.map({ Self.root + $0 }) {
      server.route(path) { [unowned self] request, connection in
        if request.headers["expect"] != nil { connection.send("HTTP/1.1 100 Continue\r\n\r\n") }
        let count = request.headers["content-length"].flatMap { Int($0) } ?? 0
        self.answer(request, connection.body(count), connection)
      }
    }
  }

  deinit { server.stop() }

  var settings: StoreSettings {
    var settings = StoreSettings(endpoint: server.url(""), environment: { _ in nil })
    settings.attempts = 1
    return settings
  }

  /// Signs with keys that the store does not look at.
  var client: StoreClient {
    StoreClient(settings) { ["AWS_ACCESS_KEY_ID": "k", "AWS_SECRET_ACCESS_KEY": "s"][$0] }
  }

  /// An output in the store, which finds the keys as a program does. The variable is set once, and
  /// is the only one: a
  /// second one could move the others while they are read.
  func open(state: String? = nil) throws -> OpenOutput {
    _ = Self.credentials
    return try OpenOutput("\(Self.location)", state: state, settings)
  }

  private static let credentials: String = {
    let path = FileManager.default.temporaryDirectory.path + "/tessera-test-\(UUID().uuidString)"
    let text = "[default]\naws_access_key_id = k\naws_secret_access_key = s\n"
    _ = FileManager.default.createFile(atPath: path, contents: Data(text.utf8))
    setenv("AWS_SHARED_CREDENTIALS_FILE", path, 1)
    atexit { unlink(ObjectStore.credentials) }
    return path
  }()

  subscript(path: String) -> Object? { state.withLock { $0.objects[Self.root + path] } }
  func text(_ path: String) -> String? {
    self[path].map { String(decoding: $0.bytes, as: UTF8.self) }
  }
  var paths: [String] {
    state.withLock { $0.objects.keys.map { String($0.dropFirst(Self.root.count)) }.sorted() }
  }
  /// The methods and paths of all requests.
  var requests: [String] { state.withLock(\.requests) }

  func pass(_ seconds: Int) { state.withLock { $0.now += seconds } }
  func setPageSize(_ size: Int) { state.withLock { $0.pageSize = size } }
  func ignoreConditions() { state.withLock { $0.hasConditions = false } }
  func fail(_ request: String, _ status: String?) {
    state.withLock { $0.failures[request] = status }
  }
  /// Parts of an object whose writer was killed.
  func leaveParts(of path: String) { state.withLock { $0.uploads[Self.root + path] = [1: [1]] } }
  var partsLeft: [String] {
    state.withLock { $0.uploads.keys.map { String($0.dropFirst(Self.root.count)) }.sorted() }
  }
  func put(_ text: String, at path: String) {
    state.withLock { $0.put(Array(text.utf8), Self.root + path, [:]) }
  }

  private func answer(
    _ request: FaultServer.Request, _ body: [UInt8], _ connection: FaultServer.Connection
  ) {
    state.withLock { state in
      let line = "\(request.method) \(request.path)"
      state.requests.append(line)
      let failure = state.failures.first { line.hasPrefix($0.key) }?.value
      var (status, headers, bytes) =
        failure.map { ($0, [:], []) } ?? state.answer(request, body)
      headers["Date"] = State.date(state.now)
      connection.respond(status, headers, bytes)
    }
  }
}

extension ObjectStore.State {
  fileprivate typealias Answer = (String, [String: String], [UInt8])

  fileprivate static func date(_ seconds: Int) -> String {
    var (time, parts) = (time_t(seconds), tm())
    gmtime_r(&time, &parts)
    var text = [UInt8](repeating: 0, count: 64)
    let count = text.withUnsafeMutableBytes { bytes in
      // An array that is not empty has an address.
      bytes.assumingMemoryBound(to: CChar.self).baseAddress.map {
        strftime($0, bytes.count, "%a, %d %b %Y %H:%M:%S GMT", &parts)
      } ?? 0
    }
    return String(decoding: text.prefix(count), as: UTF8.self)
  }

  fileprivate mutating func put(_ bytes: [UInt8], _ path: String, _ headers: [String: String]) {
    versions += 1
    objects[path] = ObjectStore.Object(
      bytes: bytes, etag: "\"\(versions)\"", written: now, type: headers["content-type"] ?? "",
      caching: headers["cache-control"] ?? "")
  }

  fileprivate mutating func answer(_ request: FaultServer.Request, _ body: [UInt8]) -> Answer {
    let parts = request.path.split(separator: "?", maxSplits: 1)
    let path = String(parts[0])
    var query: [String: String] = [:]
    for part in (parts.count > 1 ? parts[1] : "").split(separator: "&") {
      let pair = part.split(separator: "=", omittingEmptySubsequences: false)
      query[String(pair[0])] = pair[1].removingPercentEncoding
    }
    let object = objects[path]
    let match = request.headers["if-match"]
    let holds =
      !hasConditions
      || (match == nil || match == object?.etag)
        && (request.headers["if-none-match"] == nil || object == nil)
    switch (request.method, query["uploadId"]) {
    case ("GET", _) where query["list-type"] != nil: return list(query)
    case ("GET", _) where query["uploads"] != nil:
      let entries = uploads.keys.sorted().filter {
        $0.hasPrefix("/feed/" + (query["prefix"] ?? ""))
      }
      .map { "<Upload><Key>\($0.dropFirst(6))</Key><UploadId>u</UploadId></Upload>" }
      let list = "ListMultipartUploadsResult"
      return ("200 OK", [:], Array("<\(list)>\(entries.joined())</\(list)>".utf8))
    case ("POST", nil):
      uploads[path] = [:]
      return ("200 OK", [:], Array("<UploadId>u</UploadId>".utf8))
    case ("PUT", "u"?):
      uploads[path]?[Int(query["partNumber"] ?? "") ?? 0] = body
      return ("200 OK", ["ETag": "\"p\""], [])
    case ("DELETE", "u"?), ("POST", _), ("PUT", _), ("DELETE", _):
      guard holds else { return ("412 Precondition Failed", [:], []) }
      if request.method == "DELETE" {
        if query["uploadId"] == nil { objects[path] = nil } else { uploads[path] = nil }
        return ("204 No Content", [:], [])
      }
      let whole = (uploads.removeValue(forKey: path) ?? [:]).sorted { $0.key < $1.key }
      put(request.method == "PUT" ? body : whole.flatMap(\.value), path, request.headers)
      return ("200 OK", ["ETag": objects[path]?.etag ?? ""], [])
    default: return read(object, request, holds)
    }
  }

  private func read(
    _ object: ObjectStore.Object?, _ request: FaultServer.Request, _ holds: Bool
  ) -> Answer {
    guard let object else { return ("404 Not Found", [:], []) }
    guard holds else { return ("412 Precondition Failed", [:], []) }
    let headers = ["ETag": object.etag, "Last-Modified": Self.date(object.written)]
    guard let range = request.range else { return ("200 OK", headers, object.bytes) }
    guard range.lowerBound < object.bytes.count else {
      return ("416 Range Not Satisfiable", headers, [])
    }
    return (
      "206 Partial Content", headers, Array(object.bytes[range.clamped(to: object.bytes.indices)])
    )
  }

  private func list(_ query: [String: String]) -> Answer {
    let prefix = "/feed/" + (query["prefix"] ?? "")
    var entries: [String: String] = [:]
    for (path, object) in objects where path.hasPrefix(prefix) {
      let key = path.dropFirst("/feed/".count)
      if query["delimiter"] != nil,
        let slash = path.dropFirst(prefix.count).firstIndex(of: "/")
      {
        let folder = path[..<slash].dropFirst("/feed/".count) + "/"
        entries[String(folder)] =
          "<CommonPrefixes><Prefix>\(folder)</Prefix></CommonPrefixes>"
      } else {
        entries[String(key)] =
          "<Contents><Key>\(key)</Key><Size>\(object.bytes.count)</Size></Contents>"
      }
    }
    let start = query["continuation-token"] ?? ""
    let rest = entries.sorted { $0.key < $1.key }.filter { $0.key > start }
    let page = rest.prefix(min(pageSize, Int(query["max-keys"] ?? "") ?? 0))
    let next = page.count < rest.count ? page.last?.key : nil
    let end = next.map { "<NextContinuationToken>\($0)</NextContinuationToken>" } ?? ""
    let text = page.map(\.value).joined() + end
    return ("200 OK", [:], Array("<ListBucketResult>\(text)</ListBucketResult>".utf8))
  }
}
