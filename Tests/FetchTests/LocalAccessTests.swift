import Foundation
import TesseraSystem
import TesseraTestSupport
import Testing

@testable import TesseraNet

/// Which files may be read, and what URLs without a server mean.
@Suite struct LocalAccessTests {
  /// A URL and the path that it names; nil if it is malformed.
  @Test(
    arguments: [
      ("file:///a/b", "/a/b"), ("file:/a/b", "/a/b"), ("FILE:///a", "/a"), ("file:///", "/"),
      ("file://localhost/a", "/a"), ("file:///a%20b%C3%A9#c", "/a bé"), ("file:///a?b", "/a?b"),
      ("file://localhost", nil), ("file://LOCALHOST/a", nil), ("file://host/a", nil),
      ("file:////a", nil), ("file:a", nil), ("file:", nil), ("file://", nil), ("file:///%00", nil),
      ("file:///%4", nil), ("file:///%FF", nil), ("file://localhost//a", nil),
    ] as [(String, String?)])
  func filesAreNamedByTheirPaths(_ url: String, _ path: String?) {
    switch LocalSource(url) {
    case .file(let found): #expect(found == path)
    case .unreadable(let error):
      #expect(path == nil)
      #expect(error == FetchError(.badURL, "a file: URL needs three slashes and a path"))
    default: Issue.record("not a file")
    }
    #expect(LocalSource.isFile(url))
  }

