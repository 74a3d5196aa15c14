import Foundation
import TesseraTestSupport
import Testing

/// What a release says of itself; `Tests/check-changelog`, on a repository of its own.
@Suite struct ReleaseTests {
  private let folder: TemporaryFolder

  init() async throws {
    folder = try TemporaryFolder()
    try await git("init", "--quiet", "--initial-branch=main")
    try write("## Unreleased\n\n- Images of drafts\n  are left out.\n")
  }

  private func git(_ arguments: String...) async throws {
    let identity = ["-c", "user.name=T", "-c", "user.email=t@example.org"]
    let result = try await Tool.run("/usr/bin/git", ["-C", folder.url.path] + identity + arguments)
    #expect(result.status == 0, "\(result.errors)")
  }

  private func write(_ text: String) throws {
    try folder.write("# Changelog\n\n\(text)", to: "Examples/package/CHANGELOG.md")
  }

  private func commit(_ message: String) async throws {
    try await git("commit", "--quiet", "--allow-empty", "--message", message)
  }

  /// One release has one number, wherever a format wants it.
  @Test func everyPartHasTheCommandsNumber() async throws {
    let version = try await Tool.tessera("--version").output.dropFirst("tessera ".count)
      .trimmingCharacters(in: .newlines)
    for (path, expected) in [
      ("Examples/package/debian/changelog", "tessera (\(version)) "),
      ("Sources/Clients/web/package.json", "\"version\": \"\(version)\""),
      ("Sources/Clients/android/pom.xml", "<version>\(version)</version>"),
      ("Examples/package/README.md", "tessera-\(version)-linux-x86_64.tar.gz"),
      ("Examples/package/README.md", "tessera_\(version)~debian12_amd64.deb"),
    ] {
      let text = try Document(path).text
      #expect(text.contains(expected), "\(path) lacks \(expected)")
    }
  }

  private func check() async throws -> Tool.Result {
    try await Tool.run(
      Places.root.appending(path: "Tests/check-changelog").path, [folder.url.path])
  }

  @Test func whatCommitsAnnounceIsInTheChangelog() async throws {
    try await commit("One\n\nWhy.\n\nChangelog: Images of drafts are left out")
    try await commit("Two\n\nChangelog: in the body is a trailer only at its end.\n\nWhy.")
    let good = try await check()
    #expect(good.status == 0 && good.output.hasPrefix("1 announced since the first commit"))
    try await commit("Three\n\nChangelog: SVG is left out")
    let bad = try await check()
    #expect(bad.status == 1 && bad.errors.contains("\"SVG is left out\""), "\(bad.errors)")
  }

  @Test func aReleaseHasASection() async throws {
    try await commit("One\n\nChangelog: Images of drafts are left out")
    try await git("tag", "v0.1.0")
    let missing = try await check()
    #expect(missing.status == 1 && missing.errors.contains("no section for v0.1.0"))
    // What was released is not announced again.
    try write("## Unreleased\n\n## 0.1.0 - 2026-12-01\n\n- Images of drafts are left out.\n")
    try await commit("Two")
    let good = try await check()
    #expect(good.status == 0 && good.output.hasPrefix("0 announced since v0.1.0"), "\(good.errors)")
  }
}
