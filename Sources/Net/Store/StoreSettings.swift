internal import TesseraSystem
internal import TesseraText

/// How an object store is reached. The names of variables are those of AWS' own tools.
package struct StoreSettings: Sendable, Equatable {
  /// Without a slash at its end: `https://minio.example.com:9000`. Nil for AWS.
  package var endpoint: String?
  package var region: String
  /// Whether the bucket is the first part of the path and not of the host's name.
  package var usesPathStyle: Bool
  /// Requests at a time.
  package var concurrency = 32
  /// The pauses before a request is tried again. At least half of each: a store that gives up ends a run, and not one
  /// item as an origin does, so that every request outlives an outage of three seconds. Short, because a run may wait.
  package var backoff = Backoff(base: .milliseconds(200), least: 0.5)
  /// How often a request is tried.
  package var attempts = 6

  /// - Parameters:
  ///   - endpoint: nil for `AWS_ENDPOINT_URL_S3` or `AWS_ENDPOINT_URL`.
  ///   - region: nil for `AWS_REGION` or `AWS_DEFAULT_REGION`, or else us-east-1.
  ///   - usesPathStyle: nil for path style wherever an endpoint is given.
  package init(
    endpoint: String? = nil, region: String? = nil, usesPathStyle: Bool? = nil,
    environment: (String) -> String? = Host.environment
  ) {
    func variable(_ names: String...) -> String? {
      names.compactMap { environment($0) }.first { !$0.isEmpty }
    }
    var endpoint = endpoint ?? variable("AWS_ENDPOINT_URL_S3", "AWS_ENDPOINT_URL")
    while endpoint?.hasSuffix("/") == true { endpoint?.removeLast() }
    self.endpoint = endpoint
    self.region = region ?? variable("AWS_REGION", "AWS_DEFAULT_REGION") ?? "us-east-1"
    self.usesPathStyle = usesPathStyle ?? (endpoint != nil)
  }

  /// The URL of a location.
  ///
  /// - Parameter query: sorted by name, as the signature wants it.
  package func url(of location: StoreLocation, query: [(name: String, value: String)] = [])
    -> String
  {
    let host = endpoint ?? "https://s3.\(region).amazonaws.com"
    // A certificate for *.s3… does not cover a name with dots.
    let isInPath = usesPathStyle || location.bucket.contains(".")
    let key = StoreLocation.encoded(location.key, keepingSlashes: true)
    var url = isInPath ? "\(host)/\(location.bucket)/\(key)" : Self.joined(host, location, key)
    // Without an object, the bucket itself is meant, which has no slash behind it in path style.
    if isInPath, location.key.isEmpty { url.removeLast() }
    let sorted = query.sorted { $0.name < $1.name }
    for (index, part) in sorted.enumerated() {
      url += index == 0 ? "?" : "&"
      url += "\(StoreLocation.encoded(part.name))=\(StoreLocation.encoded(part.value))"
    }
    return url
  }

  private static func joined(_ host: String, _ location: StoreLocation, _ key: String) -> String {
    guard let start = host.range(of: "://") else { return "\(host)/\(key)" }
    return "\(host[..<start.upperBound])\(location.bucket).\(host[start.upperBound...])/\(key)"
  }
}

extension String {
  /// Where another text begins and ends in this one; nil if it does not have it.
  fileprivate func range(of other: String) -> Range<String.Index>? {
    var start = startIndex
    while start < endIndex {
      if self[start...].begins(with: other) { return start..<index(start, offsetBy: other.count) }
      start = index(after: start)
    }
    return nil
  }
}

/// A place in an object store: `s3://bucket/prefix`.
package struct StoreLocation: Sendable, Hashable, CustomStringConvertible {
  package var bucket: String
  /// The key of an object, or the beginning of several objects' keys; without a slash at either end.
  package var key: String

  package init(bucket: String, key: String) {
    self.bucket = bucket
    self.key = key
  }

  /// Nil for a text that does not begin with `s3://`, does not name a bucket, or has a key that no request
  /// would reach.
  package init?(_ text: String) {
    guard text.hasPrefix("s3://") else { return nil }
    let parts = text.dropFirst(5).split(
      separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
    let isName = parts[0].utf8.allSatisfy { byte in
      PercentEncoding.isUnreserved(byte) && byte != UInt8(ascii: "~")
    }
    guard isName, (1...255).contains(parts[0].utf8.count) else { return nil }
    bucket = String(parts[0])
    var rest = parts.count > 1 ? parts[1] : ""
    while rest.hasSuffix("/") { rest.removeLast() }
    while rest.hasPrefix("/") { rest.removeFirst() }
    key = String(rest)
    guard !hasDotSegments else { return nil }
  }

  /// Whether a part of the key is `.` or `..`: libcurl and proxies resolve these, and another object would be
  /// requested. (CURLOPT_PATH_AS_IS prevents it, but newer versions reject that for signed requests.)
  package var hasDotSegments: Bool {
    key.split(separator: "/").contains { $0 == "." || $0 == ".." }
  }

  package var description: String { key.isEmpty ? "s3://\(bucket)" : "s3://\(bucket)/\(key)" }

  /// An object below this one.
  package func appending(_ path: String) -> StoreLocation {
    StoreLocation(bucket: bucket, key: key.isEmpty ? path : "\(key)/\(path)")
  }

  /// A text as it is signed and sent: every byte but A–Z, a–z, 0–9, `-`, `.`, `_`, `~` is %XX, with
  /// digits in upper case (AWS Signature Version 4). Some servers accept less, none asks for more.
  static func encoded(_ text: String, keepingSlashes: Bool = false) -> String {
    PercentEncoding.encode(text, keeping: keepingSlashes ? "/" : "")
  }
}
