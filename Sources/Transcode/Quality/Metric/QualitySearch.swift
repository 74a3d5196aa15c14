/// Looks for the lowest quality of an encoder at which an image reaches an aim. A pure value: it names the next quality to
/// try, takes what came of it, and ends after at most four.
///
/// The score counts, unless the worst tile is much worse: then the tile counts, because a mean hides local damage. Scores
/// rise nearly, but not strictly, with the quality, so the answer is always a quality that was tried.
package struct QualitySearch: Sendable {
  /// What an encoder reached at one quality.
  package struct Sample: Sendable, Equatable {
    package var quality: Int
    /// Of the whole image.
    package var score: Double
    /// Of its worst tile.
    package var worstTile: Double

    package init(quality: Int, score: Double, worstTile: Double) {
      (self.quality, self.score, self.worstTile) = (quality, score, worstTile)
    }
  }

  /// The score to reach.
  private let aim: Double
  private let range: ClosedRange<Int>
  private let curve: QualityCurve
  /// Whether no later sample may have a worse tile than the first.
  private let keepsTile: Bool
  /// The quality to begin with.
  private let first: Int
  package private(set) var samples: [Sample] = []

  package static let mostSamples = 4
  /// How far a score may be below and above the aim. A step of one of the quality moves the score by about half a point, and
  /// in AVIF by up to one and a half. A point is not visible; a window of half the width takes a tenth more encodes.
  private static let (slack, tolerance) = (0.75, 1.25)
  /// How far below the score the worst tile may be before it counts itself. At WebP's default quality it is up to 17.6 below
  /// in 38 photographs, and by 6 on average.
  static let tileMargin = 18.0

  /// - Parameters:
  ///   - curve: of the encoder; the search begins where a typical image reaches the aim.
  ///   - keepsTile: for graphics and text: the search begins at the lowest quality, and the answer has no worse tile than
  ///     it has there.
  package init(
    aim: Double, range: ClosedRange<Int>, curve: QualityCurve, keepsTile: Bool
  ) {
    self.aim = aim - Self.slack
    self.curve = curve
    self.keepsTile = keepsTile
    let prediction = min(max(curve.quality(for: aim), range.lowerBound), range.upperBound)
    first = keepsTile ? range.lowerBound : prediction
    self.range = range
  }

  package mutating func add(_ sample: Sample) { samples.append(sample) }

  /// The best quality that was tried; nil before the first.
  package var best: Sample? {
    let enough = samples.filter { reached($0) >= aim }
    return enough.min { $0.quality < $1.quality }
      ?? samples.max { (reached($0), $0.quality) < (reached($1), $1.quality) }
  }

  /// The quality to try next; nil if ``best`` is the answer.
  package var next: Int? {
    guard let last = samples.last else { return first }
    guard samples.count < Self.mostSamples else { return nil }
    let below = samples.filter { reached($0) < aim }.max { $0.quality < $1.quality }
    let above = samples.filter { reached($0) >= aim }.min { $0.quality < $1.quality }
    if let above,
      reached(above) <= aim + Self.slack + Self.tolerance || above.quality == range.lowerBound
    {
      return nil
    }
    let guess: Int
    if let below, let above, below.quality < above.quality {
      guard above.quality - below.quality > 1 else { return nil }
      guess = min(max(between(below, above), below.quality + 1), above.quality - 1)
    } else {
      guess = min(max(beyond(last), range.lowerBound), range.upperBound)
    }
    return samples.contains { $0.quality == guess } ? nil : guess
  }

  /// What counts of a sample.
  private func reached(_ sample: Sample) -> Double {
    if keepsTile, let first = samples.first, sample.worstTile < first.worstTile {
      return -.infinity
    }
    return min(sample.score, sample.worstTile + Self.tileMargin)
  }

  /// A little above the aim, so that most answers reach it.
  private var goal: Double { aim + (Self.slack + Self.tolerance) / 2 }

  /// By the curve of the encoder, turned so that it passes through both samples.
  private func between(_ below: Sample, _ above: Sample) -> Int {
    let (low, high) = (reached(below), reached(above))
    guard low.isFinite, high > low else { return (below.quality + above.quality) / 2 }
    let (first, last) = (curve.score(at: below.quality), curve.score(at: above.quality))
    return curve.quality(for: first + (goal - low) / (high - low) * (last - first))
  }

  /// By the curve of the encoder, scaled so that it passes through the sample.
  private func beyond(_ sample: Sample) -> Int {
    let reached = reached(sample)
    guard reached.isFinite else { return sample.quality + 4 }
    let scale = max(1, 100 - reached) / (100 - curve.score(at: sample.quality))
    let guess = curve.quality(for: 100 - (100 - goal) / scale)
    // At least a step in the right direction.
    return reached < aim ? max(guess, sample.quality + 1) : min(guess, sample.quality - 1)
  }
}
