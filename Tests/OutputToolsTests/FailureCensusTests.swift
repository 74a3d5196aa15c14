import Testing

@testable import TesseraState
@testable import tessera

/// Failed and stale images by error and by host.
@Suite struct FailureCensusTests {
  private static func text(_ groups: [FailureCensus.Group]) -> [String] {
    groups.map { "\($0.count) \($0.name) \($0.ids.joined(separator: ","))" }
  }

  @Test func groupsComeByTheirNumber() {
    var census = FailureCensus()
    for index in 0..<5 {
      census.add(
        "a\(index)", code: "timeout", host: "a.example:8080", isStale: false)
    }
    for (index, checked) in [30.0, nil, 20].enumerated() {
      census.add(
        "s\(index)", code: "dns", host: "b.example", isStale: true, checked: checked)
    }
    census.add("f", code: "unknown", host: "", isStale: false)
    census.add("g", code: "dns", host: "", isStale: false)
    census.add("h", code: "dns", host: "", isStale: false)
    #expect(census.failed == 8 && census.stale == 3 && census.withoutHost == 3)
    #expect(census.oldestStale == 20)
    #expect(census.byHost.map(\.oldestStale) == [nil, 20])
    #expect(
      Self.text(census.byCode) == ["5 dns s0,s1,s2", "5 timeout a0,a1,a2", "1 unknown f"])
    #expect(Self.text(census.byHost) == ["5 a.example:8080 a0,a1,a2", "3 b.example s0,s1,s2"])
    #expect(!census.isApproximate)
    // One that is gone is shown for another reason.
    census.add(
      .init(
        number: 9, id: "x", code: "dns", message: "", isStale: true, checked: 5, isLost: true))
    #expect(census.stale == 4 && census.oldestStale == 20)
  }

  /// The message of the error names the status that the server answered with.
  @Test func statusesOfServersAreCounted() {
    var census = FailureCensus()
    for (index, status) in [403, 429, 403, 403].enumerated() {
      census.add(
        .init(
          number: index, id: "p\(index)", code: "http-status",
          message: "The server answered \(status) X.", host: "a.example", isStale: false,
          checked: nil))
    }
    for message in ["The server answered.", "The server answered 5x", "answered 404", ""] {
      census.add(
        .init(
          number: 9, id: "q", code: "http-status", message: message, isStale: false, checked: nil))
    }
    census.add(
      .init(
        number: 9, id: "d", code: "decode", message: "The server answered 404.", isStale: false,
        checked: nil))
    for groups in [census.byCode, census.byHost] {
      #expect(groups.first?.httpStatuses == [403: 3, 429: 1])
      #expect(groups.first?.statuses.map(\.status) == [403, 429])
    }
    #expect(census.byCode.last?.httpStatuses == [:])
    for status in 300..<400 {
      census.add(
        "s\(status)", code: "http-status", host: "s.example", isStale: false,
        httpStatus: status)
    }
    #expect(census.byHost.first?.count == 100 && census.byHost.first?.httpStatuses.count == 10)
  }

  /// A million hosts take the memory of some, and the busiest one is still the first.
  @Test func hostsAreBounded() {
    var census = FailureCensus(mostHosts: 10)
    for index in 0..<1_000 {
      census.add("r\(index)", code: "dns", host: "h\(index).example", isStale: false)
      if index % 10 == 9 {
        for _ in 0..<3 {
          census.add("b", code: "dns", host: "busy.example", isStale: false)
        }
      }
    }
    #expect(census.isApproximate)
    #expect(census.byHost.count <= 10)
    #expect(census.byHost.first?.name == "busy.example")
    #expect(census.byHost.first?.count == 300)
    #expect(census.failed == 1_300 && census.byCode.first?.count == 1_300)
  }
}
