internal import TesseraJSON
internal import TesseraPlan
internal import TesseraText

// How often images are viewed: in slots, and at scales.

/// The scales, and how often each is viewed.
struct ScaleShares: Sendable {
  var scales: [Int]
  var weights: [Int: Double]

  static let type = KeyType<Self>(
    expected: list.expected,
    schema: { ["anyOf": [list.schema($0), group.schema([:])]] },
    read: { node, place, current in
      guard case .mapping = node.content else { return list.read(node, place, current) }
      guard let weights = group.read(node, place, [:]) else { return nil }
      return Self(
        scales: weights.keys.compactMap { Int($0) }.sorted(),
        weights: weights.reduce(into: [:]) {
          if let scale = Int($1.key) { $0[scale] = $1.value }
        })
    },
    // The weights shape no file, and so are in no fingerprint.
    json: { list.json($0) })

  private static let list = KeyType<[Int]>.scales.mapped(
    { Self(scales: $0, weights: [:]) }, from: \.scales)

  private static let group = KeyType<[String: Double]>.weights(one: "scale") {
    weight, place, mark in
    let name = place.name.dropFirst("scales.".count)
    if let scale = Int(name), (1...8).contains(scale), String(scale) == name { return weight }
    place.context.report(mark, "a scale is a whole number from 1 to 8, found \"\(name)\"")
    return nil
  }
}

extension PlanSettings {
  var scaleShares: ScaleShares {
    get { ScaleShares(scales: scales, weights: scaleWeights) }
    set { (scales, scaleWeights) = (newValue.scales, newValue.weights) }
  }
}

extension KeyType where Value == [String: Double] {
  /// Numbers by name, relative to each other.
  static func weights(
    one: String,
    check: @escaping @Sendable (Double, KeyPlace, Mark) -> Double? = { weight, _, _ in weight }
  ) -> KeyType {
    .names(
      of: .scalar(
        "a number above zero, such as 10 or 0.5",
        schema: ["type": "number", "exclusiveMinimum": 0, "maximum": 1_000_000_000],
        json: { .number(JSONNumber.text(of: $0)) },
        parse: { text in
          Double(text).flatMap { $0 > 0 && $0 <= 1_000_000_000 ? $0 : nil }
        }), one: one, expected: "numbers by names", initial: { _ in 1 }, check: check)
  }
}

extension PipelineFile {
  /// Reports weights of slots that there are not.
  func checkWeights(_ context: DecodingContext) {
    // Slots with mistakes of their own are reported already.
    guard !plan.slots.isEmpty else { return }
    let names = plan.slots.map(\.name)
    for name in plan.slotWeights.keys.sorted() where !names.contains(name) {
      guard let pair = context.pair("weights.\(name)") else { continue }
      let hint = Nearest.hint(for: name, among: names)
      context.report(
        pair.key.mark, "\"weights.\(name)\": \"slots\" has no slot of this name\(hint)")
    }
  }
}
