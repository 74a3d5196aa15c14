import TesseraJSON
import Testing

@testable import TesseraPipeline
@testable import tessera

/// What `plan` says of the next run, from values that are given.
@Suite struct ForecastTextTests {
  private static func lines(_ change: (inout RunForecast) -> Void) -> [String] {
    var forecast = RunForecast()
    forecast.images = 300
    change(&forecast)
    return forecast.text.split(separator: "\n").map(String.init)
  }

  private static func json(_ change: (inout RunForecast) -> Void) throws -> JSONValue? {
    var forecast = RunForecast()
    change(&forecast)
    return try JSONParser.parse(forecast.document)["next"]
  }

  /// The images of the first line add up to all of them.
  @Test func imagesAreCountedOnce() {
    let lines = Self.lines { forecast in
      (forecast.images, forecast.fresh, forecast.revalidated) = (1_000, 488, 512)
      (forecast.new, forecast.retried, forecast.gone) = (1, 4, 3)
    }
    #expect(
      Array(lines.prefix(3)) == [
        "next run: 1000 images: 488 fresh, 512 to be revalidated",
        "  of these 1 new, 4 tried again after a failure", "  besides 3 gone from the manifest",
      ])
    #expect(Self.lines { $0.fresh = 300 }[1].hasPrefix("  0 requests"))
  }

  @Test func aGuardThatWouldStopTheRunIsNamed() throws {
    let change = { (forecast: inout RunForecast) in
      forecast.stop = "the manifest \"m\": it has 3 items"
    }
    #expect(Self.lines(change)[1] == "  this run would stop: the manifest \"m\": it has 3 items")
    #expect(try Self.json(change)?["stop"]?.stringValue == "the manifest \"m\": it has 3 items")
    #expect(try Self.json { _ in }?["stop"] == nil)
  }

  @Test func anEstimateFromOtherEncodersSaysSo() throws {
    let change = { (forecast: inout RunForecast) in
      forecast.unmeasured = ["avif effort 2"]
      (forecast.expected.jobSeconds, forecast.most.jobSeconds) = (10, 40)
      (forecast.expected.seconds, forecast.most.seconds) = (6, 21)
    }
    #expect(
      Self.lines(change)[3]
        == "  about 10.0 s to 40.0 s of workers (not measured here yet: avif effort 2), about 6.0 s to 21.0 s in "
        + "all"
    )
    #expect(!Self.lines(change).contains { $0.contains("origin") })
    #expect(try Self.json(change)?["unmeasured"]?.arrayValue?.count == 1)
  }

  @Test(arguments: [
    (0, 0, "under a second"), (0.2, 0.99, "under a second"), (0.2, 1.04, "up to 1.0 s"),
    (1.2, 1.2, "about 1.2 s"), (2, 90, "about 2.0 s to 1 min 30 s"),
  ])
  func timesAreNoMorePreciseThanTheyCanBe(_ low: Double, _ high: Double, _ text: String) {
    let lines = Self.lines { forecast in
      (forecast.expected.jobSeconds, forecast.most.jobSeconds) = (low, high)
      (forecast.expected.seconds, forecast.most.seconds) = (low, high)
    }
    #expect(lines[3] == "  \(text) of workers, \(text) in all")
  }

  @Test(arguments: [
    (35_600_000, 400, [], true), (35_600_001, 400, ["bytes"], false),
    (35_600_000, 401, ["inode"], false), (40_000_000, 4_593, ["bytes", "inode"], false),
  ])
  func aDiskThatIsTooSmallIsNamed(
    _ bytes: Int, _ files: Int, _ lacks: [String], _ suffices: Bool
  ) throws {
    let change = { (forecast: inout RunForecast) in
      (forecast.most.bytesWritten, forecast.most.files) = (Double(bytes), files)
      forecast.room = RunForecast.Room(bytes: 35_600_000, inodes: 400)
    }
    let found = Self.lines(change).filter { $0.contains("output's disk") }
    #expect(
      found
        == lacks.map {
          $0 == "bytes"
            ? "  the output's disk has only 35.6 MB free, less than the files may need: free space on it, for example "
              + "with prune"
            : "  the output's disk has only 400 inodes free, and each file needs one"
        })
    let free = try Self.json(change)?["free"]
    #expect(free?["bytes"]?.intValue == 35_600_000 && free?["inodes"]?.intValue == 400)
    #expect(free?["suffices"] == .bool(suffices))
    #expect(try Self.json { $0.most.files = .max }?["free"] == nil)
  }
}
