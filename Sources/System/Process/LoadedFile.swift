private import TesseraCProcess

/// The programs and libraries that this process has loaded.
package enum LoadedFile {
  /// The folder of the file that an address is in; nil if the address is in none, or the file was
  /// loaded by a relative path.
  package static func folder(of address: UnsafeRawPointer) -> String? {
    guard let path = tessera_loaded_file(address).map({ String(cString: $0) }),
      path.hasPrefix("/"), let end = path.lastIndex(of: "/")
    else { return nil }
    return String(path[..<end])
  }
}
