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
  private let isOfXML: Bool

  /// The member of the object itself in which the way begins.
  let first: String

  /// Nil for a text that is not a path, such as `images[x]`.
  ///
  /// - Parameter isOfXML: whether one member of a name is an array, too: it is an element that may have siblings elsewhere.
  init?(_ text: String, isOfXML: Bool = false) {
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
    (self.text, self.steps, self.first, self.isOfXML) = (text, steps, first, isOfXML)
  }

  /// A text, and how the path came to it.
  struct Found: Sendable {
    var text: String
    var trail = Trail()
  }

  /// The names on the way.
  var names: [String] { steps.compactMap { if case .name(let name) = $0 { name } else { nil } } }

  /// The values that the path leads to; none if nothing is there. A member whose name is the whole text comes first.
  func values(in object: JSONValue) -> [JSONValue] { places(in: object).map(\.value) }

  /// The texts that the path leads to: strings, numbers as they are spelled, and those of an array.
  ///
  /// - Parameter withFlags: whether `true` and `false` are texts as well. Elsewhere they mean that there is nothing.
  func found(in object: JSONValue, withFlags: Bool = false) -> [Found] {
    var found: [Found] = []
    for place in places(in: object) { Self.addTexts(place.value, place.trail, withFlags, &found) }
    return found
  }

  func texts(in object: JSONValue) -> [String] { found(in: object).map(\.text) }

  private typealias Place = (value: JSONValue, trail: Trail)

  private func places(in object: JSONValue) -> [Place] {
    if let place = member(text, of: (object, Trail())) { return [place] }
    return steps.reduce([(object, Trail())]) { places, step in
      places.flatMap { place -> [Place] in
        // Of XML, one element is not an array, and several are: a path is for both.
        let elements = Self.elements(of: place)
        switch step {
        case .name(let name): return elements.compactMap { member(name, of: $0) }
        case .index(let index): return elements.indices.contains(index) ? [elements[index]] : []
        case .all: return elements
        }
      }
    }
  }

  private func member(_ name: String, of place: Place) -> Place? {
    guard let value = place.value[name] else { return nil }
    let trail = place.trail.adding(.name(name))
    return (value, isOfXML && value.arrayValue == nil ? trail.adding(.index(0)) : trail)
  }

  private static func elements(of place: Place) -> [Place] {
    guard let values = place.value.arrayValue else { return [place] }
    return values.enumerated().map { ($0.element, place.trail.adding(.index($0.offset))) }
  }

  private static func addTexts(
    _ value: JSONValue, _ trail: Trail, _ withFlags: Bool, _ found: inout [Found]
  ) {
    switch value {
    case .string(let text), .number(let text): found.append(Found(text: text, trail: trail))
    case .array:
      for element in elements(of: (value, trail)) {
        addTexts(element.value, element.trail, withFlags, &found)
      }
    case .bool(let flag):
      if withFlags { found.append(Found(text: "\(flag)", trail: trail)) }
    case .null, .object: break
    }
  }
}

/// The way that led to a value: names, and the positions of elements in arrays.
struct Trail: Sendable, Hashable {
  enum Step: Sendable, Hashable {
    case name(String)
    case index(Int)
  }

  private var steps: [Step]

  init(_ steps: [Step] = []) { self.steps = steps }

  func adding(_ step: Step) -> Trail { Trail(steps + [step]) }

  /// The ways to the elements of arrays that this one leads through, the innermost first.
  var elements: [Trail] {
    steps.indices.reversed().compactMap { end in
      if case .index = steps[end] { Trail(Array(steps[...end])) } else { nil }
    }
  }

  /// The way to the innermost element that a way with these names leads through, too; empty if there is none.
  ///
  /// - Parameter ways: the names of each.
  func element(sharedWith ways: [[String]]) -> Trail {
    let own = steps.lazy.compactMap { if case .name(let name) = $0 { name } else { nil } }
    let shared = ways.map { zip(own, $0).prefix { $0 == $1 }.count }.max()
    return prefix(names: shared ?? 0).elements.first ?? Trail()
  }

  /// The beginning of the trail: as many names, and the positions behind the last of them.
  private func prefix(names count: Int) -> Trail {
    var left = count
    let end = steps.firstIndex { step in
      guard case .name = step else { return false }
      left -= 1
      return left < 0
    }
    return Trail(Array(steps[..<(end ?? steps.endIndex)]))
  }
}
