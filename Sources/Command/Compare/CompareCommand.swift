internal import TesseraPipeline

enum CompareCommand: Command {
  static let name = "compare"
  static let summary = "how close one image is to another, by SSIMULACRA 2.1"
  static let syntax = Syntax(
    [.one("A", .files), .one("B", .files)],
    text: """
      Decodes two image files of one size, upright and in sRGB, and prints how close B is to A by
      SSIMULACRA 2.1: 100 means identical, 90 visually lossless, 80 very high quality, 70 high, 50
      medium, 30 low. A mean hides local damage, so the worst square of 64 pixels is printed as well,
      with its place. Of an animation, the first frame is compared.
      """,
    example: Example("tessera compare original.png thumbnail.webp", "The score of the thumbnail."),
    statuses: [
      ExitMeaning(.done, "compared"),
      ExitMeaning(.failed, "an image can't be decoded, or their sizes differ"),
    ])

  static func run(_ arguments: Arguments) async throws -> ExitStatus {
    let comparison = try await ImageComparison.of(
      arguments.operands[0], arguments.operands[1], workerPath: WorkerPath.find())
    if arguments.has(CommonFlag.json) {
      Console.write(comparison)
    } else {
      let tile = comparison.worstTile
      Console.line("score       \(rounded(comparison.score))")
      Console.line(
        "worst tile  \(rounded(tile.score)), \(tile.width) x \(tile.height) pixels at "
          + "\(tile.x),\(tile.y)")
    }
    return .done
  }

  /// With two decimals.
  private static func rounded(_ score: Double) -> String {
    let hundredths = Int((score * 100).rounded())
    let digits = String(abs(hundredths) % 100)
    return "\(hundredths < 0 ? "-" : "")\(abs(hundredths) / 100)."
      + (digits.count < 2 ? "0" : "") + digits
  }
}
