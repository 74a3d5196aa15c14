/// The name of a slot.
///
/// With a constant for each slot, a misspelt name does not compile:
///
///     extension SlotName {
///       static let card = SlotName("card")
///     }
///
/// ``Catalog/requireSlots(_:)`` finds names that a catalog does not have.
public struct SlotName: RawRepresentable, Sendable, Hashable, ExpressibleByStringLiteral {
  /// As the pipeline file writes it.
  public let rawValue: String

  /// A slot by its name.
  public init(rawValue: String) { self.rawValue = rawValue }

  /// A slot by its name.
  public init(_ name: String) { rawValue = name }

  /// A slot by its name.
  public init(stringLiteral name: String) { rawValue = name }
}
