internal import TesseraCurl
internal import TesseraText

extension AddressPolicy {
  /// Whether a URL leads to a server on the internet, which others run, as far as the URL shows it.
  package static func isPublic(_ url: String) -> Bool {
    let origin = Origin(url)
    guard ["http", "https"].contains(origin.scheme) else { return false }
    if let address = origin.host.address { return AddressPolicy().permits(address) }
    return !SourceURL.isReserved(host: origin.host.text)
  }
}
