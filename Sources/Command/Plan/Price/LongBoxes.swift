internal import TesseraPlan

/// Images whose boxes in the layout are longer than 4:1, because nothing bounds the free side of their slots.
struct LongBoxes: Sendable, Encodable {
  /// How many there are.
  private(set) var images = 0
  /// The longest box.
  private(set) var longest: Box?

  struct Box: Sendable, Encodable {
    let id: String
    let slot: String
    /// In points.
    let width: Int
    /// In points.
    let height: Int
  }

  /// - Parameter names: of the slots in which the image is used; nil for all.
  mutating func add(
    _ source: PlanSource, id: String, slots names: [String]?, _ settings: PlanSettings
  ) {
    var isLong = false
    for slot in settings.slots where names?.contains(slot.name) ?? true {
      guard let box = settings.longBox(of: source, in: slot) else { continue }
      isLong = true
      if box.longerSide > longest.map({ max($0.width, $0.height) }) ?? 0 {
        longest = Box(id: id, slot: slot.name, width: box.width, height: box.height)
      }
    }
    if isLong { images += 1 }
  }

  /// Of slots that bound no box: a sentence without its period; nil if there are none.
  static func warning(on settings: PlanSettings) -> String? {
    let open = settings.slots.filter(\.isUnbounded)
    guard let first = open.first else { return nil }
    let example = PlanSource(size: first.width == nil ? Size(900, 3) : Size(3, 900))
    guard let box = settings.longBox(of: example, in: first) else { return nil }
    let names = open.map { "\"\($0.name)\"" }.joined(separator: ", ")
    let verb = open.count == 1 ? "slot \(names) has" : "slots \(names) have"
    return
      "\(verb) a free side and no \"aspect\": an image of \(example.size.width) x \(example.size.height) pixels takes "
      + "\(box.width) x \(box.height) points in \"\(first.name)\"; bound it, such as aspect: [1:4, 4:1]"
  }
}
