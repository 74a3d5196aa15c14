internal import TesseraPipeline

extension PlanSummary {
  /// The text that `plan` prints.
  ///
  /// - Parameter choice: of a ladder; the text is about that alone if ``LadderChoice/isWanted``.
  func text(isProbing: Bool, _ choice: LadderChoice) -> String {
    var lines = ["\(Amount.count(items, "image")) in the manifest"]
    if unknown > 0 {
      lines.append("\(unknown) of unknown size" + (isProbing ? "" : "; --probe requests the sizes"))
      // URLs are untrusted, and this text is written without further escaping.
      lines += failures.map { Console.printable("  \($0.source): \($0.reason)") }
      if !failures.isEmpty, unknown > failures.count {
        lines.append("  and \(unknown - failures.count) more: tessera check --probe names all")
      }
    }
    lines += views
    if choice.isWanted { lines += choice.lines(beside: ladders) }
    if let first = ladders.first, first.asked > 0 {
      if ladders.count > 1 {
        lines += Self.comparison(ladders, exact)
      } else {
        lines += details(of: first, choice)
      }
    }
    if let longest = longBoxes.longest {
      let verb = longBoxes.images == 1 ? "has" : "have"
      lines.append(
        Console.printable(
          "\(Amount.count(longBoxes.images, "image")) \(verb) a box longer than 4:1, the longest \(longest.width) x "
            + "\(longest.height) points (\(longest.id) in \"\(longest.slot)\"); \"aspect\" bounds a slot"
        ))
    }
    return lines.joined(separator: "\n") + "\n"
  }

  /// What is counted as views, if a log says it.
  private var views: [String] {
    guard let log else { return [] }
    let unread =
      log.unread > 0 ? "; \(Amount.count(log.unread, "line")) of an unknown form" : ""
    return [
      "views: \(Amount.count(log.views, "request")) of files in the log, of \(Amount.count(viewed, "image"))\(unread)"
    ]
  }

  private static func comparison(_ ladders: [LadderPrice], _ exact: ViewPrice) -> [String] {
    let requested = Amount.count(ladders[0].asked, "file")
    let rows = ladders.map { ladder in
      [
        ladder.name, String(ladder.made), String(ladder.shared), String(ladder.rungs.count),
        Amount.percent(ladder.overDelivery), Amount.bytes(Int(ladder.bytes)),
        Amount.bytes(ladder.views.total.meanBytes),
        Amount.percent(ladder.views.excess(over: exact)),
      ]
    }
    return ["\(requested) requested"]
      + TextTable.lines(
        ["ladder", "files", "shared", "lengths", "more pixels", "about", "a view", "more bytes"],
        rows)
  }

  /// What bytes are estimated from.
  private var ground: String {
    measured == 0
      ? "estimated from photographs"
      : "estimated from the files of \(Amount.count(measured, "image"))"
  }

  private func details(of ladder: LadderPrice, _ choice: LadderChoice) -> [String] {
    let requested = Amount.count(ladder.asked, "file")
    return [
      "\(requested) requested, \(ladder.made) needed, \(ladder.shared) shared",
      "\(Amount.percent(ladder.overDelivery)) more pixels delivered than requested",
      "about \(Amount.bytes(Int(ladder.bytes))) (\(ground))",
      "a visitor fetches about \(Amount.bytes(ladder.views.total.meanBytes)) for an image, "
        + "\(Amount.percent(ladder.views.excess(over: exact))) more than with exact sizes",
      choice.hint,
    ] + Self.views(ladder.views, exact)
      + ladder.fallbacks.sorted { $0.key < $1.key }.map { Self.line($0.key, $0.value) }
      + TextTable.lines(["longer side", "files"], Self.lengths(of: ladder))
  }

