import Foundation
import TesseraCatalog
import TesseraTestSupport
import Testing

/// The package for web apps in `Sources/Clients/web`, with catalogs of real runs.
@Suite struct WebTests {
  /// `Tests/check-web` compiles the package, and runs the shared cases in Node and in Chromium. Here it also reads two
  /// catalogs of a run, verifies their digests, and applies the changes between them.
  @Test func thePackageForWebAppsDoesWhatTheLibraryDoes() async throws {
    let nginx = try await Nginx(serving: Places.fixtures)
    func line(_ id: String, _ name: String, _ more: String = "") -> String {
      #"{"id":"\#(id)","url":"\#(nginx.url("/\(name)"))"\#(more)}"# + "\n"
    }
    let fixture = try RunFixture(
      manifest: line("a", "plain.jpg", #","extra":{"n":9007199254740993,"x":1e-7,"ä":[null]}"#)
        + line("__proto__", "grey.png") + line("gone", "gone.jpg"),
      keys: "variants: {format: [webp, jpeg]}\nplaceholders: [color, thumbhash, blurhash]")
    #expect(try await fixture.run().status == 1)
    let old = try fixture.folder.write(try fixture.catalogText, to: "old.json")
    try fixture.folder.write(
      line("new", "one-pixel.png", #","alt":"A \"pixel\"","focus":[0.5,0.3],"extra":null"#)
        + line("a", "animated.gif") + line("gone", "gone.jpg"), to: "manifest")
    #expect(try await fixture.run().status == 1)
    await nginx.stop()
    let new = fixture.folder.path("out/catalog.json")
    let diff = try await Tool.tessera("diff", "--changes", old, new)
    #expect(diff.status == 0, "\(diff.errors)")
    let changes = try fixture.folder.write(diff.output, to: "changes.json")

    let check = try await Tool.run(
      Places.root.appending(path: "Tests/check-web").path,
      [old, new, "--changes", old, changes, new])
    #expect(check.status == 0, "\(check.output)\(check.errors)")
    guard !check.output.contains("not checked") else {
      print(check.output)
      return
    }
    for part in [
      "an app imports it, with its types", "cases in Node: 21 sections",
      "changes of tessera diff: lead to the new catalog",
      "APPS.md: 8 snippets", "cases in Chromium: 21 sections",
      "React and Vue: show the same", "offline: the service worker shows",
    ] {
      #expect(check.output.contains(part), "\(check.output)")
    }
  }
}
