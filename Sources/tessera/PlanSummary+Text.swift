internal import TesseraConsole
internal import TesseraPipelineTools

extension PlanSummary {
  /// The text that `plan` prints.
  func text(isProbing: Bool) -> String {
    var lines = ["\(Amount.count(items, "image")) in the manifest"]
    if unknown > 0 {
      lines.append("\(unknown) of unknown size" + (isProbing ? "" : "; --probe requests the sizes"))
      // URLs are untrusted, and this text is written without further escaping.
      lines += failures.map { Console.printable("  \($0.source): \($0.reason)") }
      if !failures.isEmpty, unknown > failures.count {
        lines.append("  and \(unknown - failures.count) more: tessera check --probe names all")
      }
    }
    if let first = ladders.first, first.asked > 0 {
      lines += ladders.count > 1 ? Self.comparison(ladders) : Self.details(of: first)
    }
    return lines.joined(separator: "\n") + "\n"
  }

  private static func comparison(_ ladders: [LadderPrice]) -> [String] {
    let requested = Amount.count(ladders[0].asked, "file")
    let rows = ladders.map { ladder in
      [
        ladder.name, String(ladder.made), String(ladder.shared), String(ladder.rungs.count),
        Amount.percent(ladder.overDelivery), Amount.bytes(Int(ladder.bytes)),
      ]
    }
    return ["\(requested) requested"]
      + TextTable.lines(["ladder", "files", "shared", "lengths", "more pixels", "about"], rows)
  }

  private static func details(of ladder: LadderPrice) -> [String] {
    let requested = Amount.count(ladder.asked, "file")
    return [
      "\(requested) requested, \(ladder.made) needed, \(ladder.shared) shared",
      "\(Amount.percent(ladder.overDelivery)) more pixels delivered than requested",
      "about \(Amount.bytes(Int(ladder.bytes))) (estimated from photographs)",
    ] + ladder.fallbacks.sorted { $0.key < $1.key }.map { line($0.key, $0.value) }
      + TextTable.lines(["longer side", "files"], lengths(of: ladder))
  }

  /// `2 files differ from the request (webp-size-limit): p1, p2`
  private static func line(_ reason: String, _ fallen: LadderPrice.Fallen) -> String {
    let more =
      fallen.items > fallen.examples.count
      ? " and \(fallen.items - fallen.examples.count) more" : ""
    // Ids are untrusted, and this text is written without further escaping.
    let ids = Console.printable(fallen.examples.joined(separator: ", "))
    let verb = fallen.files == 1 ? "differs" : "differ"
    return
      "\(Amount.count(fallen.files, "file")) \(verb) from the request (\(reason)): \(ids)\(more)"
  }

  /// The most lengths that are listed one by one.
  private static let listedLengths = 20

  /// Rows for the lengths of files: ranges if there are many lengths, because small sources have
  /// sizes of their own.
  private static func lengths(of ladder: LadderPrice) -> [[String]] {
    if ladder.rungs.count <= listedLengths {
      return ladder.rungs.sorted { $0.key < $1.key }.map { [String($0.key), String($0.value)] }
    }
    return ladder.ranges.map { range in
      let label =
        range.limit > 2 ? "\(range.limit / 2 + 1) - \(range.limit)" : String(range.limit)
      return [label, String(range.files)]
    }
  }
}
