import Glibc
import Synchronization
import TesseraTestSupport

@testable import TesseraNet

/// A server that gives the answers of a list, one after the other, and remembers what it was sent.
final class ScriptedStore: Sendable {
  struct Answer: Sendable {
    var status = "200 OK"
    var headers: [String: String] = [:]
    var body = ""
    /// Whether the connection ends without an answer.
    var isLost = false

    static let lost = Answer(isLost: true)

    static func error(_ status: String, _ code: String, _ message: String = "") -> Answer {
      Answer(
        status: status,
        body: "<Error><Code>\(code)</Code><Message>\(message)</Message></Error>")
    }
  }

  struct Request: Sendable, Equatable, CustomStringConvertible {
    var method: String
    var path: String
    /// Names in lower case.
    var headers: [String: String] = [:]
    var body: String

    /// The method, the path, and the body if there is one.
    var description: String { "\(method) \(path)" + (body.isEmpty ? "" : " \(body)") }
  }

  private let server: FaultServer
  private let requests = Mutex<[Request]>([])
  private let answers: Mutex<[Answer]>

  /// - Parameter paths: those that it has, without their queries.
  init(_ answers: [Answer], paths: [String] = ["/feed/a", "/feed", "/"]) throws {
    self.answers = Mutex(answers)
    server = try FaultServer()
    for path in paths {
      server.route(path) { [unowned self] request, connection in
        self.answer(request, connection)
      }
    }
  }

  deinit { server.stop() }

  var sent: [Request] { requests.withLock(\.self) }

  func url(_ path: String) -> String { server.url(path) }

  private func answer(_ request: FaultServer.Request, _ connection: FaultServer.Connection) {
    let length = request.headers["content-length"].flatMap { Int($0) } ?? 0
    let body = String(decoding: connection.body(length), as: UTF8.self)
    requests.withLock {
      $0.append(
        Request(
          method: request.method, path: request.path, headers: request.headers, body: body))
    }
    let answer = answers.withLock { $0.isEmpty ? Answer(status: "400 Bad") : $0.removeFirst() }
    if answer.isLost { return }
    connection.respond(answer.status, answer.headers, Array(answer.body.utf8))
  }

  static let keys = ["AWS_ACCESS_KEY_ID": "KEY:1", "AWS_SECRET_ACCESS_KEY": "SECRET"]

  func client(
    attempts: Int = 3, _ environment: [String: String] = keys, endpoint: String? = nil
  ) -> StoreClient {
    var settings = StoreSettings(
      endpoint: endpoint ?? server.url(""), region: "eu-north-1", environment: { _ in nil })
    settings.attempts = attempts
    settings.backoff = Backoff(base: .milliseconds(1))
    return StoreClient(settings, environment: { environment[$0] })
  }

  static let location = StoreLocation(bucket: "feed", key: "a")
}
