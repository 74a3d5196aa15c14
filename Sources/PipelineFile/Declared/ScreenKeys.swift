internal import TesseraCatalog
internal import TesseraJSON
internal import TesseraPlan
internal import TesseraText

/// The keys under `catalog.screens`: small catalogs of what the screens of an app need.

extension KeyType where Value == [CatalogScreen] {
  static var screens: KeyType {
    KeyType<[String: ScreenKeys]>.names(
      of: ScreenKeys.type, one: "screen", expected: "names of screens",
      initial: { _ in ScreenKeys() },
      check: { screen, place, mark in
        let name = place.name.dropFirst("catalog.screens.".count)
        if CatalogScreen.isName(name) { return screen }
        place.context.report(
          mark,
          "a screen's name becomes a folder: it consists of the letters A to Z, digits, \"-\" and \"_\""
        )
        return nil
      }
    ).mapped(
      { $0.sorted { $0.key < $1.key }.map { $0.value.screen($0.key) } },
      from: { screens in
        Dictionary(screens.map { ($0.name, ScreenKeys($0)) }) { first, _ in first }
      })
  }
}

/// What the file has of one screen.
private struct ScreenKeys: Sendable {
  var slots: [String] = []
  var formats: [OutputFormat] = []
  var scales: [Int] = []
  var first = 50
  var part = 500

  static let type = KeyType<Self>.group([
    Key(
      "slots", .list(of: .text("a slot's name"), initial: "", one: "slot", isUnique: true), \.slots,
      shapes: .catalog, isRequired: true, example: ["card"],
      "The slots that the screen shows."),
    Key(
      "formats", .list(of: .choice, initial: .webp, one: "format", isUnique: true), \.formats,
      shapes: .catalog,
      "The formats of the files that it names; the default is all. An image that has none of them keeps its last file."
    ),
    Key(
      "scales", .scales, \.scales, shapes: .catalog,
      "Some of the pipeline's scales; the default is all of them."),
    Key(
      "first", .int(1...1_000), \.first, shapes: .catalog,
      "How many images are in the file that an app reads first."),
    Key(
      "part", .int(10...1_000_000), \.part, shapes: .catalog,
      "How many images each further part has."),
  ])

  func screen(_ name: String) -> CatalogScreen {
    CatalogScreen(
      name: name,
      selection: CatalogSelection(
        slots: slots, types: formats.isEmpty ? nil : formats.map(\.mediaType),
        scales: scales.isEmpty ? nil : scales),
      first: first, part: part)
  }
}

extension ScreenKeys {
  init(_ screen: CatalogScreen) {
    slots = screen.selection.slots
    formats = (screen.selection.types ?? []).compactMap { type in
      OutputFormat.allCases.first { $0.mediaType == type }
    }
    scales = screen.selection.scales ?? []
    (first, part) = (screen.first, screen.part)
  }
}

extension PipelineFile {
  /// Reports screens of slots and scales that the pipeline does not have.
  func checkScreens(_ context: DecodingContext) {
    for screen in screens {
      let key = "catalog.screens.\(screen.name)"
      // Slots with mistakes of their own are reported already.
      for slot in screen.selection.slots where !plan.slots.isEmpty {
        guard !plan.slots.contains(where: { $0.name == slot }),
          let mark = context.pair("\(key).slots")?.value.mark
        else { continue }
        let hint = Nearest.hint(for: slot, among: plan.slots.map(\.name))
        context.report(mark, "\"\(key).slots\": \"slots\" has no slot \"\(slot)\"\(hint)")
      }
      for scale in screen.selection.scales ?? [] where !plan.scales.contains(scale) {
        guard let mark = context.pair("\(key).scales")?.value.mark else { continue }
        let all = plan.scales.map(String.init).joined(separator: ", ")
        context.report(
          mark, "\"\(key).scales\" must be some of the pipeline's scales (\(all)), found \(scale)")
      }
    }
  }
}
