import Foundation

/// Places where ids, URLs and paths are compared as strings, so that two spellings of one text in Unicode are the same:
/// `Identifier` (in `Text`) compares their bytes.
///
/// What can be seen without types: strings as keys and in sets, prefixes that are not literals, and comparisons of what is
/// called an id, a URL or a path. Exceptions are texts of which Tessera itself has made all, in ASCII.
enum Identity {
  /// For modules where paths are Tessera's own, and for others.
  private static let patterns = [true, false].map { patterns(hasOwnPaths: $0) }
  private static let modules = [
    "Command", "State", "Pipeline", "Output", "Manifest", "Net", "TesseraCatalog",
    "TesseraCatalogFoundation",
    "SizeFetcher", "System", "Text",
  ]

  /// Variables with strings as keys or in sets, and why nothing in them is an id, a URL or a path of others. A name that says
  /// little is an exception in one file.
  private static let words: [String: Set<String>] = [
    "codes of errors, statuses, reasons and kinds": [
      "codes", "counts", "errors", "examples", "reasons", "fallbacks", "shownStatuses", "measured",
      "unmeasured", "encoders", "intervals", "maxima", "keptByOthers",
    ],
    "names that pipeline files and formats have, which are ASCII words": [
      "slots", "uses", "tables", "types", "accepted", "units", "tokens",
      "ofImages", "Arguments.swift: values",
      "URLSecret.swift: found", "ListFindings.swift: words",
    ],
    "names of members and columns: two that are equal in Unicode are one, as for many readers of JSON":
      [
        "members", "mapped", "present", "absent", "leftOut",
        "value", "ExtraMembers.swift: counts",
        "FeedImages.swift: places",
        "MappedFields.swift: paths",
        "MappedFields.swift: used",
        "MemberGuess.swift: places",
        "TableDecoder.swift: indices", "TableDecoder.swift: used",
      ],
    "digests, and names that are made of digests": [
      "younger", "older", "copies", "ended", "marks", "implied", "allImplied", "companions",
      "CatalogErasure.swift: named", "CatalogHistory.swift: before",
      "CatalogHistory.swift: others",
      "ForgottenItems.swift: named", "ForgottenItems.swift: Links", "KeyedQueue.swift: lines",
      "SourceCache.swift: entries", "TableWorkers.swift: places",
      "VanishedFiles.swift: folders",
    ],
    "names of header fields, codings and schemes, in lower case": [
      "ResponseHeaders.swift: fields", "EasyHandle.swift: contentCodings",
      "ProxySettings.swift: proxies",
    ],
    "hosts, in the spelling of the policies": [
      "hosts", "staleHosts", "paced", "breakers", "busyAnswers", "windows", "rates", "unreached",
      "continued",
      "FailureCensus.swift: groups", "HostRules.swift: all",
      "HostRules.swift: unused", "RequestQueue.swift: fresh", "RequestQueue.swift: lines",
    ],
  ]

  private static let key = Pattern(
    #"(\w+)\s*[:=]\s*(?:inout |Mutex<)?\(?(?:Set<String>|\[String: )"#)

  /// Modules and verbs in which paths are those of outputs: fixed names, and digests.
  private static let ownPaths = [
    "State", "Output", "TesseraCatalog", "Command/Output", "Command/Status", "Command/Verify",
    "Command/Why",
  ]

  private static func patterns(hasOwnPaths: Bool) -> [Pattern] {
    // What is compared by its bytes, at the end of an expression.
    let name = #"\b(?:id|url|URL|\w+(?:ID|URL)"# + (hasOwnPaths ? "" : #"|path|\w+Path"#) + #")\b"#
    return [
      // `Set(ids)` is a set of strings, and `Set<Identifier>(of: ids)` is not.
      #"\bSet\((?:[^()\n]|\([^()\n]*\))*\b(?:ids|urls|references?)\b"#,
      // A constant, or a digest.
      #"\bhasPrefix\(\s*(?!Self\.|digest\b)[^)\s"][^\n]*"#,
      name + #"[?!]?\s*(?:==|!=|<|>)\s+(?!nil\b)[\w(.][^\n]*"#,
      #"(?:==|!=)\s+(?:\w+[.?!]+)*"# + name + #"(?![.\[(])[^\n]*"#,
      #"\b\w*(?:ids|urls|URLs)\.(?:sorted|sort|min|max)\([^\n]*"#,
    ].map { Pattern($0) }
  }

  /// Findings in the code of a file, by its path below `Sources`.
  static func findings(in path: String, _ code: String) -> [String] {
    guard modules.contains(String(path.prefix { $0 != "/" })) else { return [] }
    let patterns = patterns[ownPaths.contains { path.hasPrefix("\($0)/") } ? 0 : 1]
    let file = path.split(separator: "/").last ?? ""
    let keys = key.matches(in: code).compactMap { $0[1] }.filter { name in
      !words.values.contains { $0.contains(name) || $0.contains("\(file): \(name)") }
    }
    let rest = patterns.flatMap { $0.matches(in: code) }.compactMap { $0[0] }
    return (keys.map { "\($0): keys are strings" } + rest).map { "\(path): \($0)" }
  }
}
