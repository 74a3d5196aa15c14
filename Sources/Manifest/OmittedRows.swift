/// The rows and items of a list that are not images, counted.
package struct OmittedRows: Sendable, Equatable {
  /// Those without the URL of an image.
  package var imageless = 0
  /// Those with an image, of what the list says is not published.
  package var unpublished = 0

  package init() {}

  package static func + (one: Self, other: Self) -> Self {
    var sum = one
    sum.imageless += other.imageless
    sum.unpublished += other.unpublished
    return sum
  }
}
