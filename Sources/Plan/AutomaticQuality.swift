/// A quality that is found for each image: the lowest one in a range whose score reaches a target.
///
/// The search runs once for each image and encoding, on the whole image at a size of its own that follows from the source
/// and from how it is decoded. So what is found does not depend on which files are missing, and all files of the encoding
/// use it.
package struct AutomaticQuality: Sendable, Hashable, Codable {
  /// The SSIMULACRA 2.1 score of the image at ``nominalSide``.
  package var target: Int
  package var range: ClosedRange<Int>

  /// The default keeps the worst tenth of WebP at its default quality, 71.6 over 38 photographs.
  package init(target: Int = 72, range: ClosedRange<Int> = 40...92) {
    (self.target, self.range) = (target, range)
  }

  /// Its part of a recipe.
  var recipe: String { "quality \(range.lowerBound) to \(range.upperBound) for \(target)" }

  /// What a recipe says; nil if it has a quality, or none.
  package init?(inRecipe recipe: String) {
    guard let found = recipe.firstMatch(of: /quality (\d+) to (\d+) for (\d+)/),
      let low = Int(found.1), let high = Int(found.2), low <= high, let target = Int(found.3)
    else { return nil }
    self.init(target: target, range: low...high)
  }

  /// Targets by their names in the pipeline file.
  package static let names: [(name: String, target: Int)] = [
    ("low", 60), ("feed", 70), ("high", 80), ("excellent", 85),
  ]
  /// Below 30 damage is gross, and above 95 it is invisible.
  package static let targets = 30...95

  /// The longer side of the image that is encoded and compared, if the source has as many pixels. A search at 256 costs a
  /// quarter, but says less about larger files: from 256 to 512 pixels, scores of 38 photographs in WebP at quality 65 change
  /// by -2.1 on average, with a deviation of 2.2.
  private static let searchedSide = nominalSide
  /// Under this length of the longer side a score has too few scales to mean the same; the default quality is taken.
  private static let leastSide = 64

  /// The size at which a source is searched, at most that of the decoded image; nil if that is too small.
  package static func searchedSize(of source: Size, base: Size) -> Size? {
    guard base.longerSide >= leastSide else { return nil }
    guard base.longerSide > searchedSide else { return base }
    let side = searchedSide
    // As the planner computes it, so that this often is the image of a file.
    return source.width >= source.height
      ? Size(side, max(1, roundedRatio(side, source.height, source.width)))
      : Size(max(1, roundedRatio(side, source.width, source.height)), side)
  }

  /// The size that targets are stated for, by its longer side.
  package static let nominalSide = 512

  /// The score to reach at a size, for the target at the nominal one.
  ///
  /// At the same quality a smaller image of the same source has another score on average. So the files of an image have one
  /// quality, and the offset is in the score.
  package func aim(at size: Size, _ format: OutputFormat) -> Double {
    var (side, halvings) = (Double(size.longerSide), 0.0)
    while side * 2 <= Double(Self.nominalSide) { (side, halvings) = (side * 2, halvings + 1) }
    // The rest of the way to the nominal size, less than a doubling.
    halvings += max(0, Double(Self.nominalSide) / side - 1)
    return Double(target) - format.scoreLostByHalving * halvings
  }

  /// The default quality within the range: for images that are too small for a search, for animations, and the least for
  /// graphics.
  package func fallback(_ format: OutputFormat) -> Int {
    let usual = EncoderSetting.quality[format] ?? range.upperBound
    return min(max(usual, range.lowerBound), range.upperBound)
  }

  /// The mean score of photographs at the default quality of WebP. Up to it, graphics and text take the default: a
  /// lower quality would damage them where a mean does not show it, and a higher one changes little, because what they
  /// lose is the resolution of colour.
  private static let defaultScore = 76

  /// The qualities for an image.
  package func range(_ format: OutputFormat, isGraphic: Bool) -> ClosedRange<Int> {
    guard isGraphic else { return range }
    let least = fallback(format)
    return least...(target > Self.defaultScore ? range.upperBound : least)
  }

  /// About the quality that is found for a photograph, for prices.
  package func expected(_ format: OutputFormat) -> Int {
    let usual = Double(EncoderSetting.quality[format] ?? range.upperBound)
    let (score, steps) = format.photographs
    let quality = Int((usual + (Double(target) - score) * steps).rounded())
    return min(max(quality, range.lowerBound), range.upperBound)
  }
}

/// What a search found.
package struct FoundQuality: Sendable, Hashable, Codable {
  package var quality: Int
  /// SSIMULACRA 2.1 at this quality, of the image at the searched size.
  package var score: Double
  /// Of its worst square of 64 pixels.
  package var worstTile: Double
  /// The searched size.
  package var size: Size
  /// How many qualities were tried.
  package var encodes: Int
  /// Whether the image has flat areas, as graphics and text do: then its quality is at least the default.
  package var isGraphic: Bool

  package init(
    quality: Int, score: Double, worstTile: Double, size: Size, encodes: Int, isGraphic: Bool
  ) {
    self.quality = quality
    (self.score, self.worstTile) = (score, worstTile)
    (self.size, self.encodes, self.isGraphic) = (size, encodes, isGraphic)
  }

  /// Whether numbers from another process or a damaged record are possible ones.
  package var isPossible: Bool {
    (1...100).contains(quality) && score <= 100 && worstTile <= 100 && score > -1e6
      && worstTile > -1e6 && encodes >= 0 && size.width > 0 && size.height > 0
  }
}

extension OutputFormat {
  /// The mean score of 38 photographs at the default quality and 512 pixels, and by how many steps of the quality it falls by
  /// a point.
  fileprivate var photographs: (score: Double, steps: Double) {
    switch self {
    case .webp, .png, .heic: (76.5, 1.2)
    case .jpeg: (79.5, 2)
    case .avif: (77.5, 1.5)
    case .jxl: (79.9, 2)
    }
  }

  /// By how much the score falls on average if an image is half as long, and has the same quality: over the same photographs,
  /// from 512 to 256 pixels, at the qualities at which they score about 70 and 75.
  fileprivate var scoreLostByHalving: Double {
    switch self {
    case .webp, .png: -1.8
    case .jpeg: -0.2
    case .avif: -2.1
    case .jxl: 0.2
    case .heic: 0
    }
  }
}
