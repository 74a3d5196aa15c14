private import TesseraCCurl
internal import TesseraText

/// A source in an object store: `s3://bucket/key`, whose key is percent-encoded where a URL needs that.
struct StoreSource {
  let url: String
  /// Names in lower case.
  let headers: [(name: String, value: String)]
  let credentials: StoreCredentials
  let region: String

  /// SHA-256 of no bytes, in hexadecimal.
  private static let emptyDigest =
    "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"

  /// Nil for a URL of another scheme.
  ///
  /// - Parameter buckets: those that may be read.
  init?(_ text: String, _ buckets: [String], in store: StoreClient) throws(FetchError) {
    guard text.hasPrefix("s3://") else { return nil }
    let end = text.utf8.firstIndex(of: UInt8(ascii: "#")) ?? text.endIndex
    guard let encoded = StoreLocation(String(text[..<end])), !encoded.key.isEmpty,
      !encoded.key.utf8.contains(UInt8(ascii: "?")),
      let bytes = PercentEncoding.decode(encoded.key[...]),
      let key = String(validating: bytes, as: UTF8.self),
      case let location = StoreLocation(bucket: encoded.bucket, key: key), !location.hasDotSegments
    else {
      throw FetchError(
        .badURL,
        "an s3: URL is like s3://bucket/key, with %3F for a question mark in the key, and "
          + "without parts that are . or ..")
    }
    guard buckets.contains(encoded.bucket) else {
      throw FetchError(
        .addressRejected,
        "the bucket \(encoded.bucket) may not be read; if that is meant, add "
          + "allow: [s3:\(encoded.bucket)] to the pipeline's \"fetch\"")
    }
    url = store.settings.url(of: location)
    region = store.settings.region
    do throws(StoreProblem) {
      credentials = try store.credentials()
    } catch {
      throw FetchError(.network, "the store \(error.text)", isRetryable: error.kind == .unreachable)
    }
    var headers = [("x-amz-content-sha256", Self.emptyDigest)]
    if let token = credentials.token { headers.append(("x-amz-security-token", token)) }
    self.headers = headers
  }
}
