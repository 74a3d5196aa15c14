extension Duration {
  /// The duration as a number of seconds with their fraction.
  package var inSeconds: Double {
    Double(components.seconds) + Double(components.attoseconds) / 1e18
  }
}
