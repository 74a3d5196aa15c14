internal import TesseraImageHeader
internal import TesseraPipelineFile
internal import TesseraPlan
internal import TesseraText

/// The words of pipeline files and of what is examined before a run.
enum PipelineWords {
  static let lists = [sources, files, checks]

  private static let sources = WordList(
    "Formats of sources", "`accept` in the pipeline, `format` in the catalog and in `probe`.",
    ImageFormat.allCases.map { format in
      let isAccepted = PipelineFile.defaultAccept.contains(format)
      return Word(
        format.rawValue,
        "\(format.displayName), \(format.mediaType): "
          + (!format.isDecoded
            ? "the size only" : isAccepted ? "decoded" : "decoded if accept names it"),
        format.isDecoded
          ? isAccepted ? nil : "name it in accept" : "offer the image in another format")
    })

  private static let files = WordList(
    "Formats of files",
    "`variants.format` and `upgrade.format` in the pipeline, `type` in the catalog.",
    OutputFormat.allCases.map { format in
      let parts =
        ["\(format.mediaType), sides of up to \(format.longestSide) pixels"]
        + (format.hasAlpha ? ["alpha"] : []) + (format.hasAnimation ? ["animations"] : [])
        + (format.hasQuality ? [] : ["without loss"])
        + (format.isForFewPrograms ? ["for apps of Apple's platforms"] : [])
      return Word(format.rawValue, parts.joined(separator: ", "))
    } + [
      Word(
        FormatChoice.source.rawValue,
        "the source's own format if it is one of these, but not heic; else webp for an animation, and compatible"
      ),
      Word(
        FormatChoice.compatible.rawValue, "png for images with alpha, jpeg for all others"),
    ])

  private static let checks = WordList(
    "What the doctor looks at",
    "`kind` in `tessera doctor`. Each shortfall has its own line that says how it is repaired.",
    HealthCheck.Kind.allCases.map { Word($0.rawValue, $0.meaning) })
}
