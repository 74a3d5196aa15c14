private import TesseraCExpat

/// Reads elements of an XML text that arrives in parts, by expat. The only file that uses expat.
///
/// The text may come from anyone. Nothing is fetched for it, a text that declares entities is an error, and what one element
/// takes has limits: depth, elements, and bytes. Memory does not grow with the text. HTML's names of characters are read, and
/// another entity that is not declared, or a control character, is an error of the one element that has it.
///
/// Encodings are those in which ASCII characters are one byte: UTF-8, ISO-8859-1, US-ASCII and windows-1252.
package final class XMLReader {
  /// Bytes of all `xml:base` that hold for an element.
  package static let maximumBase = 4096
  /// Levels of elements.
  package static let maximumDepth = 100
  /// Elements in one that is read.
  package static let maximumElements = 10_000

  /// Bytes of one tag or comment. Expat looks at an incomplete one again with each part that arrives.
  package static let maximumToken = 2 << 20

  private let parser: OpaquePointer?
  private var state: ElementStack
  /// Bytes so far.
  private var count = 0

  /// - Parameters:
  ///   - encoding: instead of what the text says; nil for that.
  ///   - maximumBytes: of names, attributes and text in one element that is read.
  ///   - isWanted: called with the names of an element that is not in one that is read, and of those around it, the root first.
  package init(
    encoding: String? = nil, namespaces: XMLNamespaces, maximumBytes: Int,
    isWanted: @escaping @Sendable ([String]) -> Bool
  ) {
    parser = XML_ParserCreate(encoding)
    state = ElementStack(namespaces: namespaces, maximumBytes: maximumBytes, isWanted: isWanted)
    setHandlers()
  }

  deinit { if let parser { XML_ParserFree(parser) } }

  /// The element around all others, without its children; nil before it has come.
  package var root: XMLElement? { state.root }

  /// The line that is read, from 1.
  package var line: Int { parser.map { Int(XML_GetCurrentLineNumber64($0)) } ?? 1 }

  /// The elements that these bytes complete: those that were wanted, and errors of such that are over a limit.
  package func read(
    _ bytes: [UInt8], isEnd: Bool
  ) throws(XMLError) -> [Result<XMLElement, XMLError>] {
    guard let parser else { throw XMLError(line: 1, message: "not enough memory") }
    let bytes = XMLRepair.marking(bytes)
    let status = bytes.withUnsafeBytes { bytes in
      XML_Parse(
        parser, bytes.baseAddress?.assumingMemoryBound(to: CChar.self), Int32(bytes.count),
        isEnd ? 1 : 0)
    }
    if let error = state.error { throw error }
    guard status == XML_STATUS_OK else {
      let message = XML_ErrorString(XML_GetErrorCode(parser)).map { String(cString: $0) }
      throw XMLError(line: line, message: message ?? "it is not XML")
    }
    count += bytes.count
    guard count - Int(XML_GetCurrentByteIndex64(parser)) <= Self.maximumToken else {
      throw XMLError(
        line: line, message: "a tag or a comment has more than \(Self.maximumToken) bytes")
    }
    return state.takeFound()
  }

  // MARK: Handlers

  private func setHandlers() {
    guard let parser else { return }
    // Unretained: the parser does not outlive this object, and calls back only while it reads.
    XML_SetUserData(parser, Unmanaged.passUnretained(self).toOpaque())
    XML_SetElementHandler(
      parser,
      { data, name, attributes in
        XMLReader.of(data)?.begin(name, attributes)
      }, { data, _ in XMLReader.of(data)?.end() })
    XML_SetCharacterDataHandler(parser) { data, text, count in
      guard let text, count > 0 else { return }
      let bytes = UnsafeRawBufferPointer(start: text, count: Int(count))
      XMLReader.of(data)?.state.add(String(decoding: bytes, as: UTF8.self))
    }
    setEntityHandlers(parser)
    XML_SetUnknownEncodingHandler(
      parser,
      { _, name, encoding in
        guard let name, let encoding, String(cString: name).lowercased() == "windows-1252" else {
          return 0  // XML_STATUS_ERROR
        }
        fill(&encoding.pointee.map)
        encoding.pointee.data = nil
        encoding.pointee.convert = nil
        encoding.pointee.release = nil
        return 1  // XML_STATUS_OK
      }, nil)
  }

  private func setEntityHandlers(_ parser: OpaquePointer) {
    // As if there were more declarations elsewhere, which are not read: then an unknown entity is not the end of the text.
    XML_UseForeignDTD(parser, 1)
    XML_SetSkippedEntityHandler(parser) { data, name, isParameter in
      guard let name, isParameter == 0 else { return }
      let entity = String(cString: name)
      if let character = XMLRepair.character(entity) {
        XMLReader.of(data)?.state.add(character)
      } else {
        XMLReader.of(data)?.state.note(XMLRepair.fault(of: entity), isInTag: false)
      }
    }
    // An entity may stand for any number of others, or for a file.
    XML_SetEntityDeclHandler(parser) { data, _, _, _, _, _, _, _, _ in
      XMLReader.of(data)?.reject("it declares entities, which a list has no use for")
    }
  }

  private static func of(_ data: UnsafeMutableRawPointer?) -> XMLReader? {
    data.map { Unmanaged<XMLReader>.fromOpaque($0).takeUnretainedValue() }
  }

  private func begin(
    _ name: UnsafePointer<CChar>?, _ list: UnsafeMutablePointer<UnsafePointer<CChar>?>?
  ) {
    guard let name, let list else { return }
    var attributes: [(name: String, value: String)] = []
    var index = 0
    while let name = list[index], let value = list[index + 1] {
      attributes.append((String(cString: name), String(cString: value)))
      index += 2
    }
    // Expat leaves an unknown entity out of an attribute, and says it nowhere.
    if index > 0, let entity = tag.flatMap(XMLRepair.unknownEntity) {
      state.note(XMLRepair.fault(of: entity), isInTag: true)
    }
    state.begin(String(cString: name), attributes, line: line)
    if state.depth > Self.maximumDepth {
      reject("elements are nested more than \(Self.maximumDepth) deep")
    }
  }

  /// The bytes of the tag that is read.
  private var tag: UnsafeRawBufferPointer? {
    var (start, size): (Int32, Int32) = (0, 0)
    guard let parser, let bytes = XML_GetInputContext(parser, &start, &size) else { return nil }
    let count = min(XML_GetCurrentByteCount(parser), size - start)
    return UnsafeRawBufferPointer(start: bytes + Int(start), count: Int(max(count, 0)))
  }

  private func end() { state.end() }

  private func reject(_ message: String) {
    state.error = state.error ?? XMLError(line: line, message: message)
    if let parser { XML_StopParser(parser, 0) }
  }
}

