import Foundation
import TesseraCatalog
import TesseraTestSupport
import Testing

/// The pipelines in the folder `Pipelines`, each run on fixtures.
@Suite struct ShippedPipelineTests {
  private static var names: [String] {
    get throws {
      let folder = Places.root.appending(path: "Pipelines").path
      return try FileManager.default.contentsOfDirectory(atPath: folder)
        .filter { $0.hasSuffix(".yaml") }.sorted()
    }
  }

  @Test func eachPipelineStatesItsPurposeAndRuns() async throws {
    let nginx = try await Nginx(serving: Places.fixtures)
    let images = ["rotated-phone-shot.jpg", "tall-900x20000.png", "animated.gif", "cmyk.jpg"]
    #expect(try Self.names.count >= 5)
    for name in try Self.names {
      let path = Places.root.appending(path: "Pipelines/\(name)")
      let text = try String(contentsOf: path, encoding: .utf8)
      #expect(text.hasPrefix("# ") && text.contains("For a"), "\(name) does not state its purpose")
      let folder = try TemporaryFolder()
      try folder.write(
        images.map { #"{"id":"\#($0)","url":"\#(nginx.url("/\($0)"))"}"# + "\n" }.joined(),
        to: "manifest")
      var lines = text.components(separatedBy: "\n")
      // Its own settings, except for the manifest, the output and allowed addresses.
      lines = lines.map { line in
        if line.hasPrefix("manifest:") { return "manifest: manifest" }
        if line.hasPrefix("output:") { return "output: out" }
        return line == "fetch:" ? "fetch:\n  allow: [loopback]" : line
      }
      // A large AVIF takes long on a busy machine.
      lines.removeAll { $0.hasPrefix("limits:") }
      lines.append("limits: {pixels: 200MP, time: 300s}")
      if !lines.contains("fetch:\n  allow: [loopback]") { lines.append("fetch: {allow: loopback}") }
      let file = try folder.write(lines.joined(separator: "\n"), to: name)
      let shipped = try await Tool.tessera(
        "check", Places.root.appending(path: "Pipelines/\(name)").path)
      #expect(shipped.status == 0, "\(name) unchanged: \(shipped.output) \(shipped.errors)")
      let check = try await Tool.tessera("check", file)
      #expect(check.status == 0, "\(name): \(check.errors)")
      let arguments = text.contains("--layout-only") ? ["--layout-only"] : []
      let run = try await Tool.run(Places.tessera, ["run", file] + arguments)
      #expect(run.status == 0, "\(name): \(run.output) \(run.errors)")
      let catalog = try Catalog(reading: folder.read("out/catalog.json"))
      let status = arguments.isEmpty ? CatalogImage.Status.ok : .pending
      #expect(catalog.images.map(\.status) == images.map { _ in status })
      for image in catalog.images where status == .ok {
        #expect(Set(image.slots.keys) == Set(catalog.slots.keys))
      }
    }
    await nginx.stop()
  }
}
