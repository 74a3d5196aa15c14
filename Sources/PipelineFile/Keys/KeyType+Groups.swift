internal import TesseraJSON
internal import TesseraText

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
