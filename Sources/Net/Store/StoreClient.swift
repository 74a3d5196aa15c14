internal import Glibc
internal import Synchronization
internal import TesseraBytes
internal import TesseraSystem

/// Requests to an object store with the API of Amazon S3, signed by libcurl (AWS Signature Version 4).
///
/// Each call blocks its thread until it has an answer, which is requested several times if that may
/// help. Any number of threads may call.
package final class StoreClient: Sendable {
  package let settings: StoreSettings
  private let source: StoreCredentialSource
  private let environment: @Sendable (String) -> String?
  private let certificates: String?
  private let proxies: ProxySettings
  private let idle = Mutex<[StoreConnection]>([])

  package convenience init(_ settings: StoreSettings) {
    self.init(settings, environment: { Host.environment($0) })
  }

  init(
    _ settings: StoreSettings, environment: @escaping @Sendable (String) -> String?,
    clock: WallClock = .system
  ) {
    self.settings = settings
    self.environment = environment
    source = StoreCredentialSource(environment: environment, clock: clock)
    certificates = environment("SSL_CERT_FILE").flatMap { $0.isEmpty ? nil : $0 }
    proxies = ProxySettings(environment: environment)
    _ = CurlLibrary.isInitialized
  }

  /// The answer, if its status is a success.
  func perform(_ request: StoreRequest) throws(StoreError) -> StoreResponse {
    let url = settings.url(of: request.location, query: request.query)
    do throws(StoreProblem) {
      return try persist(until: request.deadline) { () throws(StoreProblem) in
        send(request, url: url, try credentials())
      }
    } catch {
      let isElsewhere = settings.endpoint == nil && [.rejected, .unreachable].contains(error.kind)
      throw StoreError(
        kind: error.kind, location: request.location,
        finding: error.text + (isElsewhere ? Self.otherStore : ""))
    }
  }

  /// What signs the next request. Temporary credentials may have to be requested first.
  package func credentials() throws(StoreProblem) -> StoreCredentials {
    try source.credentials { role, token throws(StoreProblem) in try assumedRole(role, token) }
  }

  /// What a command lacks that has no pipeline file, which may name another store.
  private static let otherStore =
    "; if it is not in AWS, say where: AWS_ENDPOINT_URL and AWS_REGION, which are \"store\" in the pipeline file"

  private typealias Outcome = (verdict: StoreVerdict, response: StoreResponse)

  /// Sends a request until its answer is final.
  private func persist(
    until deadline: ContinuousClock.Instant? = nil, _ send: () throws(StoreProblem) -> Outcome
  ) throws(StoreProblem) -> StoreResponse {
    var attempt = 1
    while true {
      // Checked right before it is sent: this process may have been stopped for any time.
      if let deadline, .now >= deadline { throw .late }
      let (verdict, response) = try send()
      switch verdict {
      case .done: return response
      case .failed(let kind, let text): throw StoreProblem(text, kind: kind)
      case .again(let text):
        guard attempt < settings.attempts else {
          throw StoreProblem(
            "could not be reached in \(attempt) attempts: \(text)", kind: .unreachable)
        }
      }
      let wanted = response.headers["retry-after"].flatMap { Int($0) }.map {
        Duration.seconds(min(max($0, 0), 60))
      }
      let pause = settings.backoff.pause(
        after: attempt, chance: .random(in: 0...1), wanted: wanted)
      if let deadline, .now + pause >= deadline { throw .late }
      usleep(UInt32(pause.inSeconds * 1_000_000))
      attempt += 1
    }
  }

  private func send(
    _ request: StoreRequest, url: String, _ credentials: StoreCredentials?
  ) -> Outcome {
    guard let connection = idle.withLock({ $0.popLast() }) ?? StoreConnection() else {
      return (.again("libcurl has no memory"), StoreResponse())
    }
    defer { idle.withLock { $0.append(connection) } }
    do throws(StoreConnection.Failure) {
      let response = try connection.perform(
        request, url: url, region: settings.region, credentials,
        certificates: certificates, proxy: proxies.proxy(for: Origin(url)))
      return (StoreVerdict(response), response)
    } catch {
      switch error {
      case .tooLarge:
        return (
          .failed(.rejected, "is larger than \(request.limit) bytes"), StoreResponse()
        )
      case .network(let text): return (.again("the connection failed: \(text)"), StoreResponse())
      }
    }
  }

  /// Temporary credentials for a role (AssumeRoleWithWebIdentity of AWS' security token service).
  private func assumedRole(
    _ role: String, _ token: String
  ) throws(StoreProblem) -> StoreCredentials {
    let host =
      environment("AWS_ENDPOINT_URL_STS") ?? environment("AWS_ENDPOINT_URL")
      ?? "https://sts.\(settings.region).amazonaws.com"
    let form = [
      "Action=AssumeRoleWithWebIdentity", "Version=2011-06-15", "RoleSessionName=tessera",
      "RoleArn=\(StoreLocation.encoded(role))", "WebIdentityToken=\(StoreLocation.encoded(token))",
    ]
    let request = StoreRequest(
      method: "POST", location: StoreLocation(bucket: "sts", key: ""),
      headers: [("content-type", "application/x-www-form-urlencoded")],
      body: Array(form.joined(separator: "&").utf8))
    let answer: StoreResponse
    do throws(StoreProblem) {
      answer = try persist { () throws(StoreProblem) in send(request, url: host + "/", nil) }
    } catch {
      throw StoreProblem(
        "can't be reached: the web identity token (AWS_WEB_IDENTITY_TOKEN_FILE) \(error.text)",
        kind: error.kind)
    }
    let text = String(decoding: answer.body, as: UTF8.self)
    guard let credentials = StoreCredentials(assumedRole: text) else {
      throw StoreProblem("can't be reached: \(host) sent no temporary credentials")
    }
    return credentials
  }
}
