internal import TesseraJSON
internal import TesseraPipeline
internal import TesseraPlan
internal import TesseraSystem

// What `tessera plan` prints.

extension PlanSummary {
  func text(isProbing: Bool) -> String {
    var lines = ["\(Amount.count(items, "picture")) in the manifest"]
    if unknown > 0 {
      lines.append(
        "\(unknown) of them of unknown size"
          + (isProbing ? "" : "; --probe asks the network for them"))
    }
    guard let first = ladders.first, first.asked > 0 else {
      return lines.joined(separator: "\n") + "\n"
    }
    if ladders.count > 1 {
      lines.append("\(Amount.count(first.asked, "file")) asked for")
      lines += TextTable.lines(
        ["ladder", "files", "shared", "lengths", "more pixels", "about"],
        ladders.map { ladder in
          [
            ladder.rounding.name, String(ladder.made), String(ladder.shared),
            String(ladder.rungs.count),
            Amount.percent(ladder.overDelivery), Amount.bytes(Int(ladder.bytes)),
          ]
        })
    } else {
      lines.append(
        "\(Amount.count(first.asked, "file")) asked for, \(first.made) made, \(first.shared) shared"
      )
      lines.append("\(Amount.percent(first.overDelivery)) more pixels delivered than asked for")
      lines.append("about \(Amount.bytes(Int(first.bytes))) (by what photographs take)")
      for (reason, fallen) in first.fallbacks.sorted(by: { $0.key < $1.key }) {
        lines.append(Self.line(reason, fallen))
      }
      lines += TextTable.lines(["longer side", "files"], Self.lengths(of: first))
    }
    return lines.joined(separator: "\n") + "\n"
  }

  /// `2 files not as asked for (webp-size-limit): p1, p2`
  private static func line(_ reason: String, _ fallen: LadderPrice.Fallen) -> String {
    let more =
      fallen.items > fallen.examples.count
      ? " and \(fallen.items - fallen.examples.count) more" : ""
    let ids = fallen.examples.joined(separator: ", ").printable
    return "\(Amount.count(fallen.files, "file")) not as asked for (\(reason)): \(ids)\(more)"
  }

  /// Rows for the lengths of files: each length where there are few, ranges where there are many, as
  /// small sources have sizes of their own.
  private static func lengths(of ladder: LadderPrice) -> [[String]] {
    if ladder.rungs.count <= 20 {
      return ladder.rungs.sorted { $0.key < $1.key }.map { [String($0.key), String($0.value)] }
    }
    return ladder.ranges.map { range in
      let label =
        range.limit > 2 ? "\(range.limit / 2 + 1) - \(range.limit)" : String(range.limit)
      return [label, String(range.files)]
    }
  }

  var json: String {
    var writer = JSONWriter(indent: 2)
    writer.object { object in
      object.member("items", items)
      object.member("unknown", unknown)
      object.name("ladders")
      object.array { list in
        for ladder in ladders { list.object { Self.write(ladder, to: &$0) } }
      }
    }
    return writer.text + "\n"
  }

  private static func write(_ ladder: LadderPrice, to object: inout JSONWriter) {
    object.member("rounding", ladder.rounding.name)
    object.member("asked", ladder.asked)
    object.member("made", ladder.made)
    object.member("shared", ladder.shared)
    object.member("pixelsAsked", Int(ladder.pixelsAsked))
    object.member("pixelsDelivered", Int(ladder.pixelsDelivered))
    object.member("estimatedBytes", Int(ladder.bytes))
    object.name("rungs")
    object.object { list in
      for (length, count) in ladder.rungs.sorted(by: { $0.key < $1.key }) {
        list.member(String(length), count)
      }
    }
    object.name("fallbacks")
    object.object { list in
      for (reason, fallen) in ladder.fallbacks.sorted(by: { $0.key < $1.key }) {
        list.name(reason)
        list.object { entry in
          entry.member("files", fallen.files)
          entry.member("items", fallen.items)
          entry.name("examples")
          entry.array { list in for id in fallen.examples { list.value(id) } }
        }
      }
    }
  }
}

