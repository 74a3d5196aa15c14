import Testing

@testable import TesseraText

/// Quantities, as users write them and as reports do.
@Suite struct UnitsTests {
  @Test(
    arguments: [
      ("250ms", 250), ("1s", 1_000), ("1.5 s", 1_500), ("2m", 120_000), ("3h", 10_800_000),
      ("1d", 86_400_000), ("0s", 0), ("5", nil), ("s", nil), ("-1s", nil), ("1.s", nil),
      (".5s", nil), ("1..5s", nil), ("1 s ", nil), ("1x", nil), ("٣s", nil), ("", nil),
    ] as [(String, Int?)])
  func durations(_ text: String, _ milliseconds: Int?) {
    #expect(Units.duration(text) == milliseconds.map { .milliseconds($0) })
  }

  @Test(
    arguments: [
      ("7", 7), ("7B", 7), ("7 kB", 7_000), ("7KB", 7_000), ("7MB", 7_000_000),
      ("7GB", 7_000_000_000), ("7KiB", 7 << 10), ("7MiB", 7 << 20), ("7GiB", 7 << 30),
      ("1.5kB", 1_500), ("7TB", nil), ("7mb", nil), ("", nil), ("kB", nil),
      // Below 9 · 10^15, so that the conversion is exact.
      ("8999999999999999", 8_999_999_999_999_999), ("9000000000000000", nil),
      ("9000000GB", nil),
    ] as [(String, Int?)])
  func bytes(_ text: String, _ bytes: Int?) {
    #expect(Units.bytes(text) == bytes)
    #expect(Units.rate(text + "/s") == bytes)
    #expect(Units.rate(text) == nil)
  }

  @Test(
    arguments: [
      ("9", 9), ("2kP", 2_000), ("100MP", 100_000_000), ("1 GP", 1_000_000_000), ("1B", nil),
      ("MP", nil),
    ] as [(String, Int?)])
  func pixels(_ text: String, _ pixels: Int?) { #expect(Units.pixels(text) == pixels) }

  @Test(
    arguments: [
      ("0%", 0), ("90%", 90), ("12.5%", 12.5), ("100%", 100), ("100.1%", nil), ("90", nil),
      ("-1%", nil), ("%", nil), ("9MB%", nil),
    ] as [(String, Double?)])
  func percentages(_ text: String, _ value: Double?) {
    #expect(Units.percentage(text) == value)
    if let value { #expect(Units.text(percentage: value) == text) }
  }

  /// A side of a slot that is left out is free.
  @Test(
    arguments: [
      ("36x48", [36, 48]), ("180x", [180, nil]), ("x200", [nil, 200]), ("0x1", [0, 1]), ("x", nil),
      ("", nil), ("36", nil), ("1x2x3", nil), ("+1x2", nil), ("1x-2", nil), ("ax1", nil),
      ("1x٣", nil), ("1X2", nil), ("99999999999999999999x1", nil),
    ] as [(String, [Int?]?)])
  func slotSizes(_ text: String, _ sides: [Int?]?) {
    #expect(Units.slotSize(text).map { [$0.width, $0.height] } == sides)
  }

  /// At most three digits before the unit, also where the value is rounded up to the next one.
  @Test(arguments: [
    (0, "0 B"), (812, "812 B"), (999, "999 B"), (1_000, "1.0 kB"), (3_449, "3.4 kB"),
    (3_450, "3.5 kB"), (99_949, "99.9 kB"), (99_950, "100 kB"), (999_499, "999 kB"),
    (999_500, "1.0 MB"), (20_000_000, "20.0 MB"), (999_500_000, "1.0 GB"),
    (1_000_000_000_000, "1.0 TB"), (1_200_000_000_000_000, "1200 TB"),
  ])
  func bytesAsText(_ bytes: Int, _ text: String) { #expect(Units.text(bytes: bytes) == text) }

  @Test(arguments: [
    (0.0, "0.0"), (0.04, "0.0"), (1.26, "1.3"), (99.94, "99.9"), (99.95, "100"), (100.4, "100"),
    (100.5, "101"),
  ])
  func oneDecimalBelowAHundred(_ value: Double, _ text: String) {
    #expect(Units.decimal(value) == text)
  }

  /// The largest unit that divides the duration.
  @Test(arguments: [
    (0, "0s"), (1, "1ms"), (1_000, "1s"), (1_500, "1500ms"), (59_000, "59s"), (60_000, "1m"),
    (90_000, "90s"), (3_600_000, "1h"), (5_400_000, "90m"), (86_400_000, "1d"),
    (90_000_000, "25h"), (172_800_000, "2d"),
  ])
  func durationsAreWrittenWithTheLargestUnit(_ milliseconds: Int, _ text: String) {
    #expect(Units.written(.milliseconds(milliseconds)) == text)
    #expect(Units.duration(text) == .milliseconds(milliseconds))
  }
}
