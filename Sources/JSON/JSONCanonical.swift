/// Canonical JSON (RFC 8785): members sorted by the UTF-16 code units of their names, no white space,
/// numbers and strings as ECMAScript writes them. Two texts with equal values have equal bytes.
///
/// Integers of up to 64 bits keep all their digits, which the RFC would round to a Double.
package enum JSONCanonical {
  /// Appends a string.
  package static func append(_ text: String, to bytes: inout [UInt8]) {
    // RFC 8785, section 3.2.2.2. `JSONWriter` escapes fewer characters by name, and DEL as well.
    bytes.append(UInt8(ascii: "\""))
    for byte in text.utf8 {
      switch byte {
      case UInt8(ascii: "\""), UInt8(ascii: "\\"): bytes += [UInt8(ascii: "\\"), byte]
      case 0x08: bytes += "\\b".utf8
      case 0x09: bytes += "\\t".utf8
      case 0x0A: bytes += "\\n".utf8
      case 0x0C: bytes += "\\f".utf8
      case 0x0D: bytes += "\\r".utf8
      case 0..<0x20:
        bytes += "\\u00\(byte < 16 ? "0" : "")\(String(byte, radix: 16))".utf8
      default: bytes.append(byte)
      }
    }
    bytes.append(UInt8(ascii: "\""))
  }

  /// A number as ECMAScript's Number::toString writes it (ECMA-262, section 6.1.6.1.20).
  ///
  /// Swift and ECMAScript both write the shortest digits that identify the Double. They differ in
  /// where they put the decimal point and when they use an exponent.
  package static func text(of number: Double) -> String {
    guard number.isFinite else { return "null" }
    // Also for -0: ECMAScript writes both as 0.
    if number == 0 { return "0" }
    if number < 0 { return "-" + text(of: -number) }
    let parts = "\(number)".split(separator: "e")
    let mantissa = parts[0].split(separator: ".", omittingEmptySubsequences: false)
    let fraction = mantissa.count > 1 && mantissa[1] != "0" ? mantissa[1] : ""
    var digits = Array((mantissa[0] + fraction).utf8)
    // The value is 0.DIGITS times ten to this power.
    var point = mantissa[0].utf8.count + (parts.count > 1 ? Int(parts[1]) ?? 0 : 0)
    while digits.first == UInt8(ascii: "0") {
      digits.removeFirst()
      point -= 1
    }
    while digits.last == UInt8(ascii: "0") { digits.removeLast() }
    let text = String(decoding: digits, as: UTF8.self)
    func zeros(_ count: Int) -> String { String(repeating: "0", count: count) }
    // 21 and -5 are the limits of ECMA-262, beyond which it uses an exponent.
    switch point {
    case digits.count...21 where point >= digits.count: return text + zeros(point - digits.count)
    case 1...21: return "\(text.prefix(point)).\(text.dropFirst(point))"
    case -5...0: return "0.\(zeros(-point))\(text)"
    default:
      let exponent = point - 1
      let (first, rest) = (text.prefix(1), text.dropFirst())
      return "\(first)\(rest.isEmpty ? "" : ".")\(rest)e\(exponent < 0 ? "-" : "+")\(abs(exponent))"
    }
  }

  /// A number in the spelling of a JSON text.
  static func text(of number: String) -> String {
    if let whole = Int(number) { return String(whole) }
    // The text is a number in JSON, and Swift reads all of those.
    guard let value = Double(number) else { return "null" }
    // One that no Double can hold becomes the largest one.
    guard value.isFinite else {
      return text(of: value < 0 ? -Double.greatestFiniteMagnitude : .greatestFiniteMagnitude)
    }
    return Int(exactly: value).map { String($0) } ?? text(of: value)
  }

  /// The canonical form of an object with one more member, an array, in two parts: the elements belong between them,
  /// separated by commas. For an array that does not fit in memory.
  ///
  /// - Parameters:
  ///   - object: the object without the array.
  ///   - ignored: members that are left out.
  package static func frame(
    of object: [UInt8], around array: String, without ignored: Set<String>
  ) throws(JSONScanner.Failure) -> (before: [UInt8], after: [UInt8]) {
    var found: [(name: String, text: [UInt8])] = []
    var scanner = JSONScanner(object)
    try scanner.members { scanner, name, _ throws(JSONScanner.Failure) in
      var text: [UInt8] = []
      append(name, to: &text)
      text.append(UInt8(ascii: ":"))
      try scanner.canonical(to: &text)
      if name != array, !ignored.contains(name) { found.append((name, text)) }
    }
    found.sort { precedes($0.name, $1.name) }
    let (first, rest) = (
      found.prefix { precedes($0.name, array) }, found.drop { precedes($0.name, array) }
    )
    var before = [UInt8(ascii: "{")]
    for member in first { before += member.text + [UInt8(ascii: ",")] }
    append(array, to: &before)
    before += ":[".utf8
    var after = [UInt8(ascii: "]")]
    for member in rest { after += [UInt8(ascii: ",")] + member.text }
    return (before, after + [UInt8(ascii: "}")])
  }

  /// Whether a member comes before another one.
  package static func precedes(_ one: String, _ other: String) -> Bool {
    one.utf16.lexicographicallyPrecedes(other.utf16)
  }
}

