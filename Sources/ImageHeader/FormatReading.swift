/// Reads the header of files in one format.
protocol FormatReading {
  /// Reads the header of a file whose signature is this format's.
  ///
  /// - Throws: ``HeaderStop/needs(_:)`` with the next range of bytes, or the reason to reject the
  ///   file. The caller checks that the sides and the bit depth are possible.
  static func read(_ file: borrowing HeaderView) throws(HeaderStop) -> ImageHeader
}
