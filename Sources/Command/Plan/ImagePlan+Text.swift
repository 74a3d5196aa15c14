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