extension JSONScanner {
  /// Reads a value of any kind, and appends it in its canonical form.
  package mutating func canonical(to output: inout [UInt8]) throws(Failure) {
    var members: [CanonicalMember] = []
    try canonical(to: &output, &members, depth: 0)
  }

  /// - Parameter members: those of the objects around the value, and room for its own.
  private mutating func canonical(
    to output: inout [UInt8], _ members: inout [CanonicalMember], depth: Int
  ) throws(Failure) {
    switch try kind(depth: depth) {
    case .object: try canonicalObject(to: &output, &members, depth: depth)
    case .array:
      output.append(UInt8(ascii: "["))
      var isFirst = true
      try array { scanner throws(Failure) in
        if !isFirst { output.append(UInt8(ascii: ",")) }
        isFirst = false
        try scanner.canonical(to: &output, &members, depth: depth + 1)
      }
      output.append(UInt8(ascii: "]"))
    case .string: try canonicalString(to: &output)
    case .number: try canonicalNumber(to: &output)
    case .bool(let flag): output += (flag ? "true" : "false").utf8
    case .null: output += "null".utf8
    }
  }

  /// One member of an object, in the output.
  private struct CanonicalMember {
    /// Whether its name is ASCII without an escape, as most are: then its bytes have the order of its code units.
    let isPlain: Bool
    /// The bytes of its name, with quotes, and of the whole member.
    let name: Range<Int>
    let text: Range<Int>
    /// The first eight bytes of its name as a number: most names differ in them.
    let beginning: UInt64

    init(_ name: Range<Int>, _ end: Int, isPlain: Bool, in output: [UInt8]) {
      (self.isPlain, self.name, text) = (isPlain, name, name.lowerBound..<end)
      let first = name.lowerBound + 1
      let last = min(name.upperBound - 1, first + 8)
      beginning =
        output[first..<last].reduce(0) { $0 << 8 | UInt64($1) } << UInt64(8 * (8 - (last - first)))
    }
  }

  private mutating func canonicalObject(
    to output: inout [UInt8], _ members: inout [CanonicalMember], depth: Int
  ) throws(Failure) {
    output.append(UInt8(ascii: "{"))
    let (start, first) = (output.count, members.count)
    var isSorted = true
    try beginObject()
    while try beginMember(isFirst: members.count == first) {
      if members.count > first { output.append(UInt8(ascii: ",")) }
      let member = try canonicalMember(to: &output, &members, depth: depth)
      if members.count > first, let last = members.last, !Self.precedes(last, member, in: output) {
        isSorted = false
      }
      members.append(member)
    }
    if !isSorted {
      members[first...].sort { Self.precedes($0, $1, in: output) }
      Self.arrange(members[first...], in: &output, from: start)
    }
    members.removeSubrange(first...)
    output.append(UInt8(ascii: "}"))
  }