  /// A data: URL and its bytes as text, or why it has none.
  @Test(arguments: [
    ("data:,", ""), ("data:,a%20b+c", "a b+c"), ("data:text/plain,a,b", "a,b"),
    ("data:;base64,aGk=", "hi"), ("data:image/png;BASE64,aGk", "hi"), ("data:;base64,", ""),
    ("data:;base64, a G\t%0d%0Ak ", "hi"), ("data:;base64;x,aGk=", "aGk="),
    ("data:base64,aGk", "aGk"),
    ("data:,a#b", "a"), ("Data:,a", "a"), ("data:a", "comma"), ("data:,%", "comma"),
    ("data:a#,b", "comma"), ("data:;base64,a", "not valid Base64"),
    ("data:;base64,aG*k", "not valid Base64"), ("data:;base64,aGk==", "not valid Base64"),
  ])
  func dataURLsHaveTheirBytes(_ url: String, _ expected: String) {
    switch LocalSource(url) {
    case .data(let bytes): #expect(String(decoding: bytes, as: UTF8.self) == expected)
    case .unreadable(let error):
      #expect(error.code == .badURL)
      #expect(
        error.message
          == (expected == "comma"
            ? "a data: URL needs a comma, followed by data in which two digits follow each %"
            : "the data: URL is \(expected)"))
    default: Issue.record("not data")
    }
    #expect(!LocalSource.isFile(url))
  }

  @Test(arguments: ["http://a/", "files:///a", "fil", "", "xfile:///a", "s3://b/k"])
  func otherURLsNeedAServer(_ url: String) {
    #expect(LocalSource(url) == nil)
    #expect(!LocalSource.isFile(url))
  }

  /// The folder `real` with a file, a link to it, and links in it that lead out of it or not.
  private static func made() throws -> TemporaryFolder {
    let folder = try TemporaryFolder()
    try folder.write("in", to: "real/a")
    try folder.write("in", to: "real/deep/b")
    try folder.write("out", to: "real-2/a")
    for (link, target) in [
      ("link", "real"), ("real/out", "../real-2/a"), ("real/up", "../real-2"),
      ("real/in", "deep/b"),
      ("into", "real/a"), ("real/gone", "none"), ("real/away", "/no/such/file"),
      ("real/loop", "loop"),
    ] {
      symlink(target, folder.path(link))
    }
    return folder
  }

  /// A path, an allowed folder, and whether the file may be opened.
  @Test(arguments: [
    ("real/a", "real", true), ("real/a", "real/", true), ("real/deep/b", "real", true),
    // The allowed folder may be a link itself, and so may the way to a file inside.
    ("link/a", "link", true), ("link/a", "real", true), ("real/a", "link", true),
    ("real/in", "real", true), ("into", "real", true), ("real/in", "real/deep", true),
    // A link that leads out is not followed.
    ("real/out", "real", false), ("real/up/a", "real", false), ("link/out", "link", false),
    // Whether what it leads to exists is not shown.
    ("real/gone", "real", false), ("real/away", "real", false), ("real/loop", "real", false),
    ("into", "real/deep", false), ("real/deep/../../real-2/a", "real", false),
    // Nor does a name allow those that begin with it.
    ("real-2/a", "real", false), ("real/a", "real-2", false), ("real/a", "none", false),
    ("real", "real", false),
    // A missing file is judged by its folder.
    ("real/none", "real", true), ("real-2/none", "real", false), ("real/up/none", "real", false),
    ("none/none", "real", false),
    // So is one in a folder that is missing, unless a link is on the way.
    ("real/new/none", "real", true), ("new/deep/none", "new", true),
    ("real/up/no/none", "real", false),
    ("real/away/none", "real", false), ("real/gone/no/none", "real", false),
    ("new/none", "real", false),
  ])
  func onlyFilesInAllowedFoldersAreOpened(_ path: String, _ allowed: String, _ isAllowed: Bool)
    throws
  {
    let folder = try Self.made()
    var settings = FetchSettings()
    settings.folders = [folder.path("unrelated"), folder.path(allowed)]
    settings.permissionHint = { "say \($0)" }
    let outside = FetchError(
      .addressRejected,
      "the file is not in an allowed folder; if that is meant, say \"files:/the/folder\"")
    let behindLink = FetchError(
      .symlink,
      "a symbolic link on the way to the file leads to nothing, or out of the allowed folders; put the file itself "
        + "there; if the link is meant, say \"files:/the/folder\"")
    // By its path it is in the folder.
    let isLinked = path.hasPrefix(allowed + "/") && !path.contains("..")
    let rejection = isLinked ? behindLink : outside
    let full = folder.url.path + "/" + path
    #expect(LocalSource.rejection(of: full, settings) == (isAllowed ? nil : rejection))
    #expect(settings.rejection(ofSource: "file://" + full) == (isAllowed ? nil : rejection))
    let (result, _) = LocalSource.file(path: full).read(
      FetchRequest(url: "file://" + full, deadline: .seconds(9)), settings, into: HeadersOnly())
    if !isAllowed {
      #expect(throws: rejection) { try result.get() }
    } else if path.hasSuffix("none") {
      #expect(throws: FetchError(.notFound, "the file does not exist")) { try result.get() }
    } else {
      #expect(try result.get().ending == .stopped)
    }
    settings.folders = []
    #expect(LocalSource.rejection(of: full, settings) == outside)
  }

  @Test func allFilesAreInTheRoot() throws {
    var settings = FetchSettings()
    settings.folders = ["/"]
    #expect(LocalSource.rejection(of: "/etc/passwd", settings) == nil)
  }

  @Test func onlyRegularFilesAreSources() throws {
    let folder = try Self.made()
    var settings = FetchSettings()
    settings.folders = [folder.path("")]
    mkfifo(folder.path("pipe"), 0o600)
    for name in ["pipe", "real"] {
      let (result, bytes) = LocalSource.file(path: folder.path(name)).read(
        FetchRequest(url: "file:///x", deadline: .seconds(9)), settings, into: HeadersOnly())
      #expect(throws: FetchError(.notReadable, "not a regular file")) { try result.get() }
      #expect(bytes == 0)
    }
    let long = folder.path(String(repeating: "n", count: 300))
    let (result, _) = LocalSource.file(path: long).read(
      FetchRequest(url: "file:///x", deadline: .seconds(9)), settings, into: HeadersOnly())
    #expect(throws: FetchError(.notReadable, "the file cannot be opened: File name too long")) {
      try result.get()
    }
  }

  /// What can be said of a source before any request.
  @Test func aSourceMayBeRejectedByItsURLAlone() throws {
    var settings = FetchSettings()
    settings.permissionHint = { "say \($0)" }
    for (url, host, permission) in [
      ("http://127.0.0.1/a", "127.0.0.1", "loopback"),
      ("https://10.0.0.1:8080/a", "10.0.0.1", "private"),
      ("http://[fe80::1]/", "[fe80::1]", "\"fe80::1/128\""),
      ("http://2130706433/", "127.0.0.1", "loopback"),
      ("http://LOCALHOST/", "localhost", "loopback"),
    ] {
      #expect(
        settings.rejection(ofSource: url)
          == FetchError(
            .addressRejected,
            "\(host) is not on the public internet; if that is meant, say \(permission)"))
    }
    for url in ["http://8.8.8.8/", "http://a.example/", "ftp://127.0.0.1/", "data:,a", "s3://b/k"] {
      #expect(settings.rejection(ofSource: url) == nil, "\(url)")
    }
    #expect(settings.rejection(ofSource: "data:a")?.code == .badURL)
    settings.addresses = AddressPolicy(allow: ["loopback"])
    #expect(settings.rejection(ofSource: "http://127.0.0.1/a") == nil)
  }

  @Test func theFolderToAllowIsThatOfTheFile() throws {
    let folder = try Self.made()
    let real = try #require(FileSystem.realPath(folder.path("real")))
    #expect(FetchSettings.folder(ofSource: "file://" + folder.path("real/a")) == real)
    #expect(FetchSettings.folder(ofSource: "file://" + folder.path("link/none")) == real)
    #expect(FetchSettings.folder(ofSource: "file:///no/such/a") == "/no/such")
    for url in ["http://a/b", "data:,a", "file:a"] {
      #expect(FetchSettings.folder(ofSource: url) == nil)
    }
  }
}
