import TesseraManifest
import TesseraPipeline
import TesseraPipelineFile
import Testing

@testable import tessera

/// How many images are probed together.
@Suite struct ManifestProberTests {
  private static let file = PipelineFile(reading: .standardInput)

  private static func item(_ id: String, extra: String? = nil) -> Item {
    Item(
      ManifestEntry(line: 1, id: id, url: "data:,x", extra: extra), position: 0, file.fetch)
  }

  @Test func aBatchHas256Images() async throws {
    let prober = try ManifestProber(Self.file)
    for round in 0..<2 {
      for number in 1..<256 {
        let answers = try await prober.add(Self.item("\(round)-\(number)"))
        #expect(answers.isEmpty)
      }
      let answers = try await prober.add(Self.item("\(round)-256"))
      #expect(answers.map(\.0.id) == (1...256).map { "\(round)-\($0)" })
      #expect(answers.allSatisfy { if case .failure = $0.1 { true } else { false } })
    }
    #expect(try await prober.flush().isEmpty)
    _ = try await prober.add(Self.item("last"))
    #expect(try await prober.flush().map(\.0.id) == ["last"])
  }

  /// Of long entries fewer are kept in memory: 16 MiB.
  @Test func aBatchHas16Mebibytes() async throws {
    let prober = try ManifestProber(Self.file)
    let long = Self.item("a", extra: "\"" + String(repeating: "x", count: 4 << 20) + "\"")
    var counts: [Int] = []
    for _ in 0..<4 { counts.append(try await prober.add(long).count) }
    #expect(counts == [0, 0, 0, 4])
    let short = Self.item("b", extra: "\"" + String(repeating: "x", count: (4 << 20) - 200) + "\"")
    counts = []
    for _ in 0..<4 { counts.append(try await prober.add(short).count) }
    #expect(counts == [0, 0, 0, 0])
  }
}
