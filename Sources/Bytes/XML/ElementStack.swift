/// The elements that are open, and those that are complete.
struct ElementStack {
  private let namespaces: XMLNamespaces
  private let maximumBytes: Int
  private let isWanted: @Sendable ([String]) -> Bool

  private(set) var root: XMLElement?
  var error: XMLError?
  private(set) var depth = 0
  /// Names of the elements around the one that is read.
  private var path: [String] = []
  /// The one that is read, and those that are open in it.
  private var open: [XMLElement] = []
  private var found: [Result<XMLElement, XMLError>] = []
  /// Of the element that is read.
  private var (elements, bytes) = (0, 0)
  private var isTooLarge = false
  /// What makes the element that is read unusable, or the one whose tag comes next; a clause.
  private var fault: String?
  /// The prefixes that each open element declares.
  private var scopes: [[String: String]] = []
  private var bases: [[String]] = []

  init(
    namespaces: XMLNamespaces, maximumBytes: Int, isWanted: @escaping @Sendable ([String]) -> Bool
  ) {
    (self.namespaces, self.maximumBytes, self.isWanted) = (namespaces, maximumBytes, isWanted)
  }

  mutating func takeFound() -> [Result<XMLElement, XMLError>] {
    defer { found = [] }
    return found
  }

  mutating func begin(
    _ name: String, _ attributes: [(name: String, value: String)], line: Int
  ) {
    depth += 1
    var scope: [String: String] = [:]
    for (name, value) in attributes where name == "xmlns" || name.hasPrefix("xmlns:") {
      scope[name == "xmlns" ? "" : String(name.dropFirst(6))] = value
    }
    scopes.append(scope)
    beginBase(attributes)
    let element = XMLElement(
      qualified(name, isAttribute: false),
      attributes: attributes.filter { $0.name != "xmlns" && !$0.name.hasPrefix("xmlns:") }
        .map { (qualified($0.name, isAttribute: true), $0.value) },
      line: line, bases: bases.last ?? [])
    root = root ?? element
    if open.isEmpty {
      path.append(element.name)
      guard isWanted(path) else {
        fault = nil
        return
      }
      (elements, bytes, isTooLarge) = (0, 0, false)
    }
    elements += 1
    let size = attributes.reduce(name.utf8.count) { $0 + $1.name.utf8.count + $1.value.utf8.count }
    count(size)
    // What is too large is followed to its end, and nothing of it is kept.
    open.append(isTooLarge ? XMLElement(element.name, line: line) : element)
  }

  /// Each reference below takes the length of its bases, so that these have a limit of their own.
  private mutating func beginBase(_ attributes: [(name: String, value: String)]) {
    let all = (bases.last ?? []) + attributes.filter { $0.name == "xml:base" }.map(\.value)
    let isTooLong = all.reduce(0) { $0 + $1.utf8.count } > XMLReader.maximumBase
    if isTooLong {
      note("has an xml:base of more than \(XMLReader.maximumBase) bytes", isInTag: true)
    }
    bases.append(isTooLong ? [] : all)
  }

  /// Notes that something can't be read; the element that is read is not usable then.
  ///
  /// - Parameter isInTag: whether it is in the tag of an element that has not begun yet.
  mutating func note(_ fault: String, isInTag: Bool) {
    if isInTag || !open.isEmpty { self.fault = self.fault ?? fault }
  }

  mutating func add(_ text: String) {
    guard let last = open.indices.last else { return }
    count(text.utf8.count)
    if !isTooLarge { open[last].text += text }
  }

  private mutating func count(_ size: Int) {
    bytes += size
    if bytes > maximumBytes || elements > XMLReader.maximumElements { isTooLarge = true }
  }

  mutating func end() {
    depth -= 1
    scopes.removeLast()
    bases.removeLast()
    guard var element = open.popLast() else {
      path.removeLast()
      return
    }
    element.text = element.text.trimmingWhiteSpace
    if XMLRepair.hasMark(element.text) { note(XMLRepair.fault, isInTag: false) }
    if let parent = open.indices.last {
      if !isTooLarge { open[parent].children.append(element) }
      return
    }
    path.removeLast()
    let problem =
      isTooLarge
      ? "has more than \(maximumBytes) bytes, or more than \(XMLReader.maximumElements) elements"
      : fault
    fault = nil
    found.append(
      problem.map {
        .failure(XMLError(line: element.line, message: "<\(element.name)> \($0)"))
      } ?? .success(element))
  }

  /// The name with the prefix of its namespace. One whose prefix is not declared keeps it.
  private func qualified(_ name: String, isAttribute: Bool) -> String {
    let parts = name.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
    let (prefix, local) = parts.count == 2 ? (String(parts[0]), parts[1]) : ("", parts[0])
    // An attribute without a prefix has no namespace.
    if isAttribute, prefix.isEmpty { return name }
    guard let uri = scopes.last(where: { $0[prefix] != nil })?[prefix],
      let known = namespaces.prefix(of: uri)
    else { return name }
    return known.isEmpty ? String(local) : "\(known):\(local)"
  }
}

extension String {
  /// Without white space (XML 1.0, production 3) at both ends.
  fileprivate var trimmingWhiteSpace: String {
    let isSpace = { (scalar: Unicode.Scalar) in
      scalar == " " || scalar == "\t" || scalar == "\n" || scalar == "\r"
    }
    let front = unicodeScalars.drop(while: isSpace)
    guard let last = front.lastIndex(where: { !isSpace($0) }) else { return "" }
    return String(front[...last])
  }
}
