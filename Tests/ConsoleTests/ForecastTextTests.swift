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

  /// What the origins may change has a line of its own.
  @Test func whatOriginsMayChangeIsSaid() throws {
    let change = { (forecast: inout RunForecast) in
      (forecast.expected.requests, forecast.expected.seconds) = (12, 0.4)
      (forecast.most.requests, forecast.most.files) = (14, 20)
      (forecast.most.bytes, forecast.most.seconds) = (1_200_000, 6)
    }
    #expect(
      Self.lines(change)[1...2] == [
        "  12 requests, 0 files made, under a second",
        "  if all sources have changed and what failed succeeds: 14 requests, 20 files made (about 1.2 MB), about 6.0 s",
      ])
    let most = try Self.json(change)?["most"]
    #expect(most?["files"]?.intValue == 20 && most?["seconds"]?.doubleValue == 6)
    // Of work that no run has done, no time is said.
    #expect(Self.lines { $0.most.files = 1 }[1...2].allSatisfy { !$0.contains("second") })
    #expect(try Self.json { _ in }?["most"]?["seconds"] == nil)
  }

  @Test(arguments: [
    (35_600_000, 400, [], true), (35_600_001, 400, ["bytes"], false),
    (35_600_000, 401, ["inode"], false), (40_000_000, 4_593, ["bytes", "inode"], false),
  ])
  func aDiskThatIsTooSmallIsNamed(
    _ bytes: Int, _ files: Int, _ lacks: [String], _ suffices: Bool
  ) throws {
    let change = { (forecast: inout RunForecast) in
      (forecast.most.bytes, forecast.most.files) = (bytes, files)
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
