import Foundation
import TesseraTestSupport
import Testing

@Suite struct FaultListTests {
  @Test func everyFaultHasATest() async throws {
    let list = try await Tool.run(Places.root.appending(path: "Tests/faults").path, [])
    #expect(list.status == 0, "\(list.errors)")
    let listed = list.output.matches(of: /(?m)^[A-Z]\d+ (.*)$/).map { String($0.1) }
    #expect(listed.count == Fault.allCases.count)
    #expect(Set(Fault.allCases.map(\.rawValue)).subtracting(listed) == [])
    #expect(list.output.contains("    FetcherTests.eachFaultCausesItsError\n"))
  }
}
