internal import TesseraJSON
internal import TesseraText

/// What the value of a key may be: how it is read, and how a JSON Schema states it.
struct KeyType<Value: Sendable>: Sendable {
  /// Completes "must be …" in messages.
  let expected: String
  /// A JSON Schema; of a group that has this value as its default.
  let schema: @Sendable (Value) -> JSONValue
  /// The value of a node, from the value that the key has had; nil if a mistake was reported.
  let read: @Sendable (YAMLNode, KeyPlace, Value) -> Value?
  /// The value as a file has it; nil for what no file can say.
  let json: @Sendable (Value) -> JSONValue?
  /// The keys of a group.
  var keys: [Key<Value>] = []
  /// The value of a text; nil for types that are not one text.
  var parse: (@Sendable (_ text: String, _ folder: String) -> Value?)?

  /// The value in a fingerprint: compact JSON.
  func text(_ value: Value) -> String {
    guard let json = json(value) else { return "" }
    var writer = JSONWriter()
    writer.value(json)
    return writer.text
  }
}

extension KeyType {
  /// A value in one text, in which `${NAME}` is a variable of the environment.
  ///
  /// - Parameters:
  ///   - expected: completes "must be …".
  ///   - schema: of a value without variables.
  @_semantics("optimize.sil.specialize.generic.never")
  static func scalar(
    _ expected: String, schema: JSONValue, json: @escaping @Sendable (Value) -> JSONValue?,
    parse: @escaping @Sendable (String) -> Value?
  ) -> KeyType {
    scalar(expected, schema: schema, json: json) { text, _ in parse(text) }
  }

  /// - Parameter parse: also gets the folder that relative paths are below.
  @_semantics("optimize.sil.specialize.generic.never")
  static func scalar(
    _ expected: String, schema: JSONValue, json: @escaping @Sendable (Value) -> JSONValue?,
    parse: @escaping @Sendable (String, _ folder: String) -> Value?
  ) -> KeyType {
    KeyType(
      expected: expected, schema: { _ in orVariable(schema) },
      read: { node, place, _ in
        guard let text = place.context.text(node, "\"\(place.name)\"", expected: expected) else {
          return nil
        }
        if let value = parse(text, place.context.folder) { return value }
        // The node's kind and not `text`, which may hold a secret of the environment.
        place.report(node.mark, "must be \(expected), found \(node.kind)")
        return nil
      }, json: json, parse: parse)
  }

  /// A JSON Schema of a value that may also be a variable of the environment.
  static func orVariable(_ schema: JSONValue) -> JSONValue {
    ["anyOf": [schema, ["$ref": "#/$defs/variable"]]]
  }

  /// The same values as another type.
  @_semantics("optimize.sil.specialize.generic.never")
  func mapped<Other: Sendable>(
    _ to: @escaping @Sendable (Value) -> Other, from: @escaping @Sendable (Other) -> Value
  ) -> KeyType<Other> {
    KeyType<Other>(
      expected: expected, schema: { schema(from($0)) },
      read: { node, place, current in read(node, place, from(current)).map(to) },
      json: { json(from($0)) })
  }

  /// A value, or none: what the key has without being in the file, and with a word if there is one for it.
  @_semantics("optimize.sil.specialize.generic.never")
  static func optional<Wrapped>(
    _ type: KeyType<Wrapped>, word: String? = nil, initial: Wrapped
  ) -> KeyType where Value == Wrapped? {
    guard let word else {
      return KeyType(
        expected: type.expected, schema: { type.schema($0 ?? initial) },
        read: { node, place, current in
          type.read(node, place, current ?? initial).map { .some($0) }
        }, json: { $0.flatMap(type.json) })
    }
    let schema = JSONValue.object([
      .init("anyOf", [["const": .string(word)], type.schema(initial)])
    ])
    return scalar(
      "\"\(word)\" or \(type.expected)", schema: schema,
      json: { $0.map(type.json) ?? .string(word) },
      parse: { text, folder in
        // .some(nil) is the word; nil is a mistake.
        text == word ? .some(nil) : type.parse?(text, folder).map { .some($0) }
      })
  }

  /// A group of keys, or one value in its place.
  @_semantics("optimize.sil.specialize.generic.never")
  static func either(_ scalar: KeyType, or group: KeyType) -> KeyType {
    KeyType(
      expected: scalar.expected,
      schema: { ["anyOf": [scalar.schema($0), group.schema($0)]] },
      read: { node, place, current in
        if case .mapping = node.content { return group.read(node, place, current) }
        return scalar.read(node, place, current)
      }, json: group.json)
  }
}
