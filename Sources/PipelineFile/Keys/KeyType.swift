package import TesseraJSON
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

/// One key of the pipeline file, declared once: its type, where it is stored, what it shapes and what it is for.
///
/// Everything that is said of a key comes from its declaration: the decoder with its messages, the JSON Schema, the
/// manual page, the list in `Pipelines/KEYS.md`, and the fingerprints. Its default is the stored property's.
///
/// `Root` is what the key's group is stored in.
///
/// What makes keys and their types is compiled once, and not for each type of value (`specialize.generic.never`): that was an
/// eighth of the machine code, and a third of the time that this module takes to build.
struct Key<Root: Sendable>: Sendable {
  let name: String
  /// The name that it had in the minor version before, which still works, with a warning; nil if it is not a renamed key.
  let formerly: String?
  let isRequired: Bool
  /// Reads the key of a group, if the file has it.
  let read: @Sendable (KeyGroup, inout Root) -> Void
  /// The value as a file has it; nil for what no file can say.
  let json: @Sendable (Root) -> JSONValue?
  let note: @Sendable (Root) -> KeyNote
  /// What ``PipelineFile/shape(_:)`` has of the key and of the keys below it.
  let lines: @Sendable (Root, _ prefix: String, Set<Shaping>) -> [String]
  /// The paths of the key, or of those below it, that need something.
  let paths: @Sendable (_ prefix: String, Need) -> [String]
  /// What a group lacks without the key: "a path".
  let expected: String

  /// - Parameters:
  ///   - storage: where the value is. What is there before the file is read is the default.
  ///   - shapes: what changes with the value; a group's keys say so themselves.
  ///   - formerly: the name that it had in the minor version before.
  ///   - example: a value for documentation, for a key without a default.
  ///   - use: who needs it; of a key at the top.
  @_semantics("optimize.sil.specialize.generic.never")
  init<Value>(
    _ name: String, _ type: KeyType<Value>, _ storage: any WritableKeyPath<Root, Value> & Sendable,
    shapes: Shaping = .nothing, needs: Need? = nil, isRequired: Bool = false,
    formerly: String? = nil, example: JSONValue? = nil, use: KeyUse = .everyday, _ about: String
  ) {
    (self.name, self.isRequired, expected) = (name, isRequired, type.expected)
    self.formerly = formerly
    read = { group, root in
      guard let node = group.node(name) else { return }
      let place = KeyPlace("\(group.prefix)\(name)", group.context)
      if let value = type.read(node, place, root[keyPath: storage]) {
        root[keyPath: storage] = value
      }
    }
    json = { type.json($0[keyPath: storage]) }
    note = { root in
      let value = root[keyPath: storage]
      return KeyNote(
        name: name, isRequired: isRequired, about: about, schema: type.schema(value),
        shapes: shapes,
        standard: isRequired || !type.keys.isEmpty ? nil : type.json(value), example: example,
        isConditional: needs == .search, use: use, members: type.keys.map { $0.note(value) })
    }
    lines = { root, prefix, wanted in
      let value = root[keyPath: storage]
      let own = wanted.contains(shapes) ? ["\(prefix)\(name) \(type.text(value))"] : []
      return own + type.keys.flatMap { $0.lines(value, "\(prefix)\(name).", wanted) }
    }
    paths = { prefix, need in
      (needs == need ? ["\(prefix)\(name)"] : [])
        + type.keys.flatMap { $0.paths("\(prefix)\(name).", need) }
    }
  }
}

/// What has to be there for a key to have an effect.
enum Need: Sendable {
  /// Files that a run makes, and not an image service.
  case files
  /// A quality that is found for each image.
  case search
}

extension KeyType {
  /// A group of keys, each of which is stored in the value.
  ///
  /// - Parameters:
  ///   - rule: what a JSON Schema says of several keys together.
  ///   - check: looks at the value as a whole; nil if it reported a mistake.
  @_semantics("optimize.sil.specialize.generic.never")
  static func group(
    _ keys: [Key<Value>], isOptional: Bool = true, rule: [JSONValue.Member] = [],
    check: @escaping @Sendable (Value, KeyGroup) -> Value? = { value, _ in value }
  ) -> KeyType {
    KeyType(
      expected: "a group of keys",
      schema: { value in
        schema(of: keys.map { $0.note(value) }, keys, isOptional: isOptional).with(rule)
      },
      read: { node, place, current in
        var group = KeyGroup(node, at: place)
        for key in keys { if let former = key.formerly { group.rename(former, to: key.name) } }
        var value = current
        for key in keys { key.read(group, &value) }
        group.finish(known: keys.map(\.name))
        let missing = keys.filter { $0.isRequired && group.node($0.name) == nil }
        for key in missing {
          group.context.report(
            group.mark,
            "the key \"\(group.prefix)\(key.name)\" is missing; it must be \(key.expected)")
        }
        return missing.isEmpty ? check(value, group) : nil
      },
      json: { value in
        .object(
          keys.compactMap { key in key.json(value).map { JSONValue.Member(key.name, $0) } })
      }, keys: keys)
  }

  private static func schema(
    of notes: [KeyNote], _ keys: [Key<Value>], isOptional: Bool
  ) -> JSONValue {
    let required = keys.filter { $0.isRequired && $0.formerly == nil }
      .map { JSONValue.string($0.name) }
    let former = zip(keys, notes).compactMap { key, note in
      key.formerly.map { JSONValue.Member($0, note.schema.with([.init("deprecated", true)])) }
    }
    return JSONValue.object([
      .init("type", isOptional ? ["object", "null"] : "object"),
      .init("additionalProperties", false),
    ]).with(required.isEmpty ? [] : [.init("required", .array(required))])
      .with([.init("properties", .object(notes.map { .init($0.name, $0.wholeSchema) } + former))])
  }

