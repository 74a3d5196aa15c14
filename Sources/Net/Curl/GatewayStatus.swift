/// Statuses that are in no standard: the answers of a service in front of a server that can't reach it or that finds it
/// overloaded (Cloudflare's 520 to 527 and 530; 529; 598 of other proxies). All of them may pass.
package enum GatewayStatus {
  package static func contains(_ status: Int) -> Bool {
    520...527 ~= status || [529, 530, 598].contains(status)
  }
}
