internal import TesseraJSON

/// The way to a member of a JSON object: `image`, `image.src`, `images[0].src`, and
/// `images[].src` or `images.src` for those of all elements.
struct MemberPath: Sendable, Equatable {
  private enum Step: Sendable, Equatable {
    case name(String)
    case index(Int)
    case all
  }

  private let text: String
  private let steps: [Step]

  /// The member of the object itself in which the way begins.
  let first: String

  /// Nil for a text that is no path, such as `images[x]`.
  init?(_ text: String) {
    var steps: [Step] = []
    for piece in text.split(separator: ".", omittingEmptySubsequences: false) {
      let name = piece.prefix { $0 != "[" }
      if !name.isEmpty { steps.append(.name(String(name))) }
      var rest = piece.dropFirst(name.count)
      if name.isEmpty, rest.isEmpty || steps.isEmpty { return nil }
      while !rest.isEmpty {
        guard rest.hasPrefix("["), let end = rest.firstIndex(of: "]") else { return nil }
        let inside = rest[rest.index(after: rest.startIndex)..<end]
        if inside.isEmpty {
          steps.append(.all)
        } else if let index = Int(inside), index >= 0 {
          steps.append(.index(index))
        } else {
          return nil
        }
        rest = rest[rest.index(after: end)...]
      }
    }
    guard case .name(let first)? = steps.first else { return nil }
    (self.text, self.steps, self.first) = (text, steps, first)
  }

  /// The values that the path leads to; none if nothing is there. A member whose name is the whole text comes first.
  func values(in object: JSONValue) -> [JSONValue] {
    if let member = object[text] { return [member] }
    return steps.reduce([object]) { values, step in
      values.flatMap { value -> [JSONValue] in
        switch step {
        // Of XML, one element is no array, and several are: a path is for both.
        case .name(let name): (value.arrayValue ?? [value]).compactMap { $0[name] }
        case .index(let index):
          (value.arrayValue ?? [value]).enumerated().filter { $0.offset == index }.map(\.element)
        case .all: value.arrayValue ?? [value]
        }
      }
    }
  }

  /// The texts that the path leads to: strings, numbers as they are spelled, and those of an array.
  ///
  /// - Parameter withFlags: whether `true` and `false` are texts as well. Elsewhere they mean that there is nothing.
  func texts(in object: JSONValue, withFlags: Bool = false) -> [String] {
    values(in: object).flatMap { Self.texts($0, withFlags) }
  }

  private static func texts(_ value: JSONValue, _ withFlags: Bool) -> [String] {
    switch value {
    case .string(let text), .number(let text): [text]
    case .array(let values): values.flatMap { texts($0, withFlags) }
    case .bool(let flag): withFlags ? ["\(flag)"] : []
    case .null, .object: []
    }
  }
}
