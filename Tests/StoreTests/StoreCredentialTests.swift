import Foundation
import Synchronization
import TesseraSystem
import TesseraTestSupport
import Testing

@testable import TesseraNet

/// Where credentials come from, and how long they are used.
@Suite struct StoreCredentialTests {
  @Test(
    arguments: [
      (["AWS_ACCESS_KEY_ID": "k", "AWS_SECRET_ACCESS_KEY": "s"], "k s -"),
      (
        ["AWS_ACCESS_KEY_ID": "k", "AWS_SECRET_ACCESS_KEY": "s", "AWS_SESSION_TOKEN": "t"], "k s t"
      ),
      (
        ["AWS_ACCESS_KEY_ID": "k", "AWS_SECRET_ACCESS_KEY": "s", "AWS_SESSION_TOKEN": ""], "k s -"
      ),
      (["AWS_ACCESS_KEY_ID": "", "AWS_SECRET_ACCESS_KEY": "s"], nil),
      (["AWS_ACCESS_KEY_ID": "k", "AWS_SECRET_ACCESS_KEY": ""], nil),
      (["AWS_ACCESS_KEY_ID": "k"], nil), (["AWS_SECRET_ACCESS_KEY": "s"], nil), ([:], nil),
    ] as [([String: String], String?)])
  func keyAndSecretComeFromTheEnvironment(_ variables: [String: String], _ text: String?) {
    let found = StoreCredentials { variables[$0] }
    #expect(found.map { "\($0.key) \($0.secret) \($0.token ?? "-")" } == text)
    #expect(found?.expires == nil)
  }

  /// As AWS' tools write it, and as people do.
  @Test(
    arguments: [
      ("[p]\naws_access_key_id=k\naws_secret_access_key=s", "k s -"),
      ("\t[ p\t]\r\n aws_access_key_id\t= k \t\r\naws_secret_access_key = a b=\t", "k a b= -"),
      ("[p]\n;aws_access_key_id=k\naws_secret_access_key=s", nil),
      ("[p]\n#aws_access_key_id=k\naws_secret_access_key=s", nil),
      ("[p\naws_access_key_id=k\naws_secret_access_key=s", nil),
      ("[q]\naws_access_key_id=k\n[p]\naws_secret_access_key=s", nil),
      ("aws_access_key_id=k\naws_secret_access_key=s", nil),
      ("[p]\nodd\naws_access_key_id=k\naws_secret_access_key=s\naws_session_token=t\n[q]", "k s t"),
      ("[p]\naws_access_key_id=k\naws_secret_access_key=s\n[q]\naws_access_key_id=x", "k s -"),
    ] as [(String, String?)])
  func aSectionHasKeyAndSecret(_ file: String, _ text: String?) {
    let found = StoreCredentials(file: file, profile: "p")
    #expect(found.map { "\($0.key) \($0.secret) \($0.token ?? "-")" } == text)
  }

  @Test(
    arguments: [
      ("1969-12-31T23:59:59Z", -1), ("2000-02-29T00:00:00Z", 951_782_400),
      ("2100-03-01T00:00:00Z", 4_107_542_400), ("2024-12-31T23:59:59.999Z", 1_735_689_599),
      ("2023-01-01T01:02:03Z", 1_672_534_923), ("1600-03-01T00:00:00Z", -11_670_912_000),
      ("2001-02-28T12:30:45Z", 983_363_445), ("1999-10-09T08:07:06Z", 939_456_426),
      ("2400-02-29T00:00:00Z", 13_574_563_200), ("2023-01-01T01:02:03", nil),
      ("2023-00-01T01:02:03Z", nil), ("2023-13-01T01:02:03Z", nil), ("2023-01-01T01:02Z", nil),
    ] as [(String, Double?)])
  func timesAreSecondsSince1970(_ text: String, _ seconds: Double?) {
    #expect(StoreCredentials.seconds(text) == seconds)
  }

