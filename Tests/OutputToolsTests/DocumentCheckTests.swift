import Foundation
import Testing

@testable import tessera

/// `verify` of the documents beside a catalog.
@Suite struct DocumentCheckTests {
  private let small: SmallOutput

  init() throws { small = try SmallOutput() }

  private func verify(removes: Bool = false) async throws -> VerifyReport {
    try await Verification(
      small.root, isDeep: false, removesBroken: removes,
      access: DeliveryAccess(concurrency: 1, timeout: .seconds(1), allow: [])
    ).run { _ in }
  }

  /// The problems, one a line.
  private static func text(_ report: VerifyReport) -> String {
    report.problems.map { "\($0.id) \($0.path): \($0.reason)" }.joined(separator: "\n")
  }

  @Test func screensBelongToTheCatalog() async throws {
    try await small.publish(
      ["a", "b", "c", "d"].map { SmallOutput.line($0, isCard: true) }, screens: [SmallOutput.feed])
    let parts = try small.parts()
    try #require(parts.count == 3)
    #expect(try await verify().files == 4)
    try small.remove(parts[0])
    try small.write("{}", to: parts[1])
    try small.write(try small.text(parts[2]).replacing("\"d\"", with: "\"e\""), to: parts[2])
    let report = try await verify(removes: true)
    let reasons = report.problems.map(\.reason)
    try #require(report.problems.map(\.path) == parts && report.files == 4)
    #expect(reasons[0] == "is missing")
    #expect(
      reasons[1].hasPrefix("is damaged: line 1, column 1: expected {\"digest\":"), "\(reasons)")
    #expect(reasons[2] == "is damaged: its content has another digest than its head states")
    // A run keeps a part that is there, so only one that is missing is written again.
    #expect(report.removed == 2 && !parts.contains { small.has($0) })
    let digest = try small.digest()
    let first = "screens/feed/first.json"
    try small.write(
      try small.text(first).replacing(digest, with: String(digest.reversed())), to: first)
    #expect(
      Self.text(try await verify()).hasPrefix(
        " \(first): belongs to another catalog than the current one; the next run writes it again\n"
          + " \(first): is damaged: its content has another digest than its head states\n"))
  }

  @Test func changesLeadToTheCatalog() async throws {
    for (time, id) in ["a", "b"].enumerated() {
      try await small.publish([SmallOutput.line(id)], changes: 2, now: Double(time))
    }
    let found = try FileManager.default.contentsOfDirectory(atPath: small.root)
      .filter { $0.hasPrefix("from-") }
    try #require(found.count == 2)
    #expect(Self.text(try await verify()) == "")
    let digest = try small.digest()
    let path = try #require(found.first { !$0.contains(digest) })
    try small.write(
      try small.text(path).replacing(digest, with: String(digest.reversed())), to: path)
    #expect(
      Self.text(try await verify())
        == " \(path): leads to another catalog than the current one; the next run writes it again")
    // An app without them fetches the whole catalog.
    try small.write(String(try small.text(path).dropLast(9)), to: path)
    let damaged = try await verify(removes: true)
    #expect(Self.text(damaged).hasPrefix(" \(path): is damaged: line 1, column "))
    #expect(damaged.removed == 1 && !small.has(path))
    #expect(Self.text(try await verify()) == "")
  }
}
