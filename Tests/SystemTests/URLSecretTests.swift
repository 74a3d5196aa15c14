import Testing

@testable import TesseraText

/// Which parameters of a query are secrets.
@Suite struct URLSecretTests {
  /// The parameters of signed URLs, from the services' documentation: those that only a signature
  /// has together, and those that accompany them.
  static let signatures: [(marks: String, others: String)] = [
    (
      "x-amz-signature",
      "x-amz-algorithm x-amz-credential x-amz-date x-amz-expires x-amz-signedheaders"
        + " x-amz-security-token x-amz-s3session-token x-amz-region-set"
    ),
    ("awsaccesskeyid signature", "expires x-amz-security-token"),
    ("key-pair-id signature", "expires policy hash-algorithm"),
    (
      "x-goog-signature",
      "x-goog-algorithm x-goog-credential x-goog-date x-goog-expires x-goog-signedheaders"
    ),
    ("googleaccessid signature", "expires"), ("keyname signature", "expires urlprefix"),
    (
      "sig sv",
      "ss srt sr st se sp sip spr si sdd ses scid skoid sktid skt ske sks skv saoid suoid sduoid"
    ),
    ("ossaccesskeyid signature", "expires security-token"),
    (
      "x-oss-signature",
      "x-oss-signature-version x-oss-access-key-id x-oss-credential x-oss-date x-oss-expires"
        + " x-oss-additional-headers x-oss-security-token"
    ),
    (
      "q-signature",
      "q-sign-algorithm q-ak q-sign-time q-key-time q-header-list q-url-param-list"
        + " x-cos-security-token"
    ),
    ("sign t", ""), ("e token", ""), ("accesskeyid signature", "expires x-obs-security-token"),
    ("token expires", "token_path token_countries"), ("token expire", ""), ("md5 expires", ""),
    ("st e", ""), ("hash expires", ""), ("signature expires", ""), ("sig expires", ""),
  ]

  /// All marks of a signature show it, and none of them alone.
  @Test(arguments: signatures)
  func aSignatureNeedsAllItsMarks(_ marks: String, _ others: String) {
    let marks = Set(marks.split(separator: " ").map(String.init))
    let all = marks.union(others.split(separator: " ").map(String.init))
    #expect(URLSecret.parameters(among: marks) == all)
    #expect(URLSecret.parameters(among: marks.union(["page"])) == all)
    for mark in marks {
      #expect(URLSecret.parameters(among: marks.subtracting([mark])) == [], "without \(mark)")
    }
    let url =
      "https://h/p?page=1&" + all.sorted().map { "\($0.uppercased())=v" }.joined(separator: "&")
    #expect(SourceURL.withoutSignature(url + "&w=2#f") == "https://h/p?page=1&w=2#f")
  }

  /// A URL may have signatures of two kinds, one for the store and one for its cache.
  @Test func twoSignaturesAreBothLeftOut() {
    #expect(
      URLSecret.parameters(among: ["md5", "expires", "sign", "t", "w"])
        == ["md5", "expires", "sign", "t"])
  }

  /// Names that say who reads, in the spellings in which they occur.
  static let tokens = """
    token access_token auth-token id_token refresh_token session.token user_token private_token
    oauth_token security-token X-Amz-Security-Token downloadToken app_token client_token
    job_token deploy_token csrf_token xsrf-token bearer bearer_token auth auth_key Authorization
    authentication jwt session session_id sid PHPSESSID jsessionid ticket api_key x-api-key
    access_key AccessKeyId AWSAccessKeyId secret_key app_key subscription-key
    Ocp-Apim-Subscription-Key secret client_secret app.secret password passwd passphrase pass
    pwd credential credentials signature sig hmac X-Amz-Credential hdnts hdnea hdntl __gda__ otp
    magic_token share_token share-key authuser
    """

  @Test(arguments: tokens.split { $0 == " " || $0 == "\n" })
  func theNamesOfTokensAreKnownInEverySpelling(_ name: Substring) {
    let url = "https://h/p?page=1&\(name)=v&w=2"
    #expect(SourceURL.shown(url, ignoring: []) == "https://h/p?page=1&w=2")
    // Two tokens may show two images.
    #expect(SourceURL.cacheKey(url) == url)
  }

  @Test(arguments: ["tokens", "xtoken", "page", "key", "to+ken", "w", "v", "sign", "t", "id", ""])
  func otherNamesAreNotTokens(_ name: String) {
    #expect(!URLSecret.isToken(name, "v"))
  }

  /// A JSON Web Token has two dots; keys of Google are 39 characters long, those of AWS 20.
  @Test func tokensAreKnownByTheirShapes() {
    func isToken(_ value: String) -> Bool { URLSecret.isToken("x", value[...]) }
    for (dots, isKnown) in [(1, false), (2, true), (3, false)] {
      #expect(isToken("eyJ" + String(repeating: ".a", count: dots)) == isKnown)
    }
    #expect(!isToken("ey.a.b"))
    for (prefix, length) in [("AIza", 39), ("AKIA", 20), ("ASIA", 20)] {
      for (size, isKnown) in [(length - 1, false), (length, true), (length + 1, false)] {
        let text = prefix + String(repeating: "x", count: size - 4)
        #expect(isToken(text) == isKnown, "\(text)")
      }
      #expect(!isToken(String(repeating: "x", count: length)))
    }
  }

  /// Signatures with a time in front: 9 to 11 digits, and at least 20 characters of digest.
  @Test(arguments: ["auth_key", "verify"])
  func someSignaturesAreKnownByTheirValues(_ name: String) {
    func isSignature(_ digits: Int, _ digest: Int, _ name: String) -> Bool {
      URLSecret.isSignature(
        name + "=" + String(repeating: "1", count: digits) + "-"
          + String(repeating: "a", count: digest))
    }
    for (digits, digest, isKnown) in [
      (8, 20, false), (9, 20, true), (11, 20, true), (12, 20, false), (10, 19, false),
      (10, 60, true),
    ] {
      #expect(isSignature(digits, digest, name) == isKnown, "\(digits), \(digest)")
    }
    #expect(!isSignature(10, 20, "x" + name))
  }

  @Test(arguments: [
    ("x=exp=1~acl=/*~hmac=ab", true), ("x=exp%3d1~acl%3d%2f~hmac%3dab", true), ("x=hmac=ab", false),
    ("x=a~b", false), ("x=~mac=1", false), ("", false),
  ])
  func aTokenOfAkamaiEndsWithItsCode(_ parameter: String, _ isSignature: Bool) {
    #expect(URLSecret.isSignature(parameter) == isSignature)
  }
}
