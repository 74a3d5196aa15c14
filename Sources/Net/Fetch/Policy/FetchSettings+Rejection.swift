internal import TesseraSystem

extension FetchSettings {
  /// Why a source is rejected, as far as its URL alone shows that: it spells out an address, or names a file
  /// outside the allowed folders. Sends nothing. Nil if only a request can tell.
  package func rejection(ofSource url: String) -> FetchError? {
    switch LocalSource(url) {
    case .file(let path): return LocalSource.rejection(of: path, self)
    case .unreadable(let error): return error
    case .data: return nil
    case nil: break
    }
    let origin = Origin(url)
    guard ["http", "https"].contains(origin.scheme), let address = origin.host.address,
      !addresses.permits(address)
    else { return nil }
    return rejection(of: address, at: origin.host.text)
  }

  /// The folder that has to be allowed for a source that is a file; nil for other sources.
  package static func folder(ofSource url: String) -> String? {
    guard case .file(let path)? = LocalSource(url) else { return nil }
    let folder = FileSystem.parent(of: path)
    return FileSystem.realPath(folder) ?? folder
  }

  /// - Parameter place: the host, or how a request came to it.
  func rejection(of address: IPAddress, at place: String) -> FetchError {
    let permission = permissionHint(AddressPolicy.permission(for: address))
    return FetchError(
      .addressRejected, "\(place) is not on the public internet; if that is meant, \(permission)")
  }
}
