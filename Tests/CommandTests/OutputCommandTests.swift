import Foundation
import TesseraCatalog
import TesseraTestSupport
import Testing

/// Commands that look after an output: `verify` and `prune`.
@Suite struct OutputCommandTests {
  private static func made(_ names: [String], keys: String = "") async throws -> Workshop {
    let nginx = try await Nginx(serving: Places.fixtures)
    let workshop = try Workshop(
      manifest: names.map { #"{"id":"\#($0)","url":"\#(nginx.url("/\($0)"))"}"# + "\n" }.joined(),
      keys: keys)
    _ = try await workshop.run()
    await nginx.stop()
    return workshop
  }

  private static let names = ["plain.jpg", "grey.png", "animated.gif", "gone.png"]

  @Test(arguments: ["json", "jsonl"])
  func verifyFindsWhatIsNotAsTheCatalogSays(_ form: String) async throws {
    let workshop = try await Self.made(
      Self.names, keys: "catalog: {format: \(form)}\nvariants: {format: [webp, jpeg]}")
    let output = workshop.folder.path("out")
    for options in [[], ["--deep"]] {
      let result = try await Tool.run(Places.tessera, ["verify", output] + options)
      #expect(result.status == 0, "\(result.output)\(result.errors)")
      #expect(result.output.hasSuffix("of 4 pictures: all is well\n"), "\(result.output)")
    }
    let files = workshop.folder.files(below: "out/variants").sorted()
    try #require(files.count >= 6)
    func path(_ index: Int) -> URL {
      URL(filePath: workshop.folder.path("out/variants/\(files[index])"))
    }
    try FileManager.default.removeItem(at: path(0))
    try Data(contentsOf: path(1)).dropLast(5).write(to: path(1))
    try Data(contentsOf: path(2)).withLastByteFlipped.write(to: path(2))
    try FileManager.default.removeItem(at: path(3))
    try FileManager.default.createSymbolicLink(
      at: path(3), withDestinationURL: URL(filePath: "/etc/passwd"))
    let shallow = try await Tool.tessera("verify", output)
    #expect(shallow.status == 1)
    #expect(shallow.output.contains("\(files[0]) is missing"))
    #expect(shallow.output.contains("\(files[1]) has "))
    #expect(shallow.output.contains("\(files[3]) is missing"))
    #expect(shallow.output.hasSuffix(": 3 problems\n"), "\(shallow.output)")
    let deep = try await Tool.run(
      Places.tessera, ["verify", output, "--deep", "--remove-broken", "--json"])
    #expect(deep.status == 1)
    let json = try #require(
      try JSONSerialization.jsonObject(with: Data(deep.output.utf8)) as? [String: Any])
    #expect(json["problemCount"] as? Int == 4)
    #expect(deep.output.contains("The file has other content than it had."))
    // What was broken is gone, what it led to is not, and the next run makes these files and no others.
    #expect(FileManager.default.fileExists(atPath: "/etc/passwd"))
    #expect(workshop.folder.files(below: "out/variants").count == files.count - 4)
  }

  @Test func verifyAndPruneSayWhatIsNoOutput() async throws {
    let folder = try TemporaryFolder()
    for command in ["verify", "prune"] {
      let none = try await Tool.tessera(command, folder.path(""))
      #expect(none.status == 2)
      #expect(none.errors.contains("holds no catalog.json; it must be the output of a run"))
      try folder.write("{\"schema\":\"tessera-catalog/9\",\"images\":[\n]}\n", to: "catalog.json")
      let other = try await Tool.tessera(command, folder.path(""))
      #expect(other.status == 2)
      #expect(other.errors.contains("expected \"schema\": \"tessera-catalog/1\""))
      // A folder that is no output stays as it is.
      #expect(folder.files(below: "") == ["catalog.json"])
      try FileManager.default.removeItem(atPath: folder.path("catalog.json"))
    }
  }

