internal import TesseraJSON
internal import TesseraPlan

extension Upgrade {
  static let type = KeyType<Self?>(
    expected: group.expected,
    schema: { group.schema($0 ?? initial) },
    read: { node, place, current in
      group.read(node, place, current ?? initial).map { .some($0) }
    },
    // The budget shapes no file, and so is in no fingerprint.
    json: { upgrade in
      upgrade.map { ["format": .string($0.format.rawValue)] }
    })

  private static let initial = Self(format: .avif)

  private static let group = KeyType<Self>.group(
    [
      Key(
        "format", .choice(OutputFormat.allCases), \.format, isRequired: true, example: "avif",
        "The better format; clients prefer it."),
      Key(
        "budget", .duration, \.budget, "How long workers may take for it in one run, all together."),
    ], isOptional: false)
}

extension PipelineFile {
  /// Reports an upgrade to a format that is made anyway.
  func checkUpgrade(_ context: DecodingContext) {
    guard let upgrade, plan.formats.contains(.fixed(upgrade.format)),
      let pair = context.pair("upgrade.format")
    else { return }
    context.report(
      pair.value.mark,
      "\"upgrade.format\" has no effect: \"variants.format\" has \(upgrade.format.rawValue); remove one of them"
    )
  }
}
