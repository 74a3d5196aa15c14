/// What is in the folders that `init` was given and does not become an item, by the reason.
struct LeftOut: Sendable, Equatable {
  enum Reason: Hashable {
    /// Its bytes are not those of an image, and its name is not that of one.
    case noImage
    /// An image of a format that runs accept only if the pipeline names it.
    case format(String)
    /// A folder with what a run has made.
    case output
    /// A link, a pipe, a device.
    case link

    /// Completes "left out as …".
    var text: String {
      switch self {
      case .noImage: "not an image"
      case .format(let name): "of the format \(name), which \"accept\" does not name"
      case .output: "the output of a run"
      case .link: "a link or a special file"
      }
    }
  }

  private var order: [Reason] = []
  private var names: [Reason: [String]] = [:]
  /// All names, in the order in which they were found.
  private(set) var all: [String] = []

  /// Names that are listed for a reason.
  private static let listed = 3

  var isEmpty: Bool { all.isEmpty }

  mutating func add(_ name: String, _ reason: Reason) {
    all.append(name)
    if names[reason] == nil { order.append(reason) }
    names[reason, default: []].append(name)
  }

  /// One for each reason, in the order in which they came up: `left out as not an image: 2 (a.txt, b.txt)`.
  var texts: [String] {
    order.map { reason in
      let names = names[reason, default: []]
      let more = names.count > Self.listed ? " and \(names.count - Self.listed) more" : ""
      return "left out as \(reason.text): \(names.count) "
        + "(\(names.prefix(Self.listed).joined(separator: ", "))\(more))"
    }
  }
}

/// The reasons, each with its number and its first names; nothing if there are none.
extension LeftOut: Encodable {
  private struct Group: Encodable {
    let reason: String
    let count: Int
    let names: [String]
  }

  func encode(to encoder: any Encoder) throws {
    guard !isEmpty else { return }
    try order.map { reason in
      let names = names[reason, default: []]
      return Group(
        reason: reason.text, count: names.count, names: Array(names.prefix(Self.listed)))
    }.encode(to: encoder)
  }
}
