internal import TesseraJSON
internal import TesseraText

extension ManifestEntry {
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