  @Test(arguments: ["AccessKeyId", "SecretAccessKey", "SessionToken", "Expiration", nil])
  func temporaryCredentialsAreWhole(_ missing: String?) {
    let parts = [
      ("AccessKeyId", "k"), ("SecretAccessKey", "s"), ("SessionToken", "t"),
      ("Expiration", "2000-03-01T00:00:00Z"),
    ]
    let text = parts.filter { $0.0 != missing }.map { "<\($0)>\($1)</\($0)>" }.joined()
    #expect(
      StoreCredentials(assumedRole: text)
        == (missing == nil
          ? StoreCredentials(key: "k", secret: "s", token: "t", expires: 951_868_800) : nil))
  }

  /// Temporary credentials are renewed five minutes before they end; others stay.
  @Test(arguments: [(1_000.0, [1, 1, 2, 3]), (nil, [1, 1, 1, 1])] as [(Double?, [Int])])
  func credentialsAreRenewedBeforeTheyEnd(_ expires: Double?, _ numbers: [Int]) throws {
    let now = Mutex(0.0)
    let variables = [
      "AWS_ROLE_ARN": "role", "AWS_WEB_IDENTITY_TOKEN_FILE": "/etc/hostname",
      "AWS_ACCESS_KEY_ID": "",
    ]
    let source = StoreCredentialSource(
      environment: { variables[$0] }, clock: WallClock { now.withLock(\.self) })
    var count = 0
    let found = try [0, 699.5, 700, 5_000].map { time in
      now.withLock { $0 = time }
      return try source.credentials { role, _ throws(StoreProblem) in
        count += 1
        #expect(role == "role")
        return StoreCredentials(key: "\(count)", secret: "s", expires: expires)
      }.key
    }
    #expect(found == numbers.map { "\($0)" })
  }

  private static func text(_ variables: [String: String]) throws -> String {
    do throws(StoreProblem) {
      let found = try StoreCredentialSource(environment: { variables[$0] }).credentials {
        StoreCredentials(key: $0, secret: $1)
      }
      return "\(found.key) \(found.secret)"
    } catch {
      #expect(error.kind == .rejected)
      return error.text
    }
  }

  @Test func filesAreReadWhereVariablesName() throws {
    let folder = try TemporaryFolder()
    let file = try folder.write(
      "[default]\naws_access_key_id=k\naws_secret_access_key=s\n[q]\naws_access_key_id=k2\n"
        + "aws_secret_access_key=s2\n", to: ".aws/credentials")
    let other = try folder.write("[default]\naws_access_key_id=k3\n", to: "other")
    let token = try folder.write(" a\nb\t\n", to: "token")
    #expect(try Self.text(["HOME": folder.path("")]) == "k s")
    #expect(try Self.text(["HOME": folder.path(""), "AWS_PROFILE": "q"]) == "k2 s2")
    #expect(try Self.text(["HOME": "/", "AWS_SHARED_CREDENTIALS_FILE": file]) == "k s")
    #expect(
      try Self.text(["HOME": folder.path(""), "AWS_SHARED_CREDENTIALS_FILE": other])
        == "can't be reached: \"\(other)\" has no aws_access_key_id and aws_secret_access_key in "
        + "its "
        + "section [default]")
    #expect(
      try Self.text(["AWS_ROLE_ARN": "r", "AWS_WEB_IDENTITY_TOKEN_FILE": token]) == "r ab")
    // Half of a setting is none.
    for half in [["AWS_ROLE_ARN": "r"], ["AWS_WEB_IDENTITY_TOKEN_FILE": token]] {
      #expect(try Self.text(half.merging(["HOME": folder.path("")]) { $1 }) == "k s")
    }
    #expect(
      try Self.text(["AWS_ROLE_ARN": "r", "AWS_WEB_IDENTITY_TOKEN_FILE": folder.path("none")])
        == "can't be reached without credentials: could not open \"\(folder.path("none"))\": "
        + "No such file or directory")
  }

  /// Tokens and files are short.
  @Test func longFilesAreNotRead() throws {
    let folder = try TemporaryFolder()
    let file = folder.path("file")
    func isRead(_ count: Int, _ variables: [String: String]) throws -> Bool {
      let text = "[default]\naws_access_key_id=k\naws_secret_access_key=s\n"
      try folder.write(text + String(repeating: " ", count: count - text.utf8.count), to: "file")
      return try !Self.text(variables).contains("File too large")
    }
    try expectMost(1 << 16) {
      try isRead($0, ["AWS_ROLE_ARN": "r", "AWS_WEB_IDENTITY_TOKEN_FILE": file])
    }
    try expectMost(1 << 20) { try isRead($0, ["AWS_SHARED_CREDENTIALS_FILE": file]) }
  }

  // MARK: A role

  private static func role(_ answers: [ScriptedStore.Answer]) throws -> (
    ScriptedStore, TemporaryFolder
  ) {
    let folder = try TemporaryFolder()
    try folder.write("to ken+\n", to: "token")
    return (try ScriptedStore(answers), folder)
  }

  private static func variables(
    _ store: ScriptedStore, _ folder: TemporaryFolder, _ name: String
  ) -> [String: String] {
    [
      "AWS_ROLE_ARN": "arn:a/b", "AWS_WEB_IDENTITY_TOKEN_FILE": folder.path("token"),
      name: store.url(""),
    ]
  }

  @Test(arguments: ["AWS_ENDPOINT_URL_STS", "AWS_ENDPOINT_URL"])
  func aRoleIsAssumedWithAToken(_ name: String) throws {
    let (store, folder) = try Self.role([
      .init(
        body: "<AccessKeyId>ASIA</AccessKeyId><SecretAccessKey>s</SecretAccessKey>"
          + "<SessionToken>t</SessionToken><Expiration>2999-01-01T00:00:00Z</Expiration>"),
      .init(), .init(),
    ])
    let client = store.client(Self.variables(store, folder, name))
    for _ in 0..<2 { _ = try client.head(ScriptedStore.location) }
    #expect(
      store.sent.map(\.description) == [
        "POST / Action=AssumeRoleWithWebIdentity&Version=2011-06-15&RoleSessionName=tessera"
          + "&RoleArn=arn%3Aa%2Fb&WebIdentityToken=token%2B", "HEAD /feed/a", "HEAD /feed/a",
      ])
    let headers = store.sent.map(\.headers)
    #expect(headers[0]["content-type"] == "application/x-www-form-urlencoded")
    #expect(headers[0]["authorization"] == nil && headers[0]["x-amz-content-sha256"] == nil)
    for sent in headers.dropFirst() {
      #expect(sent["x-amz-security-token"] == "t")
      #expect(sent["authorization"]?.contains("Credential=ASIA/") == true)
    }
  }

  @Test func aRoleThatCannotBeAssumedIsAnError() throws {
    let (store, folder) = try Self.role([
      .error("403 Forbidden", "AccessDenied", "No."), .init(body: "<a></a>"),
    ])
    let client = store.client(Self.variables(store, folder, "AWS_ENDPOINT_URL_STS"))
    for text in [
      "\"s3://feed/a\" can't be reached: the web identity token (AWS_WEB_IDENTITY_TOKEN_FILE) was "
        + "rejected: the store answered 403 AccessDenied (No.); check the credentials and their "
        + "rights, and this machine's clock",
      "\"s3://feed/a\" can't be reached: \(store.url("")) sent no temporary credentials",
    ] {
      let error = #expect(throws: StoreError.self) { try client.head(ScriptedStore.location) }
      #expect(error?.description == text)
      #expect(error?.kind == .rejected)
    }
  }
}
