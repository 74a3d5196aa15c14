/// Ports for the servers of tests.
enum Ports {
  /// A random port below the range from which Linux assigns ports to outgoing connections (32768
  /// and up, `ip_local_port_range`). Another test may have it: callers try the next one if binding
  /// fails.
  static func random() -> Int { .random(in: 10_000..<32_000) }
}
