internal import TesseraCatalog
internal import TesseraJSON
internal import TesseraPlan
internal import TesseraText

/// The keys that decide which sizes there are: `slots`, `scales`, `rounding`, and which of them get tables.

extension KeyType where Value == [Slot] {
  static var slots: KeyType {
    KeyType<[String: SlotKeys]>.names(
      of: SlotKeys.type, one: "slot", expected: "names with sizes, such as {card: {size: 180x}}",
      initial: { _ in SlotKeys() },
      check: { slot, place, mark in
        let name = place.name.dropFirst("slots.".count)
        let isName =
          !name.isEmpty
          && name.unicodeScalars.allSatisfy { scalar in
            scalar.properties.isAlphabetic || scalar.properties.numericType != nil
              || "-_.".unicodeScalars.contains(scalar)
          }
        if isName { return slot }
        place.context.report(
          mark, "a slot's name consists of letters, digits, \"-\", \"_\" and \".\"")
        return nil
      }
    ).mapped(
      { slots in
        slots.sorted { $0.key < $1.key }.map {
          Slot(
            $0.key, width: $0.value.size.width, height: $0.value.size.height, mode: $0.value.mode,
            bounds: $0.value.bounds)
        }
      },
      from: { slots in
        let pairs = slots.map {
          (
            $0.name,
            SlotKeys(
              size: .init(width: $0.width, height: $0.height), mode: $0.mode, bounds: $0.bounds)
          )
        }
        return Dictionary(pairs) { first, _ in first }
      })
  }
}

/// What the file has of one slot.
private struct SlotKeys: Sendable {
  var size = Points()
  var mode = CatalogSlot.Mode.fit
  var bounds: ShapeBounds?

  /// In points; nil is free.
  struct Points: Sendable {
    var width: Int?
    var height: Int?
  }

  /// What CSS, sharp and image services call them.
  private static let foreignModes: [String: CatalogSlot.Mode] = [
    "contain": .fit, "inside": .fit, "outside": .fill, "cover": .clip, "crop": .clip,
  ]

  static let type = KeyType<Self>.group(
    [
      Key(
        "size", .points, \.size, shapes: .files, isRequired: true, example: "36x36",
        "Size in points: 36x36, 180x (any height) or x200 (any width)."),
      Key(
        "mode", .choice(CatalogSlot.Mode.allCases, foreign: foreignModes), \.mode, shapes: .files,
        "fit: the whole image inside the box. fill: the whole image covers the box. clip: cropped to the box's shape."
      ),
      Key(
        "aspect", .optional(.bounds, initial: ShapeBounds(Size(1, 2), Size(2, 1))), \.bounds,
        shapes: .files, example: ["1:2", "2:1"],
        "The narrowest and the widest shape, as width to height. Of an image beyond them a part is shown, around its focus or where gravity pulls it."
      ),
    ], isOptional: false,
    rule: [
      .init("if", ["required": ["mode"], "properties": ["mode": ["const": "clip"]]]),
      .init(
        "then",
        [
          "properties": [
            "size": KeyType<String>.orVariable(["type": "string", "pattern": "^[0-9]+x[0-9]+$"])
          ]
        ]),
    ]
  ) { slot, group in
    let hasBothSides = slot.size.width != nil && slot.size.height != nil
    if slot.mode == .clip, !hasBothSides {
      group.context.report(
        group.node("size")?.mark ?? group.mark,
        "\"\(group.prefix.dropLast())\": mode clip needs both sides, such as 36x36, to know the crop's shape"
      )
      return nil
    }
    if slot.bounds != nil, slot.mode != .fit, hasBothSides {
      group.context.report(
        group.node("aspect")?.mark ?? group.mark,
        "\"\(group.prefix)aspect\" has no effect: with mode \(slot.mode.rawValue) and both sides, every image has the box's shape; remove it, or a side"
      )
      return nil
    }
    return slot
  }
}

extension KeyType where Value == ShapeBounds {
  /// Two shapes; the first is the narrower one.
  fileprivate static var bounds: KeyType {
    let list = KeyType<[Size]>.list(of: .shape, initial: Size(1, 1), acceptsOne: false)
    return KeyType(
      expected: "the narrowest and the widest shape, such as [1:2, 2:1]",
      schema: { _ in
        list.schema([]).with([.init("minItems", 2), .init("maxItems", 2)])
      },
      read: { node, place, _ in
        let before = place.context.diagnostics.count
        guard let shapes = list.read(node, place, []) else { return nil }
        if shapes.count == 2, !shapes[1].isNarrower(than: shapes[0]) {
          return ShapeBounds(shapes[0], shapes[1])
        }
        if place.context.diagnostics.count == before {
          place.report(
            node.mark, "must be the narrowest and the widest shape, such as [1:2, 2:1]")
        }
        return nil
      },
      json: { list.json([$0.narrowest, $0.widest]) })
  }
}