  /// Rows for the slots at their scales.
  private static func views(_ views: ViewPrice, _ exact: ViewPrice) -> [String] {
    let rows = zip(views.places, exact.places).map { place, same in
      let more = same.sum.bytes > 0 ? place.sum.bytes / same.sum.bytes - 1 : 0
      return [
        place.slot, "\(place.scale)x", Amount.bytes(place.sum.meanBytes),
        Amount.bytes(same.sum.meanBytes), Amount.percent(more),
      ]
    }
    return TextTable.lines(["slot", "scale", "a view", "exact", "more bytes"], rows)
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

extension RunForecast {
  /// What `plan` prints about the next run.
  var text: String { lines.map { $0 + "\n" }.joined() }

  private var lines: [String] {
    var lines = ["next run: \(Amount.count(images, "image"))" + Self.list(whatBecomesOfImages)]
    if !kinds.isEmpty { lines.append("  of these \(kinds.joined(separator: ", "))") }
    if !others.isEmpty { lines.append("  besides \(others.joined(separator: ", "))") }
    if problems > 0 {
      lines.append("  \(Amount.count(problems, "line")) of the manifest can't be used")
    }
    if let stop { lines.append("  this run would stop: \(stop)") }
    lines.append("  \(Self.text(expected))")
    if dependsOnOrigins {
      lines.append("  if all sources have changed and what failed succeeds: \(Self.text(most))")
    }
    lines.append("  \(Amount.count(disk.count, "file")), \(Amount.bytes(disk.bytes)), on disk now")
    return lines + shortages
  }

  /// What the output's disk lacks.
  private var shortages: [String] {
    guard let room else { return [] }
    var lines: [String] = []
    if isDiskShort.bytes {
      lines.append(
        "  the output's disk has only \(Amount.bytes(room.bytes)) free, less than the files may need: free space on "
          + "it, for example with prune")
    }
    if isDiskShort.inodes, let inodes = room.inodes {
      lines.append(
        "  the output's disk has only \(Amount.count(inodes, "inode")) free, and each file needs one"
      )
    }
    return lines
  }

  /// Each image counts once.
  private var whatBecomesOfImages: [String] {
    Self.counts([
      (fresh, "fresh"), (revalidated, "to be revalidated"), (fetched, "to be fetched"),
      (copied, "made of kept copies"),
    ])
  }

  /// Images that are counted above as well.
  private var kinds: [String] {
    Self.counts([
      (new, "new"), (changed, "changed in the manifest"), (retried, "tried again after a failure"),
    ])
  }

  /// Images that are not among the run's.
  private var others: [String] {
    Self.counts([
      (gone, "gone from the manifest"), (forgotten, "forgotten and left out"),
    ])
  }

  private static func counts(_ list: [(Int, String)]) -> [String] {
    list.compactMap { $0.0 > 0 ? "\($0.0) \($0.1)" : nil }
  }

  private static func list(_ parts: [String]) -> String {
    parts.isEmpty ? "" : ": " + parts.joined(separator: ", ")
  }

  /// `12 requests, 34 files made (about 1.2 MB), about 3.2 s`
  private static func text(_ work: Work) -> String {
    let bytes = work.bytes > 0 ? " (about \(Amount.bytes(work.bytes)))" : ""
    let time = work.seconds.map {
      $0 < 1 ? ", under a second" : ", about \(Amount.seconds($0))"
    }
    return
      "\(Amount.count(work.requests, "request")), \(Amount.count(work.files, "file")) made\(bytes)\(time ?? "")"
  }
}

extension ImagePlan {
  /// The table that `plan --picture` prints: a row for each slot and scale.
  var text: String {
    let price = price
    let heading =
      "\(width) x \(height) pixels, \(price.name): \(Amount.count(price.asked, "file")) requested, "
      + "\(price.made) needed, \(price.shared) shared, about \(Amount.bytes(Int(price.bytes)))"
    var rows: [[String]] = []
    var last: String?
    for use in uses {
      let isFirst = use.slot != last
      last = use.slot
      rows.append([
        isFirst ? use.slot : "", isFirst ? use.mode : "", "\(use.scale)",
        "\(use.requested.width) x \(use.requested.height)", "\(use.file)",
        "\(use.made.width) x \(use.made.height) " + use.formats.joined(separator: ", "),
      ])
    }
    let table = TextTable.lines(["slot", "mode", "scale", "requested", "file", "made"], rows)
    return ([heading] + table).joined(separator: "\n") + "\n"
  }
}

extension LadderChoice {
  /// What other ladders would save, in one line.
  var hint: String {
    let others = others.map { "\($0.name): \(Amount.percent(excess($0)))" }
    let fitting = chosen.map { best in
      "the best \(Amount.count(best.rungs.count, "rung")): \(Amount.percent(best.excess)) "
        + "(--fit \(best.rungs.count))"
    }
    return "other ladders: " + (others + [fitting].compactMap(\.self)).joined(separator: "; ")
  }

  /// The line for the pipeline file, what it saves, and what other numbers of rungs would.
  ///
  /// - Parameter ladders: those to compare it with.
  func lines(beside ladders: [LadderPrice]) -> [String] {
    guard let chosen, let line else { return [] }
    let others = ladders.map { ladder in
      "\(ladder.name): \(Amount.percent(excess(ladder.ladder)))"
    }
    let rows = candidates.map { [String($0.rungs.count), Amount.percent($0.excess)] }
    return [
      line,
      "these sizes cost visitors \(Amount.percent(chosen.excess)) more \(unit) than exact ones; "
        + others.joined(separator: "; "),
    ] + TextTable.lines(["rungs", "more \(unit)"], rows)
  }
}
