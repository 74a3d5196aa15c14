extension SourceURL {
  /// The URL that a reference means as seen from a base (RFC 3986, section 5.2).
  ///
  /// - Parameters:
  ///   - reference: an absolute URL, which stays as it is, or one without its beginning: `p1.jpg`,
  ///     `../p1.jpg`, `/p1.jpg`, `//other.example.com/p1.jpg`, `?id=1`.
  ///   - base: an absolute http(s) URL.
  package static func resolve(_ reference: String, against base: String) -> String {
    if scheme(of: reference) != nil { return reference }
    // scheme ":" "//" authority | path | "?" query, each as it stands in the base.
    let afterScheme = base.firstIndex(of: ":").map { base.index(after: $0) } ?? base.startIndex
    let path = base[afterScheme...].dropFirst(2).firstIndex { "/?#".contains($0) } ?? base.endIndex
    let query = base[path...].firstIndex { "?#".contains($0) } ?? base.endIndex
    let fragment = base[query...].firstIndex(of: "#") ?? base.endIndex
    if reference.hasPrefix("//") { return base[..<afterScheme] + reference }
    if reference.hasPrefix("?") { return base[..<query] + reference }
    if reference.isEmpty || reference.hasPrefix("#") { return base[..<fragment] + reference }
    let end = reference.firstIndex { "?#".contains($0) } ?? reference.endIndex
    let place: String
    if reference.hasPrefix("/") {
      place = String(reference[..<end])
    } else {
      let folder = base[path..<query].lastIndex(of: "/").map { base[path...$0] } ?? "/"
      place = String(folder + reference[..<end])
    }
    return base[..<path] + withoutDots(place) + reference[end...]
  }

  /// A path without its `.` and `..` (section 5.2.4).
  private static func withoutDots(_ path: String) -> String {
    let parts = path.split(separator: "/", omittingEmptySubsequences: false).dropFirst()
    var kept: [Substring] = []
    for (index, part) in parts.enumerated() {
      let isLast = index == parts.count - 1
      switch part {
      case ".": if isLast { kept.append("") }
      case "..":
        if !kept.isEmpty { kept.removeLast() }
        if isLast { kept.append("") }
      default: kept.append(part)
      }
    }
    return "/" + kept.joined(separator: "/")
  }
}
