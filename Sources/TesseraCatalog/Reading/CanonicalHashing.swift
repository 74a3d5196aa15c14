internal import TesseraJSON

/// Passes on a catalog's canonical form, without its number of images and its digest, as the catalog is read.
struct CanonicalHashing: Sendable {
  private let update: @Sendable ([UInt8]) -> Void
  private var hasBegun = false
  private var isFirst = true

  private static let images = "images"

  init(_ update: @escaping @Sendable ([UInt8]) -> Void) { self.update = update }

  /// To be called before the first image.
  ///
  /// - Parameter head: the members so far.
  mutating func begin(with head: [UInt8]) throws(JSONScanner.Failure) {
    hasBegun = true
    update(try frame(of: head).before)
  }

  private func frame(
    of head: [UInt8]
  ) throws(JSONScanner.Failure) -> (before: [UInt8], after: [UInt8]) {
    try JSONCanonical.frame(of: head, around: Self.images, without: ["count", "digest"])
  }

  /// Whether it is too late for a member: its place was before the images.
  func isLate(_ name: String) -> Bool {
    hasBegun && JSONCanonical.precedes(name, Self.images) && name != "count" && name != "digest"
  }

  /// - Parameter scanner: at an image.
  mutating func addImage(_ scanner: inout JSONScanner) throws(JSONScanner.Failure) {
    var text = isFirst ? [] : [UInt8(ascii: ",")]
    isFirst = false
    try scanner.canonical(to: &text)
    update(text)
  }

  /// - Parameter head: all members.
  func end(with head: [UInt8]) throws(JSONScanner.Failure) { update(try frame(of: head).after) }
}