  private mutating func canonicalMember(
    to output: inout [UInt8], _ members: inout [CanonicalMember], depth: Int
  ) throws(Failure) -> CanonicalMember {
    let (start, begin) = (offset, output.count)
    if depth + 1 < Self.maximumDepth, let name = plainMember() {
      output += bytes[start..<offset]
      return CanonicalMember(
        begin..<begin + name.count, output.count, isPlain: true, in: output)
    }
    let plain = plainString()
    if let plain { output += bytes[plain] } else { JSONCanonical.append(try string(), to: &output) }
    let name = begin..<output.count
    try endName()
    output.append(UInt8(ascii: ":"))
    try canonical(to: &output, &members, depth: depth + 1)
    return CanonicalMember(name, output.count, isPlain: plain != nil, in: output)
  }

  private static func precedes(
    _ one: CanonicalMember, _ other: CanonicalMember, in output: [UInt8]
  ) -> Bool {
    guard one.isPlain, other.isPlain else {
      func name(_ member: CanonicalMember) -> String {
        var scanner = JSONScanner(output, member.name)
        return (try? scanner.string()) ?? ""
      }
      return JSONCanonical.precedes(name(one), name(other))
    }
    if one.beginning != other.beginning { return one.beginning < other.beginning }
    // Without the quotes.
    var (first, second) = (one.name.lowerBound + 1, other.name.lowerBound + 1)
    while first < one.name.upperBound - 1, second < other.name.upperBound - 1 {
      if output[first] != output[second] { return output[first] < output[second] }
      (first, second) = (first + 1, second + 1)
    }
    return second < other.name.upperBound - 1
  }

  /// Puts members, which fill the end of the output, into their order.
  private static func arrange(
    _ members: ArraySlice<CanonicalMember>, in output: inout [UInt8], from start: Int
  ) {
    let unsorted = Array(output[start...])
    output.removeSubrange(start...)
    for member in members {
      if output.count > start { output.append(UInt8(ascii: ",")) }
      output += unsorted[member.text.lowerBound - start..<member.text.upperBound - start]
    }
  }

  private mutating func canonicalString(to output: inout [UInt8]) throws(Failure) {
    skipSpace()
    if let text = plainString() {
      output += bytes[text]
    } else {
      JSONCanonical.append(try string(), to: &output)
    }
  }

  /// Reads a string that has nothing to escape, as most have: its text is canonical as it is. Returns where it is, with its
  /// quotes; nil, and nothing is read, if it is another one.
  mutating func plainString() -> Range<Int>? {
    var index = offset + 1
    while index < end, bytes[index] != UInt8(ascii: "\""), bytes[index] != UInt8(ascii: "\\"),
      (0x20..<0x80).contains(bytes[index])
    { index += 1 }
    guard index < end, bytes[index] == UInt8(ascii: "\"") else { return nil }
    defer { offset = index + 1 }
    return offset..<index + 1
  }

  private mutating func canonicalNumber(to output: inout [UInt8]) throws(Failure) {
    skipSpace()
    if let number = plainNumber() {
      output += bytes[number]
    } else {
      output += JSONCanonical.text(of: try number()).utf8
    }
  }

  /// Reads a short row of digits, which is a whole number in its shortest form. Nil, and nothing is read, if it is another
  /// number.
  mutating func plainNumber() -> Range<Int>? {
    var index = offset
    while index < end, (0x30...0x39).contains(bytes[index]) { index += 1 }
    let next = index < end ? bytes[index] : UInt8(ascii: ",")
    guard (1...18).contains(index - offset), bytes[offset] != 0x30 || index == offset + 1,
      next != UInt8(ascii: "."), next != UInt8(ascii: "e"), next != UInt8(ascii: "E")
    else { return nil }
    defer { offset = index }
    return offset..<index
  }

  /// Reads a member of a plain name and a plain value with no space around them: its text is canonical as it is. Returns where
  /// its name is; nil, and nothing is read, if it is another one.
  private mutating func plainMember() -> Range<Int>? {
    let start = offset
    if let name = plainString(), take(":"), isPlainScalar(), let next = peek,
      next == UInt8(ascii: ",") || next == UInt8(ascii: "}")
    {
      return name
    }
    offset = start
    return nil
  }

  private mutating func isPlainScalar() -> Bool {
    switch peek {
    case UInt8(ascii: "\""): plainString() != nil
    case UInt8(ascii: "t"): take(word: "true")
    case UInt8(ascii: "f"): take(word: "false")
    case UInt8(ascii: "n"): take(word: "null")
    default: plainNumber() != nil
    }
  }
}
