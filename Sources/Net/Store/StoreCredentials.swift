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
