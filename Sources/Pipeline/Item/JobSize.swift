internal import TesseraPlan

/// How much work a job of a worker is.
struct JobSize: Sendable {
  /// Megapixels of the source, and of the files, in all frames. A file's count as the work of its encoder.
  var source: Double
  var files: Double
  /// An estimate of the files' bytes.
  var bytes: Double
  /// What makes the files, each once: see `Encoding.encoder`.
  var encoders: Set<String> = []
}

extension JobSize {
  init(_ facts: SourceFacts, _ planned: [PlannedFile]) {
    let frames = { (isAnimated: Bool) in isAnimated ? Double(max(1, facts.frames)) : 1 }
    let isAnimated = planned.contains { $0.encoding.isAnimated }
    self.init(
      source: Self.megapixels(facts.size) * frames(isAnimated), files: 0, bytes: 0)
    encoders = Set(planned.map(\.encoding.encoder))
    files = planned.reduce(0) {
      $0 + Self.megapixels($1.size) * frames($1.encoding.isAnimated)
        * (Self.resizing + $1.encoding.work)
    }
    bytes = planned.reduce(0) {
      $0 + $1.estimatedBytes(hasAlpha: facts.hasAlpha) * frames($1.encoding.isAnimated)
    }
  }

  /// The work for a pixel of a file before it is encoded.
  private static let resizing = 0.25

  private static func megapixels(_ size: Size) -> Double {
    Double(size.width) * Double(size.height) / 1e6
  }
}
