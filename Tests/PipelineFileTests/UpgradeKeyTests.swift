import TesseraPlan
import Testing

@testable import TesseraPipelineFile

/// A better format in spare time.
@Suite struct UpgradeKeyTests {
  private static func file(_ lines: String) throws -> PipelineFile {
    let text = "manifest: m\noutput: o\nslots: {a: {size: 9x}}\n\(lines)\n"
    return try PipelineFile.decode(Array(text.utf8), path: "p.yaml") { _ in nil }
  }

  @Test func anUpgradeHasAFormatAndABudget() throws {
    #expect(try Self.file("").upgrade == nil && Self.file("").upgradedPlan == nil)
    let file = try Self.file(
      "upgrade: {format: avif, budget: 90s}\nvariants: {format: [webp, jpeg]}")
    #expect(file.upgrade == Upgrade(format: .avif, budget: .seconds(90)))
    #expect(file.plan.formats == [.fixed(.webp), .fixed(.jpeg)])
    #expect(file.upgradedPlan?.formats == [.fixed(.avif), .fixed(.webp), .fixed(.jpeg)])
    #expect(try Self.file("upgrade: {format: jxl}").upgrade?.budget == .seconds(1_200))
  }

  /// What all files come to is that of the list; while they are made, lines are others.
  @Test func theWholeIsThatOfAList() throws {
    let all: Set<Shaping> = [.files, .entries, .catalog]
    let upgrade = try Self.file("upgrade: {format: avif}")
    let list = try Self.file("variants: {format: [avif, webp]}")
    #expect(upgrade.upgraded.shape(all) == list.shape(all))
    #expect(upgrade.shape(all) != list.shape(all))
    #expect(try upgrade.shape(all) != Self.file("").shape(all))
    #expect(try upgrade.shape(all) == Self.file("upgrade: {format: avif, budget: 1h}").shape(all))
    #expect(list.upgraded.shape(all) == list.shape(all))
  }

  @Test(arguments: [
    ("upgrade: {}", "1:10 the key \"upgrade.format\" is missing; it must be"),
    ("upgrade: {format: gif}", "1:19 \"upgrade.format\" must be one of"),
    ("upgrade: {format: avif, budget: soon}", "1:33 \"upgrade.budget\" must be"),
    (
      "upgrade: {format: webp}",
      "1:19 \"upgrade.format\" has no effect: \"variants.format\" has webp; remove one of them"
    ),
  ])
  func mistakesHaveTheirPlace(_ lines: String, _ message: String) {
    let found = MistakeTests.mistakes(
      lines + "\n", after: "manifest: m\noutput: o\nslots: {abc: {size: 9x}}\n")
    #expect(found.count == 1 && found[0].hasPrefix(message), "\(found)")
  }
}
