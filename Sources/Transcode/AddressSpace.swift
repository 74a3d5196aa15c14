internal import Glibc

/// What is left of the address space that the process has limited itself to.
enum AddressSpace {
  /// Whether so many bytes could be had now. Tries it: nothing else knows what libraries have mapped.
  static func has(_ bytes: Int) -> Bool {
    guard bytes > 0 else { return true }
    let place = mmap(nil, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0)
    guard place != MAP_FAILED else { return false }
    munmap(place, bytes)
    return true
  }
}