/// One picture's plan: which file serves which slot at which scale.
struct PictureTable {
  private let rounding: Rounding
  private let plan: Plan
  private let source: PlanSource

  init(_ rounding: Rounding, _ plan: Plan, of source: PlanSource) {
    self.rounding = rounding
    self.plan = plan
    self.source = source
  }

  var text: String {
    var price = LadderPrice(rounding)
    price.add(plan, of: source, id: "")
    var lines = [
      "\(source.size.width) x \(source.size.height) pixels, \(rounding.name): "
        + "\(Amount.count(price.asked, "file")) asked for, \(price.made) made, \(price.shared) shared, about "
        + Amount.bytes(Int(price.bytes))
    ]
    var rows: [[String]] = []
    for slot in plan.slots {
      for (index, request) in slot.requests.enumerated() {
        let variant = plan.variants[request.variant]
        let formats = variant.files.map { file in
          file.encoding.format.rawValue + (file.fallback.map { " (\($0.text))" } ?? "")
        }
        let file =
          "\(variant.size.width) x \(variant.size.height) " + formats.joined(separator: ", ")
        rows.append([
          index == 0 ? slot.slot.name : "", index == 0 ? slot.slot.mode.rawValue : "",
          "\(request.scale)", "\(request.asked.width) x \(request.asked.height)",
          "\(request.variant)", file,
        ])
      }
    }
    lines += TextTable.lines(["slot", "mode", "scale", "asked", "file", "made"], rows)
    return lines.joined(separator: "\n") + "\n"
  }

  static func json(_ tables: [PictureTable]) -> String {
    var writer = JSONWriter(indent: 2)
    writer.array { list in for table in tables { list.object { table.write(to: &$0) } } }
    return writer.text + "\n"
  }

  private func write(to object: inout JSONWriter) {
    object.member("rounding", rounding.name)
    object.member("width", source.size.width)
    object.member("height", source.size.height)
    object.name("variants")
    object.array { list in
      for variant in plan.variants {
        list.object { file in
          file.member("width", variant.size.width)
          file.member("height", variant.size.height)
          if let crop = variant.crop {
            file.name("crop")
            file.object { Self.write(crop, to: &$0) }
          }
          file.name("files")
          file.array { list in
            for planned in variant.files { list.object { Self.write(planned, to: &$0) } }
          }
        }
      }
    }
    object.name("slots")
    object.object { slots in
      for slot in plan.slots {
        slots.name(slot.slot.name)
        slots.array { list in
          for request in slot.requests {
            list.object { entry in
              entry.member("scale", request.scale)
              entry.member("width", request.asked.width)
              entry.member("height", request.asked.height)
              entry.member("variant", request.variant)
            }
          }
        }
      }
    }
  }
}

extension PictureTable {
  private static func write(_ crop: Crop, to part: inout JSONWriter) {
    switch crop.place {
    case .at(let x, let y):
      part.member("x", x)
      part.member("y", y)
    case .found(let interest): part.member("gravity", interest.rawValue)
    }
    part.member("width", crop.size.width)
    part.member("height", crop.size.height)
  }

  private static func write(_ planned: PlannedFile, to file: inout JSONWriter) {
    file.member("format", planned.encoding.format.rawValue)
    guard let fallback = planned.fallback else { return }
    file.name("fallback")
    file.array { for reason in fallback.reasons { $0.value(reason.code) } }
  }
}

/// Columns for people: the first one flush left, numbers flush right.
enum TextTable {
  static func lines(_ head: [String], _ rows: [[String]]) -> [String] {
    let all = [head] + rows
    let widths = head.indices.map { column in all.map { $0[column].count }.max() ?? 0 }
    let isNumber = head.indices.map { column in
      rows.allSatisfy { $0[column].first?.isNumber ?? true }
    }
    return all.map { row in
      let cells = row.indices.map { column in
        let blanks = String(repeating: " ", count: widths[column] - row[column].count)
        return isNumber[column] ? blanks + row[column] : row[column] + blanks
      }
      let line = cells.joined(separator: "  ")
      return String(line.reversed().drop { $0 == " " }.reversed())
    }
  }
}
