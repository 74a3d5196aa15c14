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
