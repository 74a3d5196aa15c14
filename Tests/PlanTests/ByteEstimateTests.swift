import Testing

@testable import TesseraPlan

/// The estimate of bytes has the measured values, and what is between them in proportion.
@Suite struct ByteEstimateTests {
  private static func bytes(
    _ format: OutputFormat, pixels: Int, quality: Int?, alpha: Bool = false
  ) -> Double {
    let encoding = Encoding(
      format: format, quality: quality, effort: nil, background: nil, isAnimated: false)
    let file = PlannedFile(crop: nil, size: Size(pixels, 1), encoding: encoding, fallback: nil)
    return ByteEstimate.bytes(of: file, hasAlpha: alpha)
  }

  private static func expectNear(
    _ value: Double, _ expected: Double, sourceLocation: SourceLocation = #_sourceLocation
  ) {
    #expect(abs(value - expected) <= expected * 1e-9, "\(value)", sourceLocation: sourceLocation)
  }

  /// Bytes per pixel at the default qualities.
  private static let webp = [
    (1, 0.25), (1_000, 0.25), (8_500, 0.21), (16_000, 0.17), (95_500, 0.145), (175_000, 0.12),
    (437_500, 0.107), (700_000, 0.094), (2_350_000, 0.0845), (4_000_000, 0.075),
    (9_000_000, 0.075),
  ]
  private static let jpeg = [
    (1, 0.4), (1_000, 0.4), (6_000, 0.33), (11_000, 0.26), (93_000, 0.204), (175_000, 0.148),
    (437_500, 0.1355), (700_000, 0.123), (2_350_000, 0.1115), (4_000_000, 0.1),
    (9_000_000, 0.1),
  ]

  @Test func smallFilesTakeMoreForAPixel() {
    for (pixels, value) in Self.webp {
      Self.expectNear(Self.bytes(.webp, pixels: pixels, quality: 80), Double(pixels) * value)
      // Alpha without loss takes about as much again.
      Self.expectNear(
        Self.bytes(.webp, pixels: pixels, quality: 80, alpha: true), Double(pixels) * value * 2)
      Self.expectNear(Self.bytes(.avif, pixels: pixels, quality: 65), Double(pixels) * value * 0.81)
      Self.expectNear(Self.bytes(.jxl, pixels: pixels, quality: 80), Double(pixels) * value * 0.9)
      Self.expectNear(Self.bytes(.heic, pixels: pixels, quality: 80), Double(pixels) * value * 0.77)
    }
    for (pixels, value) in Self.jpeg {
      Self.expectNear(Self.bytes(.jpeg, pixels: pixels, quality: 80), Double(pixels) * value)
      Self.expectNear(
        Self.bytes(.jpeg, pixels: pixels, quality: 80, alpha: true), Double(pixels) * value)
    }
    Self.expectNear(Self.bytes(.png, pixels: 1_000, quality: nil), 1_900)
  }

  /// Relative to the default quality.
  @Test(
    arguments: [
      (
        .webp, 80,
        [
          (0, 0.2), (15, 0.315), (30, 0.43), (40, 0.515), (50, 0.6), (60, 0.685), (70, 0.77),
          (75, 0.885), (85, 1.32), (90, 1.64), (95, 2.47), (100, 3.3),
        ]
      ),
      (
        .jpeg, 80,
        [
          (0, 0.15), (15, 0.28), (30, 0.41), (40, 0.49), (50, 0.57), (60, 0.68), (70, 0.79),
          (75, 0.895), (85, 1.45), (90, 1.9), (95, 4.45), (100, 7),
        ]
      ),
      (
        .avif, 65,
        [
          (0, 0.1), (20, 0.245), (40, 0.39), (45, 0.48), (50, 0.57), (55, 0.715), (60, 0.86),
          (65, 1), (70, 1.13), (75, 1.33), (80, 1.53), (90, 3.265), (100, 5),
        ]
      ),
      (
        .jxl, 80,
        [
          (0, 0.2), (30, 0.415), (60, 0.63), (65, 0.7), (70, 0.77), (75, 0.885), (85, 1.285),
          (90, 1.57), (95, 2.785), (100, 4),
        ]
      ),
    ] as [(OutputFormat, Int, [(Int, Double)])])
  func higherQualitiesTakeMore(
    _ format: OutputFormat, _ usual: Int, _ factors: [(Int, Double)]
  ) {
    let bytes = Self.bytes(format, pixels: 175_000, quality: usual)
    for (quality, factor) in factors {
      Self.expectNear(
        Self.bytes(format, pixels: 175_000, quality: quality), bytes * factor)
    }
  }

  @Test func aSearchedQualityIsPricedAsTheOneThatIsExpected() {
    let encoding = Encoding(
      format: .jpeg, quality: nil, automatic: AutomaticQuality(target: 85), effort: nil,
      background: nil, isAnimated: false)
    let file = PlannedFile(
      crop: nil, size: Size(1_000, 1_000), encoding: encoding, fallback: nil)
    Self.expectNear(
      ByteEstimate.bytes(of: file, hasAlpha: false),
      Self.bytes(.jpeg, pixels: 1_000_000, quality: 91))
    let slot = Slot("a", width: 1, height: nil)
    let plan = Plan(
      variants: [PlannedVariant(files: [file, file])],
      slots: [
        .init(slot: slot, layout: Size(1, 1), image: Size(1, 1), isBounded: false, requests: [])
      ], formatCount: 2, lanes: .on)
    Self.expectNear(
      plan.estimatedBytes(hasAlpha: true), 2 * Self.bytes(.jpeg, pixels: 1_000_000, quality: 91))
  }
}
