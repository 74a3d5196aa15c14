internal import TesseraPlan
internal import TesseraState

extension QualityRecord {
  /// What was found, and for what: a clause without its full stop.
  var sentence: String {
    let tries = found.encodes == 1 ? "1 attempt" : "\(found.encodes) attempts"
    let floor =
      found.isGraphic ? "; flat areas or text: the default, if the range has it, or above" : ""
    let automatic = AutomaticQuality(inRecipe: recipe)
    let isMissed =
      found.quality < 100 && found.quality == automatic?.range.upperBound
      && found.score < Double(automatic?.target ?? 0) - 1
    let miss = isMissed ? "; a higher one is outside quality-range" : ""
    return
      "a search found quality \(found.quality) in \(tries): SSIMULACRA 2.1 is \(Self.rounded(found.score)), and "
      + "\(Self.rounded(found.worstTile)) in the worst tile (\(recipe))\(floor)\(miss)"
  }

  /// With one decimal.
  private static func rounded(_ score: Double) -> String {
    let tenths = Int((score * 10).rounded())
    return "\(tenths < 0 ? "-" : "")\(abs(tenths) / 10).\(abs(tenths) % 10)"
  }
}