  @Test func pruneDeletesWhatIsNamedNoMoreAfterAWhile() async throws {
    let nginx = try await Nginx(serving: Places.fixtures)
    let workshop = try Workshop(
      manifest: nginx.url("/plain.jpg") + "\n" + nginx.url("/grey.png") + "\n")
    #expect(try await workshop.run().status == 0)
    let before = Set(workshop.folder.files(below: "out/variants"))
    try workshop.folder.write(nginx.url("/plain.jpg") + "\n", to: "manifest")
    try workshop.write(keys: "variants: {quality: 50}")
    #expect(try await workshop.run().status == 0)
    await nginx.stop()
    let named = Set(
      try workshop.catalog.images.flatMap(\.variants).map { $0.path.dropFirst(9) }.map(String.init))
    try workshop.folder.write("mine", to: "out/variants/notes.txt")
    let output = workshop.folder.path("out")
    let all = Set(workshop.folder.files(below: "out/variants"))

    // Nothing goes at once, and a dry run does not even note anything.
    for options in [["--dry-run"], [], ["--grace", "1h"]] {
      let result = try await Tool.run(Places.tessera, ["prune", output] + options)
      #expect(result.status == 0, "\(result.errors)")
      #expect(result.output.hasPrefix("0 files "), "\(result.output)")
      #expect(result.output.contains("\(before.count) wait"))
      #expect(Set(workshop.folder.files(below: "out/variants")) == all)
    }
    let dry = try await Tool.run(Places.tessera, ["prune", output, "--grace", "0s", "--dry-run"])
    #expect(
      Set(dry.output.split(separator: "\n").dropLast().map { String($0.dropFirst(9)) }) == before)
    #expect(Set(workshop.folder.files(below: "out/variants")) == all)
    let result = try await Tool.run(Places.tessera, ["prune", output, "--grace", "0s"])
    #expect(result.output.contains("\(before.count) files deleted"), "\(result.output)")
    #expect(result.output.contains("1 are none of tessera's"))
    #expect(Set(workshop.folder.files(below: "out/variants")) == named.union(["notes.txt"]))
    #expect(try await Tool.tessera("verify", output, "--deep").status == 0)
    #expect(try await Tool.tessera("prune", output, "--grace", "soon").status == 64)
  }

  /// Each decision of each run, with its reason.
  @Test func whyTellsWhatWasDecided() async throws {
    let (plain, grey) = (try Places.bytes("plain.jpg"), try Places.bytes("grey.png"))
    let server = try FaultServer([
      "/a": { request, connection in
        if request.before == 1 { return connection.answer("304 Not Modified") }
        connection.answer(
          "200 OK", ["ETag": "\"\(request.before)\""], request.before < 2 ? plain : grey)
      },
      "/twin": { $1.answer("200 OK", ["Cache-Control": "max-age=3600"], plain) },
      "/slow": { $1.answer("503 Service Unavailable") },
    ])
    defer { server.stop() }
    let names = ["a", "twin", "gone", "slow"]
    let workshop = try Workshop(
      manifest: names.map { #"{"id":"\#($0)","url":"\#(server.url("/\($0)"))"}"# + "\n" }.joined(),
      keys: "fetch: {allow: loopback, retries: 0, concurrency: 1}")
    let output = workshop.folder.path("out")
    func why(_ id: String) async throws -> [String] {
      let result = try await Tool.run(Places.tessera, ["why", output, id])
      #expect(result.status == 0, "\(result.errors)")
      return result.output.split(separator: "\n").map { $0.trimmingCharacters(in: .whitespaces) }
    }
    #expect(try await workshop.run().status == 1)
    var lines = try await why("a")
    #expect(lines[0] == "a, line 1 of the manifest: ok")
    #expect(lines[1] == server.url("/a"))
    #expect(lines[2] == "- asked for: it was not known")
    #expect(lines[3] == "- fetched for the first time")
    #expect(lines.contains("the same bytes as twin"))
    // Whichever came first was decoded, and the other reused its files.
    let twin = try await why("twin")
    let both = [lines[4], twin[4]].sorted()
    #expect(
      both == [
        "- decoded: 3 files made, 0 reused",
        "- these bytes were worked on before: all files reused",
      ])
    let gone = try await why("gone")
    #expect(gone[3] == "- it could not be fetched: the server answered 404 Not Found")
    #expect(gone[4] == "error: The server answered 404 Not Found.")

    #expect(try await workshop.run().status == 1)
    lines = try await why("a")
    #expect(lines[2].hasPrefix("- asked for: the server did not say how long its answer of 20"))
    #expect(lines[3] == "- the server said that it has not changed")
    let fresh = try await why("twin")
    #expect(
      fresh[2].hasPrefix("- nothing to do: the server's answer is fresh until 20"), "\(fresh)")

    #expect(try await workshop.run().status == 1)
    lines = try await why("a")
    #expect(lines[3] == "- fetched: it has changed (ETag \"0\" is now \"2\")")
    #expect(!lines.contains("the same bytes as twin"))

    // A file that is lost is a reason of its own.
    let file = try #require(try workshop.catalog.images[1].variants.first?.path)
    try FileManager.default.removeItem(atPath: workshop.folder.path("out/\(file)"))
    #expect(try await workshop.run().status == 1)
    #expect(try await why("twin")[2] == "- asked for: 1 of its 3 files are not there")
    #expect(try await why("twin")[4] == "- decoded: 1 files made, 2 reused")

    let json = try await Tool.run(Places.tessera, ["why", output, "gone", "--json"])
    let object = try JSONSerialization.jsonObject(with: Data(json.output.utf8)) as? [String: Any]
    #expect(object?["status"] as? String == "failed")
    #expect((object?["decisions"] as? [String])?.count == 2)
    let unknown = try await Tool.run(Places.tessera, ["why", output, "twiin"])
    #expect(unknown.status == 2)
    #expect(
      unknown.errors.contains(
        "no item of the last run has the id \"twiin\"; there are \"twin\" and others"))
    #expect(try await Tool.run(Places.tessera, ["why", workshop.folder.path(""), "a"]).status == 2)
  }
}

extension Data {
  fileprivate var withLastByteFlipped: Data {
    var copy = self
    if let last = copy.indices.last { copy[last] ^= 1 }
    return copy
  }
}
