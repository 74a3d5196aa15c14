internal import Glibc

/// The address space that the process may still use under its own limit (RLIMIT_AS).
enum AddressSpace {
  /// Whether a mapping of this many bytes would succeed now.
  ///
  /// It attempts the mapping and releases it: the libraries' own mappings are not counted anywhere
  /// that a program could read cheaply.
  static func has(_ bytes: Int) -> Bool {
    guard bytes > 0 else { return true }
    // Without access and reserve no memory is committed; only the limit is tested.
    let place = mmap(nil, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0)
    guard place != MAP_FAILED else { return false }
    munmap(place, bytes)
    return true
  }
}
