import Foundation
import TesseraCatalog
import TesseraTestSupport
import Testing

/// The Kotlin library for Android (`Sources/Clients/android`), with catalogs that the command made, and the changes between them.
@Suite struct KotlinTests {
  @Test func theLibraryForAndroidPassesItsChecks() async throws {
    guard try await Tool.run("/usr/bin/which", ["kotlinc"]).status == 0 else {
      print("not tested: the Kotlin library (install kotlin and default-jre-headless for it)")
      return
    }
    let nginx = try await Nginx(serving: Places.fixtures)
    func line(_ id: String, _ name: String, _ rest: String = "") -> String {
      #"{"id":"\#(id)","url":"\#(nginx.url("/\(name)"))"\#(rest)}"# + "\n"
    }
    let extra =
      #","alt":"A bridge 🌉","extra":{"é":[0.1,-1e21,1e-7,12345678901234567,null],"\"":{}}"#
    let fixture = try RunFixture(
      manifest: line("a", "plain.jpg") + line("__proto__", "grey.png") + line("c", "gone.jpg"))
    #expect(try await fixture.run().status == 1)
    let old = try fixture.folder.write(try fixture.catalogText, to: "old.json")
    try fixture.folder.write(
      line("new", "one-pixel.png", extra) + line("c", "gone.jpg")
        + line("a", "plain.jpg", #","focus":[0.3,1],"extra":null"#), to: "manifest")
    #expect(try await fixture.run().status == 1)
    await nginx.stop()
    let out = fixture.folder.path("out")
    let made = try await Tool.tessera("diff", "--changes", old, out)
    #expect(made.status == 0, "\(made.errors)")
    let changes = try fixture.folder.write(made.output, to: "changes.json")
    let check = try await Tool.run(
      Places.root.appending(path: "Tests/check-kotlin").path,
      ["--changes", old, changes, "\(out)/catalog.json"])
    #expect(check.status == 0, "\(check.output)\(check.errors)")
    print(check.output, terminator: "")
    // Eleven parts, each with its count.
    #expect(check.output.matches(of: /(?m)^[^ ].*\d+.*, 0 (?:failures|mistakes)$/).count == 11)
  }
}
