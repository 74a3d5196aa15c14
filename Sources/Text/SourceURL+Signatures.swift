/// The ways in which URLs are signed: private content that any holder of the URL may read for a while.
///
/// A redirect to such a URL has another signature each time, so a signature does not
/// identify a source; and as long as it is valid it is a secret.
enum URLSignature {
  /// A kind of signature: the parameters that show it, all of which a query must have, and those
  /// that accompany them. Most names could mean something else on their own: `e`, `token` and
  /// `Expires` are left out only beside the others of their kind. In lower case.
  private typealias Kind = (marks: [String], others: [String])

  /// From the services' documentation of signed URLs.
  private static let kinds: [Kind] = [
    // AWS Signature Version 4 (also of other stores with S3's interface), and Version 2.
    (
      ["x-amz-signature"],
      [
        "x-amz-algorithm", "x-amz-credential", "x-amz-date", "x-amz-expires",
        "x-amz-signedheaders", "x-amz-security-token", "x-amz-s3session-token",
        "x-amz-region-set",
      ]
    ),
    (["awsaccesskeyid", "signature"], ["expires", "x-amz-security-token"]),
    // Amazon CloudFront.
    (["key-pair-id", "signature"], ["expires", "policy", "hash-algorithm"]),
    // Google Cloud Storage, V4 and V2, and Google Cloud CDN.
    (
      ["x-goog-signature"],
      [
        "x-goog-algorithm", "x-goog-credential", "x-goog-date", "x-goog-expires",
        "x-goog-signedheaders",
      ]
    ),
    (["googleaccessid", "signature"], ["expires"]),
    (["keyname", "signature"], ["expires", "urlprefix"]),
    // Azure Storage: a shared access signature.
    (
      ["sig", "sv"],
      [
        "ss", "srt", "sr", "st", "se", "sp", "sip", "spr", "si", "sdd", "ses", "scid", "skoid",
        "sktid", "skt", "ske", "sks", "skv", "saoid", "suoid", "sduoid",
      ]
    ),
    // Alibaba Cloud OSS, V1 and V4, and its CDN.
    (["ossaccesskeyid", "signature"], ["expires", "security-token"]),
    (
      ["x-oss-signature"],
      [
        "x-oss-signature-version", "x-oss-access-key-id", "x-oss-credential", "x-oss-date",
        "x-oss-expires", "x-oss-additional-headers", "x-oss-security-token",
      ]
    ),
    (["auth_key"], []),
    // Tencent Cloud COS.
    (
      ["q-signature"],
      [
        "q-sign-algorithm", "q-ak", "q-sign-time", "q-key-time", "q-header-list",
        "q-url-param-list", "x-cos-security-token",
      ]
    ),
    // Qiniu Kodo, Huawei Cloud OBS, Bunny, KeyCDN, Backblaze B2, GitHub.
    (["e", "token"], []),
    (["accesskeyid", "signature"], ["expires", "x-obs-security-token"]),
    (["token", "expires"], ["token_path", "token_countries"]),
    (["token", "expire"], []),
    (["authorization"], []),
    (["jwt"], []),
    // Akamai: the usual names. See `isToken` for the others.
    (["hdnts"], []), (["hdnea"], []), (["hdntl"], []), (["__token__"], []), (["__gda__"], []),
  ]

  /// The parameters of a query that belong to its signatures.
  ///
  /// - Parameter names: of all parameters, in lower case.
  static func parameters(among names: Set<String>) -> Set<String> {
    var found: Set<String> = []
    for kind in kinds where kind.marks.allSatisfy(names.contains) {
      found.formUnion(kind.marks)
      found.formUnion(kind.others)
    }
    return found
  }

  /// Whether a parameter is a token in Akamai's form, `exp=…~acl=…~hmac=…`: its name is free.
  static func isToken(_ parameter: String) -> Bool {
    // Searching a text for another one is slow, and hardly any parameter has a tilde.
    guard parameter.utf8.contains(UInt8(ascii: "~")) else { return false }
    return parameter.contains("~hmac=") || parameter.contains("~hmac%3d")
  }
}
