import Foundation
import TesseraCatalog
import TesseraTestSupport
import Testing

/// The pipelines that are shipped, each run on the fixtures.
@Suite struct PipelineTests {
  private static var names: [String] {
    get throws {
      let folder = Places.root.appending(path: "Pipelines").path
      return try FileManager.default.contentsOfDirectory(atPath: folder)
        .filter { $0.hasSuffix(".yaml") }.sorted()
    }
  }

  @Test func eachPipelineSaysWhoItIsForAndRuns() async throws {
    let nginx = try await Nginx(serving: Places.fixtures)
    let pictures = ["rotated-phone-shot.jpg", "tall-900x20000.png", "animated.gif", "cmyk.jpg"]
    #expect(try Self.names.count >= 5)
    for name in try Self.names {
      let path = Places.root.appending(path: "Pipelines/\(name)")
      let text = try String(contentsOf: path, encoding: .utf8)
      #expect(text.hasPrefix("# ") && text.contains("For a"), "\(name) does not say who it is for")
      let folder = try TemporaryFolder()
      try folder.write(
        pictures.map { #"{"id":"\#($0)","url":"\#(nginx.url("/\($0)"))"}"# + "\n" }.joined(),
        to: "manifest")
      var lines = text.components(separatedBy: "\n")
      // Its own settings but for where it reads, writes, and may go.
      lines = lines.map { line in
        if line.hasPrefix("manifest:") { return "manifest: manifest" }
        if line.hasPrefix("output:") { return "output: out" }
        return line == "fetch:" ? "fetch:\n  allow: [loopback]" : line
      }
      // A large AVIF takes its time where others work, too.
      lines.removeAll { $0.hasPrefix("limits:") }
      lines.append("limits: {pixels: 200MP, time: 300s}")
      if !lines.contains("fetch:\n  allow: [loopback]") { lines.append("fetch: {allow: loopback}") }
      let file = try folder.write(lines.joined(separator: "\n"), to: name)
      let shipped = try await Tool.tessera(
        "check", Places.root.appending(path: "Pipelines/\(name)").path)
      #expect(shipped.status == 0, "\(name) as it is: \(shipped.output) \(shipped.errors)")
      let check = try await Tool.tessera("check", file)
      #expect(check.status == 0, "\(name): \(check.errors)")
      let arguments = text.contains("--layout-only") ? ["--layout-only"] : []
      let run = try await Tool.run(Places.tessera, ["run", file] + arguments)
      #expect(run.status == 0, "\(name): \(run.output) \(run.errors)")
      let catalog = try JSONDecoder().decode(Catalog.self, from: folder.read("out/catalog.json"))
      let status = arguments.isEmpty ? CatalogImage.Status.ok : .pending
      #expect(catalog.images.map(\.status) == pictures.map { _ in status })
      for image in catalog.images where status == .ok {
        #expect(Set(image.slots.keys) == Set(catalog.slots.keys))
      }
    }
    await nginx.stop()
  }
}
