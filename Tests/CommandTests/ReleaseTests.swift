import Foundation
import TesseraTestSupport
import Testing

/// What a release says of itself.
@Suite struct ReleaseTests {
  /// One release has one number, wherever a format wants it.
  @Test func everyPartHasTheCommandsNumber() async throws {
    let version = try await Tool.tessera("--version").output.dropFirst("tessera ".count)
      .trimmingCharacters(in: .newlines)
    for (path, expected) in [
      ("Examples/package/debian/changelog", "tessera (\(version)) "),
      ("Sources/Clients/web/package.json", "\"version\": \"\(version)\""),
      ("Sources/Clients/android/pom.xml", "<version>\(version)</version>"),
      ("Pipelines/RUNNING.md", "tessera-\(version)-linux-x86_64.tar.gz"),
      ("Pipelines/RUNNING.md", "tessera_\(version)~debian12_amd64.deb"),
    ] {
      let text = try Document(path).text
      #expect(text.contains(expected), "\(path) lacks \(expected)")
    }
  }
}
