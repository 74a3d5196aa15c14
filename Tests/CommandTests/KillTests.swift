import Foundation
import TesseraCatalog
import TesseraTestSupport
import Testing

/// A run killed at any moment and repeated has the result of an undisturbed run.
@Suite struct KillTests {
  private static func manifest(_ nginx: Nginx, _ names: [String]) -> String {
    names.map { #"{"id":"\#($0)","url":"\#(nginx.url("/\($0)"))"}"# + "\n" }.joined()
  }

  /// The catalog and the names of all files, which contain the digests of their contents.
  private static func result(_ fixture: RunFixture) throws -> [String] {
    [try fixture.catalogText] + fixture.folder.files(below: "out/variants").sorted()
  }

  /// Two hundred kills at random moments, one to twenty per output before a run may finish.
  @Test(.faults(.f4)) func killsAtRandomMoments() async throws {
    let nginx = try await Nginx(serving: Places.fixtures)
    let names = [
      "plain.jpg", "grey.png", "animated.gif", "truncated.jpg", "one-pixel.png",
      "orientation-6.jpg",
      "transparent.png", "cmyk.jpg", "display-p3.jpg",
    ]
    let manifest = Self.manifest(nginx, names)
    let undisturbed = try RunFixture(manifest: manifest)
    let clock = ContinuousClock.now
    #expect(try await undisturbed.run().status == 1)  // one image is truncated
    // On a busy machine one run may take very long, and two hundred would take hours.
    let time = min(clock.duration(to: .now), .seconds(2))
    let expected = try Self.result(undisturbed)
    // Three outputs at a time, because they mostly wait.
    let chains = try await withThrowingTaskGroup(of: Int.self) { group in
      for share in [67, 67, 66] {
        group.addTask { try await Self.kill(share, manifest, within: time * 2, expected) }
      }
      var chains = 0
      for try await count in group { chains += count }
      return chains
    }
    #expect(chains >= 10)
    await nginx.stop()
  }

  /// Kills `count` runs, and compares the final result of each output. Returns the number of
  /// outputs.
  private static func kill(
    _ count: Int, _ manifest: String, within time: Duration, _ expected: [String]
  ) async throws -> Int {
    var (kills, chains) = (0, 0)
    while kills < count {
      let fixture = try RunFixture(manifest: manifest)
      for _ in 0..<min(count - kills, Int.random(in: 1...20)) {
        let running = try fixture.start()
        try await Task.sleep(for: time * Double.random(in: 0...1))
        running.signal(SIGKILL)
        _ = await running.end()
        kills += 1
      }
      #expect(try await fixture.run().status == 1)
      let result = try Self.result(fixture)
      #expect(result == expected, "after \(kills) kills")
      try await fixture.expectWhole()
      chains += 1
    }
    return chains
  }
}
