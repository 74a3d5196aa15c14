extension Duration {
  /// As a number of seconds, fractions included.
  package var inSeconds: Double {
    Double(components.seconds) + Double(components.attoseconds) / 1e18
  }
}
