internal import TesseraCurl
internal import TesseraText

extension RequestHeader {
  /// Whether requests to the origin have the header. The origin is what libcurl connects to: another
  /// reading of the same URL could name another host.
  func isFor(_ origin: Origin) -> Bool {
    guard let host else { return true }
    // The port names https. A URL may say http all the same, which everyone on the way could read.
    if (origin.scheme, origin.port) == ("http", "443") { return false }
    return host == origin.authority || host == "\(origin.host):\(origin.port)"
  }
}
