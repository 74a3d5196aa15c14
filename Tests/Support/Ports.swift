/// Ports for servers of tests.
enum Ports {
  /// A port that the system gives to nobody by itself: below those of connections that go out, which on Linux begin at
  /// 32768 (`ip_local_port_range`). Whoever binds it may find that another test has it, and takes the next.
  static func random() -> Int { .random(in: 10_000..<32_000) }
}
