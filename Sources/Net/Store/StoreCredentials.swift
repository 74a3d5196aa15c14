internal import Synchronization
internal import TesseraSystem
internal import TesseraText

/// What signs requests to an object store.
package struct StoreCredentials: Sendable, Equatable {
  package var key: String
  package var secret: String
  /// Of temporary credentials.
  package var token: String?
  /// When they end, in seconds since 1970; nil for never.
  var expires: Double?
}

extension StoreCredentials {
  /// `AWS_ACCESS_KEY_ID`, `AWS_SECRET_ACCESS_KEY` and `AWS_SESSION_TOKEN`. Nil unless the first two are set.
  init?(environment: (String) -> String?) {
    guard let key = environment("AWS_ACCESS_KEY_ID"), !key.isEmpty,
      let secret = environment("AWS_SECRET_ACCESS_KEY"), !secret.isEmpty
    else { return nil }
    let token = environment("AWS_SESSION_TOKEN")
    self.init(key: key, secret: secret, token: token?.isEmpty == true ? nil : token)
  }

  /// A section of the shared credentials file of AWS' tools. Nil unless it has key and secret.
  ///
  ///     [default]
  ///     aws_access_key_id = …
  ///     aws_secret_access_key = …
  init?(file text: String, profile: String) {
    var values: [Substring: String] = [:]
    var isInSection = false
    for line in text.split(whereSeparator: \.isNewline) {
      let line = line.trimmingBlanks
      if line.hasPrefix("#") || line.hasPrefix(";") { continue }
      if line.hasPrefix("[") {
        isInSection = line.hasSuffix("]") && line.dropFirst().dropLast().trimmingBlanks == profile
      } else if isInSection, let mark = line.firstIndex(of: "=") {
        values[line[..<mark].trimmingBlanks] =
          String(line[line.index(after: mark)...].trimmingBlanks)
      }
    }
    guard let key = values["aws_access_key_id"], let secret = values["aws_secret_access_key"] else {
      return nil
    }
    self.init(key: key, secret: secret, token: values["aws_session_token"])
  }

  /// The answer of AssumeRoleWithWebIdentity. Nil unless it has them.
  init?(assumedRole answer: String) {
    func text(_ name: String) -> String? { StoreXML.texts(of: name, in: answer[...]).first }
    guard let key = text("AccessKeyId"), let secret = text("SecretAccessKey"),
      let token = text("SessionToken"), let expires = text("Expiration").flatMap(Self.seconds)
    else { return nil }
    self.init(key: key, secret: secret, token: token, expires: expires)
  }

  /// Seconds since 1970 of `2026-01-31T12:00:00Z`, also with a fraction of a second.
  static func seconds(_ text: String) -> Double? {
    let parts = text.split(whereSeparator: { "-T:Z.".contains($0) }).compactMap { Int($0) }
    guard parts.count >= 6, text.hasSuffix("Z"), (1...12).contains(parts[1]) else { return nil }
    // Days from the civil date (Howard Hinnant, days_from_civil).
    let year = parts[1] <= 2 ? parts[0] - 1 : parts[0]
    let era = year / 400
    let ofEra = year - era * 400
    let ofYear = (153 * (parts[1] + (parts[1] > 2 ? -3 : 9)) + 2) / 5 + parts[2] - 1
    let days = era * 146_097 + ofEra * 365 + ofEra / 4 - ofEra / 100 + ofYear - 719_468
    return Double(days * 86_400 + parts[3] * 3_600 + parts[4] * 60 + parts[5])
  }
}

extension Substring {
  fileprivate var trimmingBlanks: Substring {
    var rest = drop { $0 == " " || $0 == "\t" }
    while rest.last == " " || rest.last == "\t" { rest.removeLast() }
    return rest
  }
}

/// Finds credentials where AWS' own tools do, in their order: the environment, a web identity token,
/// the shared file.
final class StoreCredentialSource: Sendable {
  private let environment: @Sendable (String) -> String?
  private let clock: WallClock
  private let current = Mutex<StoreCredentials?>(nil)

  /// Temporary credentials are renewed this long before they end.
  private static let margin = 300.0

  init(
    environment: @escaping @Sendable (String) -> String? = { Host.environment($0) },
    clock: WallClock = .system
  ) {
    self.environment = environment
    self.clock = clock
  }

  /// The credentials for the next request.
  ///
  /// - Parameter assume: asks for temporary ones with a token: the role, and the token.
  /// - Throws: a sentence that completes "the location …".
  func credentials(
    assume: (_ role: String, _ token: String) throws(StoreProblem) -> StoreCredentials
  ) throws(StoreProblem) -> StoreCredentials {
    // Held while they are renewed: one thread does it for all.
    try current.withLock { current throws(StoreProblem) in
      if let known = current, known.expires.map({ $0 - Self.margin > clock.now() }) ?? true {
        return known
      }
      let found = try find(assume)
      current = found
      return found
    }
  }

  private func find(
    _ assume: (_ role: String, _ token: String) throws(StoreProblem) -> StoreCredentials
  ) throws(StoreProblem) -> StoreCredentials {
    if let found = StoreCredentials(environment: environment) { return found }
    if let path = environment("AWS_WEB_IDENTITY_TOKEN_FILE"),
      let role = environment("AWS_ROLE_ARN")
    {
      let token = try read(path, limit: 1 << 16)
      return try assume(role, token.split(whereSeparator: \.isWhitespace).joined())
    }
    let path =
      environment("AWS_SHARED_CREDENTIALS_FILE")
      ?? FileSystem.join(environment("HOME") ?? "", ".aws/credentials")
    let profile = environment("AWS_PROFILE") ?? "default"
    guard FileSystem.exists(path) else {
      throw StoreProblem(
        "can't be reached without credentials; set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or "
          + "write \"\(path)\"")
    }
    guard
      let found = StoreCredentials(file: try read(path, limit: 1 << 20), profile: profile)
    else {
      throw StoreProblem(
        "can't be reached: \"\(path)\" has no aws_access_key_id and aws_secret_access_key in its "
          + "section [\(profile)]")
    }
    return found
  }

  private func read(_ path: String, limit: Int) throws(StoreProblem) -> String {
    do throws(SystemError) {
      return String(decoding: try FileSystem.read(path, limit: limit), as: UTF8.self)
    } catch {
      throw StoreProblem("can't be reached without credentials: \(error)")
    }
  }
}

/// What completes a sentence that begins with a location, before that is known.
package struct StoreProblem: Error {
  package var text: String
  package var kind = StoreError.Kind.rejected

  static let late = StoreProblem("was not written in time", kind: .late)

  init(_ text: String, kind: StoreError.Kind = .rejected) {
    (self.text, self.kind) = (text, kind)
  }
}
