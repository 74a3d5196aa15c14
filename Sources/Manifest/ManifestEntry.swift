internal import TesseraBytes
package import TesseraCatalog
package import TesseraJSON
package import TesseraText

/// One image of the manifest.
package struct ManifestEntry: Sendable, Equatable {
  /// The line on which the entry begins, counted from 1.
  package var line: Int
  package var id: String
  /// Whether the line has no id, so that the id is derived from the URL.
  var hasNoID = false
  package var url: String
  /// Whether other images of the list may have its id, as images of one product have. The first in the list keeps it, and the
  /// others have ``withOwnID(_:)``.
  package var sharesID = false
  /// The id that it shared, once it has its own; nil for all other entries.
  package private(set) var formerID: String?
  /// The names of the slots that the image is for; nil means all.
  package var slots: [String]?
  /// The point on which crops are centred; nil means that the pipeline's gravity decides.
  package var focus: CatalogFocus?
  /// What the image shows, for those who do not see it; nil if the manifest does not say. Empty for an
  /// ornament.
  package var alt: String?
  /// How often the image is viewed, relative to others; nil if the manifest does not say. It changes no file and no line of
  /// the catalog, so it is not a part of ``content``.
  package var views: Double?
  /// The user's own data as compact JSON, which the catalog passes on; nil if the manifest has none.
  package var extra: String?
  /// What the manifest says besides, until it is decided what of it becomes public.
  var others = OtherMembers()

  package init(
    line: Int, id: String?, url: String, slots: [String]? = nil, focus: CatalogFocus? = nil,
    alt: String? = nil, extra: String? = nil
  ) {
    self.line = line
    self.id = id ?? ""
    hasNoID = id == nil
    self.url = url
    self.slots = slots
    self.focus = focus
    self.alt = alt
    self.extra = extra
  }

  /// The entry with an id of its own beside others of its ``sharesID``: `#` and eight hexadecimal digits of its URL's digest
  /// follow the id, so that it stays what it is when another image of them is added or removed.
  package func withOwnID(_ shown: ShownURLs) -> ManifestEntry {
    var entry = self
    entry.id += "#" + SHA256.of(shown(url)).prefix(8)
    (entry.sharesID, entry.formerID) = (false, id)
    return entry
  }

  /// The id without what ``withOwnID(_:)`` adds; nil if its end does not look like that.
  package static func sharedID(of own: String) -> String? {
    guard let mark = own.lastIndex(of: "#"), mark != own.startIndex,
      Hexadecimal.decode(String(own[own.index(after: mark)...]))?.count == 4
    else { return nil }
    return String(own[..<mark])
  }

  /// Everything but the line number, in one canonical text. Two entries with one id are one item if
  /// their content is the same, and a mistake if it differs. A URL with another signature is the same.
  package var content: String {
    var writer = JSONWriter()
    writer.array { list in
      list.value(id)
      list.value(SourceURL.withoutSignature(url))
      writeSlots(to: &list)
      // As text, because the writer rounds numbers to three decimals: points that differ would be
      // equal.
      list.value(focus.map { "\($0.x) \($0.y)" } ?? "")
      list.value(json: extra ?? "null")
      // An `extra` of null differs from no `extra`.
      if extra == "null" { list.null() }
      if let alt { list.object { $0.member("alt", alt) } }
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

extension ManifestEntry {
  /// The id that a JSON value is: a text, or a number as it is written; nil for any other.
  package static func id(_ value: JSONValue) -> String? {
    if case .number(let text) = value { return text }
    return value.stringValue
  }

  private static let known = ["id", "url", "slots", "focus", "alt", "views", "extra"]

  /// The entry with those of its other members in `extra` that become public.
  func publishing(
    _ selection: ExtraMembers, _ leftOut: inout LeftOutMembers
  ) throws(ManifestProblem) -> ManifestEntry {
    guard !others.list.isEmpty else { return self }
    var entry = self
    entry.others = OtherMembers()
    var named: [JSONValue.Member] = []
    for member in others.list {
      let isMapped = others.mapped.contains(member.name)
      if isMapped ? selection.names(member.name) : selection.includes(member.name) {
        named.append(member)
        continue
      }
      // Tessera knows it, and it is public only if it is named.
      if member.name == "views" || isMapped { continue }
      if others.areOfJSON, let name = Nearest.match(to: member.name, among: Self.known) {
        throw ManifestProblem(
          line: line,
          message:
            "unknown member \"\(member.name)\"; did you mean \"\(name)\"? If it is your own data, put it "
            + "into \"extra\", or name it in the pipeline file (extra: [\(member.name)])")
      }
      leftOut.add(member.name)
    }
    if !named.isEmpty { entry.extra = try extra(with: named) }
    return entry
  }

  /// The member `extra` with more members; its own stay what they are.
  private func extra(with members: [JSONValue.Member]) throws(ManifestProblem) -> String {
    var own: [String] = []
    var text = "{"
    if let extra {
      guard case .object(let list)? = try? JSONParser.parse(Array(extra.utf8)),
        let end = extra.lastIndex(of: "}")
      else {
        throw ManifestProblem(
          line: line,
          message:
            "\"extra\" must be an object, because the pipeline file adds \"\(members[0].name)\" to it"
        )
      }
      own = list.map(\.name)
      text = String(extra[..<end])
    }
    var isEmpty = own.isEmpty
    for member in members where !own.contains(member.name) {
      var writer = JSONWriter()
      writer.object { $0.member(member.name, member.value) }
      text += (isEmpty ? "" : ",") + writer.text.dropFirst().dropLast()
      isEmpty = false
    }
    return text + "}"
  }
}

extension ManifestEntry {
  /// The entry and its position as bytes, which ``unpacked(_:)`` reads back.
  package func packed(position: Int) -> [UInt8] {
    var writer = JSONWriter()
    writer.object { object in
      object.member("position", position)
      write(to: &object, derivedID: true)
    }
    return writer.take()
  }

  /// Nil for bytes that ``packed(position:)`` did not make.
  package static func unpacked(_ bytes: [UInt8]) -> (ManifestEntry, position: Int)? {
    // Bytes that are not JSON are not packed either, so the parser's error adds nothing.
    guard let (parts, extra) = try? JSONParser.parse(bytes, keepingText: "extra"),
      let position = parts["position"]?.intValue, let entry = ManifestEntry(parts, extra: extra)
    else { return nil }
    return (entry, position)
  }

  /// All members, for ``init(_:extra:)``.
  ///
  /// - Parameter derivedID: whether an id that was derived from the URL is written, too.
  func write(to object: inout JSONWriter, derivedID: Bool) {
    object.member("line", line)
    if !hasNoID || derivedID { object.member("id", id) }
    object.member("url", url)
    if sharesID { object.member("shares", true) }
    if slots != nil {
      object.name("slots")
      writeSlots(to: &object)
    }
    if let focus {
      object.name("focus")
      object.array { point in
        // With all digits: the writer's own spelling of a double has three decimals, and another
        // focus is another entry.
        point.value(json: "\(focus.x)")
        point.value(json: "\(focus.y)")
      }
    }
    if let alt { object.member("alt", alt) }
    if let views {
      object.name("views")
      object.value(json: "\(views)")
    }
    if let extra {
      object.name("extra")
      object.value(json: extra)
    }
    guard !others.list.isEmpty else { return }
    for isMapped in [false, true] {
      let members = others.list.filter { others.mapped.contains($0.name) == isMapped }
      if members.isEmpty { continue }
      object.name(isMapped ? Self.mapped : others.areOfJSON ? Self.othersOfJSON : Self.columns)
      object.object { list in
        for member in members { list.member(member.name, member.value) }
      }
    }
  }

  private static let (othersOfJSON, columns, mapped) = ("members", "columns", "mapped")

  /// Nil unless ``write(to:)`` made the members.
  init?(_ parts: JSONValue, extra: String?) {
    guard let line = parts["line"]?.intValue, let url = parts["url"]?.stringValue else {
      return nil
    }
    let point = parts["focus"]?.arrayValue?.compactMap(\.doubleValue)
    self.init(
      line: line, id: parts["id"]?.stringValue, url: url,
      slots: parts["slots"]?.arrayValue?.compactMap(\.stringValue),
      focus: point.flatMap { $0.count == 2 ? CatalogFocus(x: $0[0], y: $0[1]) : nil },
      alt: parts["alt"]?.stringValue, extra: extra)
    views = parts["views"]?.doubleValue
    sharesID = parts["shares"]?.boolValue == true
    for name in [Self.othersOfJSON, Self.columns, Self.mapped] {
      guard case .object(let list)? = parts[name] else { continue }
      others.list += list
      if name == Self.othersOfJSON { others.areOfJSON = true }
      if name == Self.mapped { others.mapped = Set(list.map(\.name)) }
    }
  }
}

extension ManifestEntry {
  /// In bytes. An id is a key in the state, in the catalog and in apps; more than this is a mistake
  /// in the columns.
  private static let longestID = 1024
  /// In bytes: the longest request line that common servers accept (nginx and Apache: 8 kB).
  private static let longestURL = 8192

  /// In bytes. A description of more is another text in the wrong column.
  private static let longestAlt = 8192

  /// A number that says how often something is viewed; nil for any other. A hint that shapes no file costs no image.
  static func views(_ number: Double?) -> Double? {
    number.flatMap { (0...1e15).contains($0) ? $0 : nil }
  }

  /// The point that two words are: numbers from 0 to 1. Nil for no words.
  static func focusPoint(_ words: [String], line: Int) throws(ManifestProblem) -> CatalogFocus? {
    if words.isEmpty { return nil }
    let numbers = words.map { Double($0) }
    guard numbers.count == 2, let x = numbers[0], let y = numbers[1] else {
      throw ManifestProblem(
        line: line,
        message:
          "\"focus\" must be two numbers from 0 to 1, with a blank between them, such as 0.5 0.3")
    }
    return CatalogFocus(x: x, y: y)
  }

  /// The entry itself if its members are valid and within the limits.
  ///
  /// - Parameter hasBase: whether the pipeline has a base for relative URLs, which the message
  ///   omits if so.
  func checked(hasBase: Bool) throws(ManifestProblem) -> ManifestEntry {
    try checkID()
    try checkURL(hasBase: hasBase)
    if let focus, !(0...1).contains(focus.x) || !(0...1).contains(focus.y) {
      throw problem("the focus must be two numbers from 0 to 1, such as [0.5, 0.3]")
    }
    if let alt, alt.utf8.count > Self.longestAlt {
      throw problem(
        "the alt text is \(alt.utf8.count) bytes long; at most \(Self.longestAlt) are allowed")
    }
    return self
  }

  private func checkID() throws(ManifestProblem) {
    // An id such as ../x or CON is accepted: no id becomes a path, and files are named by digests.
    if id.isEmpty { throw problem("the id is empty") }
    if id.utf8.count > Self.longestID {
      throw problem("the id is \(id.utf8.count) bytes long; at most \(Self.longestID) are allowed")
    }
    // They would garble a terminal or end a line of a report.
    if id.unicodeScalars.contains(where: { $0.properties.generalCategory == .control }) {
      throw problem("the id has a control character in it")
    }
  }

  private func checkURL(hasBase: Bool) throws(ManifestProblem) {
    if url.isEmpty { throw problem("the URL is empty") }
    // A data: URL contains the image itself and may be as long as a line.
    if url.utf8.count > Self.longestURL, SourceURL.scheme(of: url) != "data" {
      throw problem(
        "the URL is \(url.utf8.count) bytes long; at most \(Self.longestURL) are allowed")
    }
    // A line end in a URL would let it add headers to the request.
    if SourceURL.hasBlank(url) {
      throw problem("the URL has a blank or a control character in its host")
    }
    if !SourceURL.isSource(url) {
      let isRelative = !hasBase && SourceURL.scheme(of: url) == nil
      let isPath = isRelative && url.hasPrefix("/") && !url.hasPrefix("//")
      throw problem(
        "the URL must begin with http:// or https:// and name a host, or be a file:, data: or s3: URL\(found)"
          + (isRelative ? "; relative ones need a \"base\" in the pipeline" : "")
          + (isPath ? ", and a file of this machine \"file://\" before its path" : ""))
    }
  }

  /// What there is instead, without what may be a secret.
  private var found: String {
    let beginning = url.prefix { $0 != "?" && $0 != "#" }
    return beginning.contains("@") ? "" : ", found \"\(String(beginning).excerpt)\""
  }

  private func problem(_ message: String) -> ManifestProblem {
    ManifestProblem(line: line, message: message)
  }
}