extension KeyType where Value == Size {
  /// Width and height in proportion. As for a size in points, a larger number is a typing mistake.
  fileprivate static var shape: KeyType {
    scalar(
      "a shape as width to height, such as 1:2",
      schema: ["type": "string", "pattern": "^[1-9][0-9]{0,4}:[1-9][0-9]{0,4}$"],
      json: { .string("\($0.width):\($0.height)") },
      parse: { text in
        let sides = text.split(separator: ":", omittingEmptySubsequences: false).map { Int($0) }
        guard sides.count == 2, let width = sides[0], let height = sides[1],
          (1...65_536).contains(width), (1...65_536).contains(height)
        else { return nil }
        return Size(width, height)
      })
  }
}

extension KeyType where Value == SlotKeys.Points {
  /// In points. No layout has a longer side than 65,536, so a larger number is a typing mistake.
  fileprivate static var points: KeyType {
    scalar(
      "a size in points, such as 36x36, 180x (free height) or x200 (free width)",
      schema: [
        "type": "string", "pattern": "^([1-9][0-9]{0,4}x([1-9][0-9]{0,4})?|x[1-9][0-9]{0,4})$",
      ],
      json: {
        .string("\($0.width.map(String.init) ?? "")x\($0.height.map(String.init) ?? "")")
      },
      parse: { text in
        guard let (width, height) = Units.slotSize(text),
          [width, height].compactMap(\.self).allSatisfy({ (1...65_536).contains($0) })
        else { return nil }
        return .init(width: width, height: height)
      })
  }
}

extension KeyType where Value == [Int] {
  /// Sorted, so that the order in the file has no effect.
  static var scales: KeyType {
    list(
      of: .int(1...8, "a list of whole numbers from 1 to 8, such as [1, 2, 3]"), initial: 1,
      one: "scale", isUnique: true
    ).mapped({ $0.sorted() }, from: { $0 })
  }

  /// Whole numbers in a range, ascending; each counts once.
  static func numbers(_ range: ClosedRange<Int>) -> KeyType {
    list(
      of: .int(range, "whole numbers from \(range.lowerBound) to \(range.upperBound)"), initial: 1
    ).mapped({ Set($0).sorted() }, from: { $0 })
  }
}

extension KeyType where Value == Rounding {
  /// A ladder for the longer side, or a group that says which side.
  static var rounding: KeyType {
    let steps = KeyType<Rounding.Steps>.steps
    let ladder = steps.mapped({ Rounding($0) }, from: \.steps)
    let group = KeyType.group(
      [
        Key(
          "by", .choice, \.side, shapes: .files,
          "longer: the longer side. width: the width, whatever the height."),
        Key("steps", steps, \.steps, shapes: .files, isRequired: true, "The ladder."),
      ], isOptional: false)
    return KeyType(
      expected: ladder.expected,
      schema: { ["anyOf": [ladder.schema($0), group.schema($0)]] },
      read: { node, place, current in
        guard case .mapping = node.content else { return ladder.read(node, place, current) }
        return group.read(node, place, current)
      },
      json: { $0.side == .longer ? ladder.json($0) : group.json($0) })
  }
}

extension KeyType where Value == Rounding.Steps {
  /// A ladder with a name, or a list of sizes.
  static var steps: KeyType {
    let named = scalar(
      "\"power-of-two\", \"half-steps\", \"exact\" or a list such as [320, 640, 1280]",
      schema: ["enum": .array(Rounding.Steps.named.map { .string($0.name) })],
      json: { .string($0.name) },
      parse: { text in Rounding.Steps.named.first { $0.name == text }?.steps })
    let list = KeyType<[Int]>.list(
      of: .int(
        1...Rounding.Steps.longestRung,
        "a list of sizes from 1 to \(Rounding.Steps.longestRung) pixels"),
      initial: 1,
      one: "size", isUnique: true, acceptsOne: false)
    return KeyType(
      expected: named.expected, schema: { ["anyOf": [named.schema($0), list.schema([])]] },
      read: { node, place, current in
        guard case .sequence = node.content else { return named.read(node, place, current) }
        return list.read(node, place, []).map { .list($0.sorted()) }
      },
      json: { steps in
        if case .list(let sizes) = steps { list.json(sizes) } else { named.json(steps) }
      })
  }
}

extension KeyType where Value == [PipelineFile.Table] {
  static var tables: KeyType {
    let table = KeyType<PipelineFile.Table>.group([
      Key(
        "scales", .scales, \.scales, shapes: .files,
        "Some of the pipeline's scales; the default is all of them."),
      Key(
        "pixels", .list(of: .choice, initial: .bgra8, one: "format", isUnique: true), \.pixels,
        shapes: .files,
        "How pixels are stored; a list makes one table of each. webp: an atlas for the web. The default is bgra8."
      ),
    ])
    return KeyType<[String: PipelineFile.Table]>.names(
      of: table, one: "slot", expected: "names of slots",
      initial: { PipelineFile.Table(slot: $0, scales: [], pixels: [.bgra8]) }
    ).mapped(
      { tables in tables.values.sorted { $0.slot < $1.slot } },
      from: { tables in Dictionary(tables.map { ($0.slot, $0) }) { first, _ in first } })
  }
}