  /// Values by names of the user's, sorted by name, so that the order in the file has no effect.
  ///
  /// - Parameters:
  ///   - one: what there must be at least one of.
  ///   - initial: the value that a named group begins with.
  ///   - check: looks at a name and its value; nil if it reported a mistake.
  static func names<Element: Sendable>(
    of type: KeyType<Element>, one: String, expected: String,
    initial: @escaping @Sendable (_ name: String) -> Element,
    check: @escaping @Sendable (Element, KeyPlace, _ name: Mark) -> Element? = { value, _, _ in
      value
    }
  ) -> KeyType where Value == [String: Element] {
    KeyType(
      expected: expected,
      schema: { _ in
        [
          "type": "object", "minProperties": 1,
          "additionalProperties": type.schema(initial("")),
        ]
      },
      read: { node, place, _ in
        let group = KeyGroup(node, at: place)
        if group.names.isEmpty {
          place.report(group.mark, "must name at least one \(one)")
        }
        var values: [String: Element] = [:]
        for (name, pair) in group.names {
          let inner = KeyPlace("\(group.prefix)\(name)", group.context)
          values[name] = type.read(pair.value, inner, initial(name)).flatMap {
            check($0, inner, pair.key.mark)
          }
        }
        return values
      },
      json: { values in
        values.isEmpty
          ? nil
          : .object(
            values.sorted { $0.key < $1.key }.compactMap { name, value in
              type.json(value).map { JSONValue.Member(name, $0) }
            })
      })
  }

  /// A list; a single value counts as a list of one.
  ///
  /// - Parameters:
  ///   - one: what there must be at least one of; nil if the list may be empty.
  ///   - isUnique: whether naming a value twice is a mistake.
  @_semantics("optimize.sil.specialize.generic.never")
  static func list<Element: Sendable & Equatable>(
    of type: KeyType<Element>, initial: Element, one: String? = nil, isUnique: Bool = false,
    acceptsOne: Bool = true, alternative: String = ""
  ) -> KeyType where Value == [Element] {
    KeyType(
      expected: "a list",
      schema: { _ in
        let element = type.schema(initial)
        let array = JSONValue.object([.init("type", "array")])
          .with(one == nil ? [] : [.init("minItems", 1)])
          .with(isUnique ? [.init("uniqueItems", true)] : [])
          .with([.init("items", element)])
        return acceptsOne ? ["anyOf": [element, array]] : array
      },
      read: { node, place, _ in
        let nodes: [YAMLNode]
        switch node.content {
        case .sequence(let list): nodes = list
        case .scalar where acceptsOne && !node.isEmpty: nodes = [node]
        default:
          place.report(node.mark, "must be a list, found \(node.kind)")
          return nil
        }
        if let one, nodes.isEmpty {
          place.report(node.mark, "must have at least one \(one)\(alternative)")
        }
        var values: [Element] = []
        for node in nodes {
          guard let value = type.read(node, place, initial) else { continue }
          if isUnique, values.contains(value) {
            place.report(node.mark, "names \(type.json(value)?.plain ?? "") twice")
          } else {
            values.append(value)
          }
        }
        return values
      },
      json: { values in
        let all = values.compactMap(type.json)
        return acceptsOne && all.count == 1 ? all[0] : .array(all)
      })
  }
}

extension KeyNote {
  /// The schema of the key, with what documentation says of it.
  var wholeSchema: JSONValue {
    schema.with(standard.map { [.init("default", $0)] } ?? [])
      .with([.init("description", .string(about))])
      .with(members.isEmpty ? [.init("$comment", .string("shapes: \(shapes.rawValue)"))] : [])
  }
}

extension JSONValue {
  /// A text without its quotes, or a number.
  fileprivate var plain: String {
    if case .number(let text) = self { text } else { stringValue ?? "" }
  }
}

/// What documentation has of a key.
package struct KeyNote: Sendable {
  package let name: String
  package let isRequired: Bool
  /// What the key is for, in one sentence or two.
  package let about: String
  /// A JSON Schema of its values.
  package let schema: JSONValue
  package let shapes: Shaping
  /// The default; nil for none.
  package let standard: JSONValue?
  package let example: JSONValue?
  /// Whether a file may have the key only with other ones.
  let isConditional: Bool
  /// Who needs it; a member of a group has that of its group.
  package let use: KeyUse
  /// The keys of a group.
  package let members: [KeyNote]
}

/// Who needs a key: by this, lists of keys are divided.
package enum KeyUse: String, Sendable, CaseIterable {
  /// A person who writes a pipeline.
  case everyday = "Every day"
  /// One who keeps it running: guards, limits, places.
  case operation = "Operation"
  /// One who wants fewer bytes, fewer requests or more speed.
  case tuning = "Tuning"
}

/// What changes with the value of a key.
package enum Shaping: String, Sendable {
  /// Only how a run works: what it requests, when, and how fast.
  case nothing
  /// The files, and so the entries of images.
  case files
  /// The entries of images, but no file.
  case entries
  /// The catalog around its entries.
  case catalog
  /// Whether a source is accepted that an earlier run rejected.
  case acceptance
}

/// The place of a value in the pipeline file.
struct KeyPlace {
  /// All of the key's names: `fetch.timeout`.
  let name: String
  let context: DecodingContext

  init(_ name: String, _ context: DecodingContext) { (self.name, self.context) = (name, context) }

  /// Reports a mistake of the value: `"fetch.timeout" MESSAGE`.
  func report(_ mark: Mark, _ message: String) { context.report(mark, "\"\(name)\" \(message)") }
}
