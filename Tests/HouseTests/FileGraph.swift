/// References between the files of one module.
///
/// A reference is the use of a type that another file declares, or of a member that another file
/// adds in an extension. Both are found by name, so a member counts only if one file alone declares
/// that name and it has five letters or more: shorter ones are too common.
struct FileGraph {
  /// For each file, the files that it refers to, each with the names used.
  private(set) var references: [String: [String: Set<String>]] = [:]

  private struct Home: Hashable {
    var file: String
    var owner: String
  }

  private static let type = Pattern(
    #"(?m)^((?:(?:package|public|internal|private|fileprivate|final|indirect|@\w+(?:\([^)]*\))?)\s+)*)"#
      + #"(?:struct|class|enum|protocol|actor|typealias)\s+(\w+)"#)
  private static let typeExtension = Pattern(
    #"(?m)^(?:package |public |fileprivate )?extension\s+([\w.]+)[^{]*\{([\s\S]*?)^\}"#)
  private static let member = Pattern(
    #"(?m)^  ((?:package |public |static |mutating |private |fileprivate |nonisolated |"#
      + #"@\w+(?:\([^)]*\))? )*)(?:func|var|let)\s+(\w+)"#)

  init(_ files: [SourceTree.File]) {
    let types = Self.types(files)
    let members = Self.members(files, types)
    for file in files {
      let words = Words(file.code)
      var found: [String: Set<String>] = [:]
      for (name, home) in types where home != file.path && words.free.contains(name) {
        found[home, default: []].insert(name)
      }
      for (name, homes) in members where name.count >= 5 && homes.count == 1 {
        guard let home = homes.first, home.file != file.path, words.members.contains(name) else {
          continue
        }
        found[home.file, default: []].insert("\(home.owner).\(name)")
      }
      references[file.path] = found
    }
  }

  /// The file that declares each type of the module at its top level.
  private static func types(_ files: [SourceTree.File]) -> [String: String] {
    var types: [String: String] = [:]
    for file in files {
      for match in type.matches(in: file.code) {
        guard let name = match[2], match[1]?.contains("private") == false else { continue }
        types[name] = file.path
      }
    }
    return types
  }

  /// The extensions that declare each member, except those in the file of their own type.
  private static func members(
    _ files: [SourceTree.File], _ types: [String: String]
  ) -> [String: Set<Home>] {
    var members: [String: Set<Home>] = [:]
    for file in files {
      for match in typeExtension.matches(in: file.code) {
        guard let owner = match[1], let body = match[2] else { continue }
        let type = owner.split(separator: ".").first.map(String.init) ?? owner
        if types[type] == file.path { continue }
        for declared in member.matches(in: body) {
          guard let name = declared[2], declared[1]?.contains("private") == false else { continue }
          members[name, default: []].insert(Home(file: file.path, owner: owner))
        }
      }
    }
    return members
  }

  /// Groups of files that refer to each other in a circle, largest first (Tarjan's algorithm).
  var cycles: [[String]] {
    var search = Search(references)
    for file in references.keys.sorted() where search.index[file] == nil { search.visit(file) }
    return search.found.sorted { $0.count > $1.count }
  }

  private struct Search {
    let references: [String: [String: Set<String>]]
    var index: [String: Int] = [:]
    var low: [String: Int] = [:]
    var stack: [String] = []
    var found: [[String]] = []

    init(_ references: [String: [String: Set<String>]]) { self.references = references }

    mutating func visit(_ file: String) {
      let number = index.count
      (index[file], low[file]) = (number, number)
      stack.append(file)
      for next in references[file, default: [:]].keys.sorted() {
        if index[next] == nil {
          visit(next)
          low[file] = min(low[file] ?? number, low[next] ?? number)
        } else if stack.contains(next) {
          low[file] = min(low[file] ?? number, index[next] ?? number)
        }
      }
      guard low[file] == number, let start = stack.firstIndex(of: file) else { return }
      let group = stack[start...].sorted()
      stack.removeSubrange(start...)
      if group.count > 1 { found.append(group) }
    }
  }
}

/// The identifiers in a text: those that stand free, and those that follow a dot.
private struct Words {
  var free: Set<String> = []
  var members: Set<String> = []

  init(_ text: String) {
    var word = String.UnicodeScalarView()
    var previous: Unicode.Scalar = " "
    var before = previous
    for scalar in text.unicodeScalars {
      if scalar == "_" || scalar.properties.isAlphabetic || scalar.properties.numericType != nil {
        if word.isEmpty { before = previous }
        word.append(scalar)
      } else if !word.isEmpty {
        add(String(word), after: before)
        word.removeAll(keepingCapacity: true)
      }
      previous = scalar
    }
    if !word.isEmpty { add(String(word), after: before) }
  }

  private mutating func add(_ word: String, after scalar: Unicode.Scalar) {
    if scalar == "." { members.insert(word) } else { free.insert(word) }
  }
}
