/// Why two images cannot be compared.
package enum QualityError: Error, Equatable, Sendable, CustomStringConvertible {
  /// The numbers do not describe an image.
  case shape(width: Int, height: Int, channels: Int, samples: Int)
  /// The candidate does not have the size of the reference.
  case size(reference: [Int], candidate: [Int])

  package var description: String {
    switch self {
    case .shape(let width, let height, let channels, let samples):
      """
      \(samples) samples are not an image of \(width) x \(height) pixels with \(channels) \
      channels; expected both sides from 1, and 3 or 4 channels
      """
    case .size(let reference, let candidate):
      """
      an image of \(candidate[0]) x \(candidate[1]) pixels cannot be compared with one of \
      \(reference[0]) x \(reference[1]): resize it first
      """
    }
  }
}
