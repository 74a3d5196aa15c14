/// JSON that is written in code, as a JSON Schema is.

extension JSONValue: ExpressibleByStringLiteral {
  package init(stringLiteral text: String) { self = .string(text) }
}

extension JSONValue: ExpressibleByIntegerLiteral {
  package init(integerLiteral number: Int) { self = .int(number) }
}

extension JSONValue: ExpressibleByBooleanLiteral {
  package init(booleanLiteral flag: Bool) { self = .bool(flag) }
}

extension JSONValue: ExpressibleByArrayLiteral {
  package init(arrayLiteral values: JSONValue...) { self = .array(values) }
}

extension JSONValue: ExpressibleByDictionaryLiteral {
  package init(dictionaryLiteral members: (String, JSONValue)...) {
    self = .object(members.map { Member($0.0, $0.1) })
  }
}

extension JSONValue {
  /// The object with more members at its end.
  package func with(_ members: [Member]) -> JSONValue {
    guard case .object(let own) = self else { return self }
    return .object(own + members)
  }

  /// The object with the members of another one at its end.
  package func with(_ other: JSONValue) -> JSONValue {
    guard case .object(let members) = other else { return self }
    return with(members)
  }
}
