internal import TesseraPipeline

/// The options that name the images of a run.
enum SelectionOptions {
  private static let only = Option(
    "--only", "ID", "only this image, or all images of a product with this id; may be repeated")
  private static let onlyFailed = Flag(
    "--only-failed", "only the images that failed or are stale")
  private static let onlyHost = Option(
    "--only-host", "HOST", "only the images of this host (cdn.example, or with its port)")
  private static let refresh = Flag(
    "--refresh", "with --only…, fetch and make again also what is fresh")

  static let all: [any OptionSyntax] = [only, onlyFailed, onlyHost, refresh]

  static var names: String { "\(only.name), \(onlyFailed.name) or \(onlyHost.name)" }

  /// Nil for all images.
  static func selection(_ arguments: Arguments) throws -> RunSelection? {
    let selection = RunSelection(
      ids: try arguments.all(only), onlyFailed: arguments.has(onlyFailed),
      host: try arguments.value(onlyHost), refreshes: arguments.has(refresh))
    guard selection != nil || !arguments.has(refresh) else {
      throw UsageError("\(refresh.name) is for some images: name them with \(names)")
    }
    return selection
  }
}
