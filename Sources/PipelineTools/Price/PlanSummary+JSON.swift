package import TesseraJSON
internal import TesseraPlan

extension LadderPrice {
  /// The ladder's name, or its sizes with commas between them.
  package var name: String { steps.name }
}

extension PlanSummary {
  /// The document that `plan --json` prints.
  ///
  /// - Parameters:
  ///   - choice: of a ladder; printed if ``LadderChoice/isWanted``.
  ///   - next: writes the members of what the next run will do.
  package func json(
    _ choice: LadderChoice, next: ((inout JSONWriter) -> Void)? = nil
  ) -> [UInt8] {
    var writer = JSONWriter(indent: 2)
    writer.object { object in
      if let next {
        object.name("next")
        object.object { next(&$0) }
      }
      object.member("items", items)
      object.member("unknown", unknown)
      object.member("measured", measured)
      if let log {
        object.name("log")
        object.object { members in
          members.member("requests", log.views)
          members.member("images", viewed)
          members.member("unread", log.unread)
        }
      }
      if choice.isWanted {
        choice.write(to: &object, beside: ladders)
        return
      }
      object.name("ladders")
      object.array { list in
        for ladder in ladders { list.object { ladder.write(to: &$0, exact) } }
      }
    }
    return writer.take() + [UInt8(ascii: "\n")]
  }
}

extension LadderPrice {
  fileprivate func write(to object: inout JSONWriter, _ exact: ViewPrice) {
    object.member("rounding", name)
    object.member("asked", asked)
    object.member("made", made)
    object.member("shared", shared)
    object.member("pixelsAsked", Int(pixelsAsked))
    object.member("pixelsDelivered", Int(pixelsDelivered))
    object.member("estimatedBytes", Int(bytes))
    object.name("view")
    object.object { views.write(to: &$0, exact) }
    object.name("rungs")
    object.object { list in
      for (length, count) in rungs.sorted(by: { $0.key < $1.key }) {
        list.member(String(length), count)
      }
    }
    object.name("fallbacks")
    object.object { list in
      for (reason, fallen) in fallbacks.sorted(by: { $0.key < $1.key }) {
        list.name(reason)
        list.object { fallen.write(to: &$0) }
      }
    }
  }
}

extension ViewPrice {
  /// What one view fetches on average, beside exact sizes: in all places, and in each.
  fileprivate func write(to object: inout JSONWriter, _ exact: ViewPrice) {
    total.write(to: &object, exact.total)
    object.name("places")
    object.array { list in
      for (place, same) in zip(places, exact.places) {
        list.object { entry in
          entry.member("slot", place.slot)
          entry.member("scale", place.scale)
          place.sum.write(to: &entry, same.sum)
        }
      }
    }
  }
}

extension ViewPrice.Sum {
  fileprivate func write(to object: inout JSONWriter, _ exact: Self) {
    object.member("bytes", meanBytes)
    object.member("pixels", meanPixels)
    object.member("exactBytes", exact.meanBytes)
    object.member("exactPixels", exact.meanPixels)
  }
}

extension LadderChoice {
  /// How much more a view costs than with exact sizes, as a part of that, by the number of rungs.
  fileprivate func write(to object: inout JSONWriter, beside ladders: [LadderPrice]) {
    object.name("fit")
    object.object { fit in
      fit.member("by", unit)
      fit.name("others")
      fit.object { others in
        for ladder in ladders { others.member(ladder.name, excess(ladder.ladder)) }
      }
      fit.name("ladders")
      fit.array { list in
        for candidate in candidates {
          list.object { entry in
            entry.name("rounding")
            entry.array { sizes in for rung in candidate.rungs { sizes.value(rung) } }
            entry.member("excess", candidate.excess)
          }
        }
      }
    }
  }
}

extension LadderPrice.Fallen {
  fileprivate func write(to entry: inout JSONWriter) {
    entry.member("files", files)
    entry.member("items", items)
    entry.name("examples")
    entry.array { list in for id in examples { list.value(id) } }
  }
}
