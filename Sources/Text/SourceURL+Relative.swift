extension SourceURL {
  /// What a reference means relative to a base (RFC 3986, section 5.2). The base may be relative itself, as one inside another
  /// is; then the result is, too.
  package static func resolve(_ reference: String, against base: String) -> String {
    if scheme(of: reference) != nil { return reference }
    let base = Reference(base)
    var target = Reference(reference)
    target.scheme = base.scheme
    if target.authority == nil {
      target.authority = base.authority
      if target.path.isEmpty {
        target.path = base.path
        target.query = target.query ?? base.query
      } else if !target.path.hasPrefix("/") {
        let folder = base.path[
          ..<(base.path.lastIndex(of: "/").map { base.path.index(after: $0) }
            ?? base.path.startIndex)]
        target.path = (base.authority != nil && folder.isEmpty ? "/" : folder) + target.path
      }
    }
    if target.scheme != nil || target.path.hasPrefix("/") {
      target.path = withoutDots(target.path)
    }
    return target.text
  }

  /// The five parts of a reference (RFC 3986, appendix B), with the marks before or behind them.
  private struct Reference {
    var scheme: Substring?
    var authority: Substring?
    var path: String
    var query: Substring?
    private let fragment: Substring

    init(_ text: String) {
      var rest = text[...]
      if let name = SourceURL.scheme(of: text) {
        scheme = rest.prefix(name.count + 1)
        rest = rest.dropFirst(name.count + 1)
      }
      if rest.hasPrefix("//") {
        authority = rest.prefix(2) + rest.dropFirst(2).prefix { !"/?#".contains($0) }
        rest = rest.dropFirst(authority?.count ?? 0)
      }
      path = String(rest.prefix { $0 != "?" && $0 != "#" })
      rest = rest.dropFirst(path.count)
      let asked = rest.prefix { $0 != "#" }
      query = asked.isEmpty ? nil : asked
      fragment = rest.dropFirst(asked.count)
    }

    var text: String { "\(scheme ?? "")\(authority ?? "")\(path)\(query ?? "")\(fragment)" }
  }

  /// A path without the segments "." and ".." (RFC 3986, section 5.2.4).
  private static func withoutDots(_ path: String) -> String {
    let segments = path.split(separator: "/", omittingEmptySubsequences: false)
    var kept: [Substring] = []
    for (index, segment) in segments.enumerated() {
      let isLast = index == segments.count - 1
      switch segment {
      case ".": if isLast { kept.append("") }
      case "..":
        // The first is empty: it is what stands before the slash of the root.
        if kept.count > 1 { kept.removeLast() }
        if isLast { kept.append("") }
      default: kept.append(segment)
      }
    }
    return kept.joined(separator: "/")
  }
}
