private import TesseraCYAML

/// The events of a YAML text, from libyaml's parser. The only file that uses libyaml.
struct YAMLEvents: ~Copyable {
  struct Event {
    enum Kind {
      case scalar(String, isQuoted: Bool)
      case alias(String)
      case sequenceStart, sequenceEnd, mappingStart, mappingEnd, documentStart, streamEnd, other
    }

    var kind: Kind
    var mark: Mark
    var anchor: String?
  }

  private let parser: UnsafeMutablePointer<yaml_parser_t>
  private let text: UnsafeMutableBufferPointer<UInt8>

  init(_ bytes: [UInt8]) throws(Diagnostic) {
    parser = .allocate(capacity: 1)
    text = .allocate(capacity: max(1, bytes.count))
    _ = text.update(fromContentsOf: bytes)
    guard yaml_parser_initialize(parser) == 1 else {
      parser.deallocate()
      text.deallocate()
      throw Diagnostic(Mark(line: 1, column: 1), "not enough memory to read the file")
    }
    // libyaml keeps the pointer, so the text must live as long as the parser.
    yaml_parser_set_input_string(parser, text.baseAddress, bytes.count)
  }

  deinit {
    yaml_parser_delete(parser)
    parser.deallocate()
    text.deallocate()
  }

  mutating func next() throws(Diagnostic) -> Event {
    var event = yaml_event_t()
    guard yaml_parser_parse(parser, &event) == 1 else { throw syntaxError() }
    // libyaml frees the strings of the event here, so the result has copies of them.
    defer { yaml_event_delete(&event) }
    let start = event.start_mark
    // libyaml counts from 0.
    var result = Event(
      kind: .other, mark: Mark(line: Int(start.line) + 1, column: Int(start.column) + 1))
    switch event.type {
    case YAML_SCALAR_EVENT:
      let scalar = event.data.scalar
      let bytes = UnsafeBufferPointer(start: scalar.value, count: scalar.length)
      result.kind = .scalar(
        String(decoding: bytes, as: UTF8.self), isQuoted: scalar.style != YAML_PLAIN_SCALAR_STYLE)
      result.anchor = scalar.anchor.map { String(cString: $0) }
    case YAML_ALIAS_EVENT:
      result.kind = .alias(event.data.alias.anchor.map { String(cString: $0) } ?? "")
    case YAML_SEQUENCE_START_EVENT:
      result.kind = .sequenceStart
      result.anchor = event.data.sequence_start.anchor.map { String(cString: $0) }
    case YAML_SEQUENCE_END_EVENT: result.kind = .sequenceEnd
    case YAML_MAPPING_START_EVENT:
      result.kind = .mappingStart
      result.anchor = event.data.mapping_start.anchor.map { String(cString: $0) }
    case YAML_MAPPING_END_EVENT: result.kind = .mappingEnd
    case YAML_DOCUMENT_START_EVENT: result.kind = .documentStart
    case YAML_STREAM_END_EVENT: result.kind = .streamEnd
    default: break
    }
    return result
  }

  /// libyaml's own message, and what to do about the most common mistakes, which it describes in the
  /// terms of its grammar. At the position where it stopped.
  private func syntaxError() -> Diagnostic {
    var at = parser.pointee.problem_mark
    var message = parser.pointee.problem.map { String(cString: $0) } ?? "not valid YAML"
    if let context = parser.pointee.context { message += " \(String(cString: context))" }
    if message.hasSuffix("while parsing a block mapping") {
      message += "; keys of one group must begin in the same column"
    } else if message.hasSuffix("while scanning a simple key") {
      // It stops below the line without a colon.
      at = parser.pointee.context_mark
    } else if message.hasPrefix("mapping values are not allowed"),
      let mark = keyWithoutBlank(before: Int(at.line))
    {
      return Diagnostic(mark, "a blank is missing between the colon and the value")
    } else if isTab(at) {
      message += "; indent with spaces, not with tabs"
    }
    // For an invalid encoding libyaml reports an offset in bytes, but no line.
    if parser.pointee.error == YAML_READER_ERROR {
      let before = text.prefix(Int(parser.pointee.problem_offset))
      let line = before.count { $0 == UInt8(ascii: "\n") } + 1
      let start = before.lastIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? 0
      let column = String(decoding: before[start...], as: UTF8.self).unicodeScalars.count + 1
      return Diagnostic(Mark(line: line, column: column), message)
    }
    return Diagnostic(Mark(line: Int(at.line) + 1, column: Int(at.column) + 1), message)
  }

  /// Where a line before the one at which libyaml stopped has a value right behind its key's colon, which is a scalar of YAML:
  /// `manifest:list.csv`.
  private func keyWithoutBlank(before line: Int) -> Mark? {
    let lines = text.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
    for number in stride(from: min(line, lines.count) - 1, through: 0, by: -1) {
      let text = String(decoding: lines[number], as: UTF8.self)
      guard let match = text.prefixMatch(of: /( *[a-z-]+:)[^ \/]/) else { continue }
      return Mark(line: number + 1, column: match.1.count + 1)
    }
    return nil
  }

  private func isTab(_ mark: yaml_mark_t) -> Bool {
    // Not its index, which counts characters.
    let line = text.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
      .dropFirst(Int(mark.line)).first
    let rest = line.map { String(decoding: $0, as: UTF8.self).unicodeScalars }
    return rest?.dropFirst(Int(mark.column)).first == "\t"
  }
}
