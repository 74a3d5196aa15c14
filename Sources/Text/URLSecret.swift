/// What a URL says besides where its source is: signatures and tokens, which let any holder of the URL read
/// private content.
///
/// A *signature* is another one each time, so it does not identify a source. A *token* says who reads: with another
/// one, the same place may show another image.
enum URLSecret {
  /// Which secrets are left out.
  enum Extent {
    case signatures
    case all
  }

  /// A kind of signature: the parameters that show it, all of which a query must have, and those
  /// that accompany them. Most names could mean something else on their own: `e`, `token` and
  /// `Expires` belong to a signature only beside the others of their kind. In lower case.
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
    // Alibaba Cloud OSS, V1 and V4.
    (["ossaccesskeyid", "signature"], ["expires", "security-token"]),
    (
      ["x-oss-signature"],
      [
        "x-oss-signature-version", "x-oss-access-key-id", "x-oss-credential", "x-oss-date",
        "x-oss-expires", "x-oss-additional-headers", "x-oss-security-token",
      ]
    ),
    // Tencent Cloud COS, and its CDN.
    (
      ["q-signature"],
      [
        "q-sign-algorithm", "q-ak", "q-sign-time", "q-key-time", "q-header-list",
        "q-url-param-list", "x-cos-security-token",
      ]
    ),
    (["sign", "t"], []),
    // Qiniu Kodo, Huawei Cloud OBS, Bunny, KeyCDN and Backblaze B2.
    (["e", "token"], []),
    (["accesskeyid", "signature"], ["expires", "x-obs-security-token"]),
    (["token", "expires"], ["token_path", "token_countries"]),
    (["token", "expire"], []),
    // ngx_http_secure_link_module, and what others make in its manner.
    (["md5", "expires"], []), (["st", "e"], []), (["hash", "expires"], []),
    (["signature", "expires"], []), (["sig", "expires"], []),
  ]

  /// The first marks of all kinds: most queries have none, and are not looked at further.
  private static let marks = Set(kinds.flatMap(\.marks))

  /// The parameters of a query that belong to its signatures.
  ///
  /// - Parameter names: of all parameters, in lower case.
  static func parameters(among names: some Collection<String>) -> Set<String> {
    guard names.contains(where: marks.contains) else { return [] }
    var found: Set<String> = []
    for kind in kinds where kind.marks.allSatisfy(names.contains) {
      found.formUnion(kind.marks)
      found.formUnion(kind.others)
    }
    return found
  }

  /// Whether a parameter is a signature by its value, whatever its name: Akamai's `exp=…~acl=…~hmac=…`; those of
  /// Alibaba's CDN (`auth_key`) and of Cloudflare (`verify`), which begin with a time.
  static func isSignature(_ parameter: String) -> Bool {
    // Searching a text for another one is slow, and hardly any parameter has one of these characters.
    if parameter.utf8.contains(UInt8(ascii: "~")) {
      return parameter.contains("~hmac=") || parameter.contains("~hmac%3d")
    }
    guard parameter.hasPrefix("auth_key=") || parameter.hasPrefix("verify=") else { return false }
    return parameter.wholeMatch(of: /(auth_key|verify)=[0-9]{9,11}-.{20,}/) != nil
  }

  /// Names of tokens, in lower case and without "-", "_" and ".".
  private static let tokens: Set<String> = [
    "token", "accesstoken", "authtoken", "idtoken", "refreshtoken", "sessiontoken", "usertoken",
    "privatetoken", "oauthtoken", "securitytoken", "xamzsecuritytoken", "downloadtoken", "apptoken",
    "clienttoken", "jobtoken", "deploytoken", "csrftoken", "xsrftoken", "bearer", "bearertoken",
    "auth", "authkey", "authorization", "authentication", "jwt", "session", "sessionid", "sid",
    "phpsessid", "jsessionid", "ticket", "apikey", "xapikey", "accesskey", "accesskeyid",
    "awsaccesskeyid", "secretkey", "appkey", "subscriptionkey", "ocpapimsubscriptionkey", "secret",
    "clientsecret", "appsecret", "password", "passwd", "passphrase", "pass", "pwd", "credential",
    "credentials", "signature", "sig", "hmac", "xamzcredential", "hdnts", "hdnea", "hdntl", "gda",
    "otp", "magictoken", "sharetoken", "sharekey", "authuser",
  ]

  /// Whether a parameter is a token.
  ///
  /// - Parameters:
  ///   - name: without percent-encoding, in lower case.
  ///   - value: as written.
  static func isToken(_ name: String, _ value: Substring) -> Bool {
    // Characters are slow, and most names have none of these.
    let marks = "-_.".utf8
    let plain =
      name.utf8.contains(where: marks.contains)
      ? String(decoding: name.utf8.filter { !marks.contains($0) }, as: UTF8.self) : name
    if tokens.contains(plain) { return true }
    // By their shapes: a JSON Web Token (RFC 7519), a key of Google's APIs, a key's name at AWS.
    let isJWT = value.hasPrefix("eyJ") && value.utf8.count { $0 == UInt8(ascii: ".") } == 2
    return isJWT || value.hasPrefix("AIza") && value.utf8.count == 39
      || value.utf8.count == 20 && (value.hasPrefix("AKIA") || value.hasPrefix("ASIA"))
  }
}
