private import TesseraCCurl

/// Open connections that only some of the transfers of a multi handle use. All others use that handle's own.
///
/// Transfers whose requests have different rights must not share connections: libcurl finds a connection by host and port,
/// and does not ask which request opened it.
package final class ConnectionPool {
  private let share: UnsafeMutableRawPointer

  /// Nil if libcurl has no memory.
  package init?() {
    guard CurlLibrary.isInitialized, let share = curl_share_init() else { return nil }
    guard tessera_curl_share_connections(share) == CURLSHE_OK else {
      curl_share_cleanup(share)
      return nil
    }
    self.share = share
  }

  /// libcurl requires that no handle uses it any more.
  deinit { curl_share_cleanup(share) }

  var pointer: UnsafeMutableRawPointer { share }
}

extension EasyHandle {
  /// Takes connections from a pool; nil for that of the multi handle. Between transfers only.
  package mutating func setPool(_ pool: ConnectionPool?) {
    check(tessera_curl_set_pointer(pointer, CURLOPT_SHARE, pool?.pointer))
  }
}
