internal import TesseraJSON
internal import TesseraPlan

extension LadderPrice {
  /// The ladder's name, or its sizes with commas between them.
  package var name: String { rounding.name }
}

extension PlanSummary {
  /// The document that `plan --json` prints.
  package var json: [UInt8] {
    var writer = JSONWriter(indent: 2)
    writer.object { object in
      object.member("items", items)
      object.member("unknown", unknown)
      object.name("ladders")
      object.array { list in
        for ladder in ladders { list.object { ladder.write(to: &$0) } }
      }
    }
    return writer.take() + [UInt8(ascii: "\n")]
  }
}

extension LadderPrice {
  fileprivate func write(to object: inout JSONWriter) {
    object.member("rounding", name)
    object.member("asked", asked)
    object.member("made", made)
    object.member("shared", shared)
    object.member("pixelsAsked", Int(pixelsAsked))
    object.member("pixelsDelivered", Int(pixelsDelivered))
    object.member("estimatedBytes", Int(bytes))
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

extension LadderPrice.Fallen {
  fileprivate func write(to entry: inout JSONWriter) {
    entry.member("files", files)
    entry.member("items", items)
    entry.name("examples")
    entry.array { list in for id in examples { list.value(id) } }
  }
}
