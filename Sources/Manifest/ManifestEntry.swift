package import TesseraJSON

/// One picture that the manifest names.
package struct ManifestEntry: Sendable, Equatable {
  /// The line it begins on, counted from 1.
  package var line: Int
  package var id: String
  /// Whether the line gives no id, so that it is made of the URL.
  var hasNoID = false
  package var url: String
  /// Names of the slots that the picture is for; nil means all.
  package var slots: [String]?
  /// The point a crop is centred on, in parts of width and height; nil means the centre.
  package var focus: Focus?
  /// The user's own data, handed through to the catalog; nil where the manifest has none.
  package var extra: JSONValue?

  package struct Focus: Sendable, Equatable {
    package var x: Double
    package var y: Double

    package init(x: Double, y: Double) {
      self.x = x
      self.y = y
    }
  }

  package init(
    line: Int, id: String?, url: String, slots: [String]? = nil, focus: Focus? = nil,
    extra: JSONValue? = nil
  ) {
    self.line = line
    self.id = id ?? ""
    hasNoID = id == nil
    self.url = url
    self.slots = slots
    self.focus = focus
    self.extra = extra
  }

  /// Everything the line says, in one canonical text. A repeated id with the same content is one
  /// item; with other content it is a mistake.
  package var content: String {
    var writer = JSONWriter()
    writer.array { list in
      list.value(id)
      list.value(url)
      writeSlots(to: &list)
      list.value(focus.map { "\($0.x) \($0.y)" } ?? "")
      list.value(extra ?? .null)
      // That there is none is something else.
      if extra == .null { list.null() }
    }
    return writer.text
  }

  func writeSlots(to list: inout JSONWriter) {
    if let slots {
      list.array { for slot in slots { $0.value(slot) } }
    } else {
      list.null()
    }
  }
}

/// What a line of the manifest turned out to be.
package enum ManifestRecord: Sendable, Equatable {
  case entry(ManifestEntry)
  case problem(ManifestProblem)
}

/// A line that can't be used. The run goes on without it.
package struct ManifestProblem: Error, Sendable, Equatable {
  package var line: Int
  /// A sentence without its full stop: what was expected, what was found.
  package var message: String

  package init(line: Int, message: String) {
    self.line = line
    self.message = message
  }
}
