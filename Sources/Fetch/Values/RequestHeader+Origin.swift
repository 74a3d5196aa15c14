internal import TesseraCurl
internal import TesseraText

extension RequestHeader {
  /// Whether requests to the origin have the header. The origin is what libcurl connects to: another
  /// reading of the same URL could name another host.
  func isFor(_ origin: Origin) -> Bool {
    host.map { origin.names.contains(HostName.withPort($0)) } ?? true
  }
}

extension Origin {
  /// What settings that are bound to a host may call it: with its port, and without a default one.
  var names: [String] {
    // The port names https. A URL may say http all the same, which everyone on the way could read.
    if host.isEmpty || (scheme, port) == ("http", "443") { return [] }
    let whole = "\(host):\(port)"
    return authority == whole ? [whole] : [whole, authority]
  }
}
