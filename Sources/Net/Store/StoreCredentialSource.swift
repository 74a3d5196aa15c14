internal import Synchronization
internal import TesseraSystem

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
