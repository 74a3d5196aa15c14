package import TesseraSystem

/// Why a run as a whole could not go on. The last good catalog stands.
extension TesseraError {
  package static func manifest(
    path: String, reason: String, remedy: String? = nil, isRetryable: Bool = false
  ) -> TesseraError {
    TesseraError(
      .manifest, "the manifest \"\(path)\": \(reason)", remedy: remedy, subject: path,
      isRetryable: isRetryable)
  }

  /// The output holds the catalog of another pipeline.
  static func otherPipeline(_ other: String, of name: String, output: String) -> TesseraError {
    TesseraError(
      .otherPipeline,
      "the output \"\(output)\" holds the catalog of the pipeline \"\(other)\", which \"\(name)\" would "
        + "replace",
      remedy:
        "choose another output, or, if the pipeline was renamed or moved, run once with --take-over",
      subject: output)
  }

  /// More of the last items failed than `fail-above` allows.
  static func tooManyFailures(_ diagnosis: String) -> TesseraError {
    TesseraError(.tooManyFailures, diagnosis)
  }

  /// The new catalog would lose images that the current one shows.
  static func lostImages(_ diagnosis: String, output: String) -> TesseraError {
    TesseraError(
      .lostImages, diagnosis,
      remedy:
        "if their origin is at fault, wait for it; if the images are really gone, accept it with run --allow-loss",
      subject: output, isRetryable: true)
  }

  /// A shard has a part of the images, and a table has all of them.
  static let shardOfTables = TesseraError(
    .tables,
    "the pipeline has \"tables\", which are made of all images at once, and --shard processes a part of them",
    remedy: "run without --shard, or remove \"tables\" from the pipeline file")

  /// A run of some images, and what keeps the others from staying as they are.
  static func notOnly(_ reason: String) -> TesseraError {
    TesseraError(.only, "only some images can't be processed: \(reason)")
  }

  /// Ids that neither the manifest nor the catalog has, and some like the first of them.
  static func unknownImages(_ ids: [String], near: [String]) -> TesseraError {
    TesseraError(
      .unknownImages,
      "neither the manifest nor the catalog has "
        + (ids.count == 1 ? "an image " : "images ") + list(ids)
        + (near.isEmpty ? "" : "; there are \(list(near))"),
      remedy: "correct --only", subject: ids.count == 1 ? ids[0] : nil)
  }

  static func table(_ reason: String) -> TesseraError {
    TesseraError(
      .tables, "a table could not be made: \(reason)",
      remedy: "run again, or remove \"tables\" from the pipeline file")
  }

  /// Some of a list.
  private static func list(_ ids: [String]) -> String {
    let shown = 10
    let rest = ids.count - shown
    return ids.prefix(shown).map { "\"\($0)\"" }.joined(separator: ", ")
      + (rest > 0 ? " and \(rest) more" : "")
  }
}
