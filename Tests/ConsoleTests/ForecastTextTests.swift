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
        == "  about 10.0 s to 40.0 s of workers (not measured here yet: avif effort 2), 6.0 s to 21.0 s in all"
    )
    #expect(!Self.lines(change).contains { $0.contains("origin") })
    #expect(try Self.json(change)?["unmeasured"]?.arrayValue?.count == 1)
  }
}