/// The code points of windows-1252 (WHATWG Encoding): those of ISO-8859-1 but for 0x80 to 0x9F.
private func fill<Map>(_ map: inout Map) {
  let others: [Int32] = [
    0x20AC, 0x81, 0x201A, 0x0192, 0x201E, 0x2026, 0x2020, 0x2021, 0x02C6, 0x2030, 0x0160, 0x2039,
    0x0152, 0x8D, 0x017D, 0x8F, 0x90, 0x2018, 0x2019, 0x201C, 0x201D, 0x2022, 0x2013, 0x2014,
    0x02DC, 0x2122, 0x0161, 0x203A, 0x0153, 0x9D, 0x017E, 0x0178,
  ]
  withUnsafeMutableBytes(of: &map) { bytes in
    let points = bytes.bindMemory(to: Int32.self)
    for byte in points.indices {
      points[byte] = (0x80..<0xA0).contains(byte) ? others[byte - 0x80] : Int32(byte)
    }
  }
}

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

/// An element of an XML text, with everything in it.
///
/// Names have the prefix that ``XMLNamespaces`` has for their namespace, whatever the text calls it.
package struct XMLElement: Sendable, Equatable {
  package var name: String
  package var attributes: [(name: String, value: String)]
  package var children: [XMLElement]
  /// The text in it, without that of its children and without white space at both ends.
  package var text: String
  /// The line on which it begins, from 1.
  package var line: Int
  /// What `xml:base` says on it and on the elements around it (XML Base), the outermost first. Each is relative to those before.
  package var bases: [String]

  package init(
    _ name: String, attributes: [(name: String, value: String)] = [], line: Int = 1,
    bases: [String] = []
  ) {
    (self.name, self.attributes, self.line, self.bases) = (name, attributes, line, bases)
    (children, text) = ([], "")
  }

  package subscript(attribute: String) -> String? {
    attributes.first { $0.name == attribute }?.value
  }

  package static func == (one: Self, other: Self) -> Bool {
    (one.name, one.children, one.text, one.line, one.bases)
      == (other.name, other.children, other.text, other.line, other.bases)
      && one.attributes.elementsEqual(other.attributes) { $0 == $1 }
  }
}

/// Prefixes for namespaces (Namespaces in XML 1.0), by their URIs.
package struct XMLNamespaces: Sendable {
  private let prefixes: [String: String]

  /// - Parameter prefixes: by URIs; those that differ in case, or in a slash at the end, are the same.
  package init(_ prefixes: [String: String]) {
    self.prefixes = Dictionary(prefixes.map { (Self.key($0), $1) }) { first, _ in first }
  }

  /// Nil for a namespace that has none.
  func prefix(of uri: String) -> String? { prefixes[Self.key(uri)] }

  private static func key(_ uri: String) -> String {
    let lower = uri.lowercased()
    return lower.hasSuffix("/") ? String(lower.dropLast()) : lower
  }
}

/// Why an XML text is not read further.
package struct XMLError: Error, Sendable, Equatable {
  package var line: Int
  /// A clause without its full stop.
  package var message: String
}
