import TesseraPlan
import Testing

@testable import tessera

/// What `plan` prints, from values that are given.
@Suite struct PlanTextTests {
  private static let settings = PlanSettings(
    slots: [Slot("a", width: 10, height: nil)], scales: [1])

  private static func text(_ summary: PlanSummary, isProbing: Bool = false) -> String {
    summary.text(isProbing: isProbing, LadderChoice(summary, wanted: nil))
  }

  private static func ladder(_ steps: Rounding.Steps = .exact) -> LadderPrice {
    var ladder = LadderPrice(steps, settings)
    (ladder.asked, ladder.made, ladder.bytes) = (9, 4, 12_345.6)
    (ladder.pixelsAsked, ladder.pixelsDelivered) = (100, 125)
    ladder.rungs = [20: 1, 100: 3]
    return ladder
  }

  @Test func aLadderIsDetailed() {
    var ladder = Self.ladder()
    ladder.fallbacks = [
      "webp-size-limit": .init(files: 1, items: 1, examples: ["a\u{1B}b"]),
      "jpeg-no-alpha": .init(files: 5, items: 4, examples: ["a", "b", "c"]),
    ]
    var summary = PlanSummary(ladders: [ladder], Self.settings)
    summary.items = 1
    #expect(
      Self.text(summary) == """
        1 image in the manifest
        9 files requested, 4 needed, 5 shared
        25.0 % more pixels delivered than requested
        about 12.3 kB (estimated from photographs)
        a visitor fetches about 0 B for an image, 0.0 % more than with exact sizes
        other ladders: half-steps: 0.0 %; power-of-two: 0.0 %
        slot  scale  a view  exact  more bytes
        a        1x     0 B    0 B       0.0 %
        5 files differ from the request (jpeg-no-alpha): a, b, c and 1 more
        1 file differs from the request (webp-size-limit): a\\u{1b}b
        longer side  files
                 20      1
                100      3

        """)
  }

  @Test func laddersAreCompared() {
    var summary = PlanSummary(
      ladders: [Self.ladder(), Self.ladder(.list([8, 16]))], Self.settings)
    (summary.items, summary.unknown) = (2, 1)
    #expect(
      Self.text(summary) == """
        2 images in the manifest
        1 of unknown size; --probe requests the sizes
        9 files requested
        ladder  files  shared  lengths  more pixels    about  a view  more bytes
        exact       4       5        2       25.0 %  12.3 kB     0 B       0.0 %
        8,16        4       5        2       25.0 %  12.3 kB     0 B       0.0 %

        """)
    #expect(
      Self.text(summary, isProbing: true).hasPrefix(
        "2 images in the manifest\n1 of unknown size\n9 files requested\n"))
    summary.ladders = []
    #expect(Self.text(summary, isProbing: true) == "2 images in the manifest\n1 of unknown size\n")
  }

  @Test func manyLengthsAreRanges() {
    func table(_ count: Int) -> [Substring] {
      var ladder = Self.ladder()
      ladder.rungs = [:]
      for length in 1...count { ladder.rungs[length] = 1 }
      let lines = Self.text(PlanSummary(ladders: [ladder], Self.settings)).split(separator: "\n")
      return Array(lines.drop { !$0.hasPrefix("longer side") }.dropFirst())
    }
    #expect(table(20).count == 20)
    #expect(
      table(21).map { $0.split(separator: " ").joined(separator: " ") }
        == ["1 1", "2 1", "3 - 4 2", "5 - 8 4", "9 - 16 8", "17 - 32 5"])
  }
}
