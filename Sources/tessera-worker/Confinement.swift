internal import Glibc
internal import TesseraCSandbox
internal import TesseraWorkers

extension Confinement {
  /// What codecs, and text in drawings, have to read: libraries, fonts and their caches, the number
  /// of processors.
  private static let system = [
    "/usr", "/lib", "/lib64", "/etc/fonts", "/etc/ld.so.cache", "/var/cache/fontconfig",
    "/sys/devices/system/cpu",
    "/dev/null", "/dev/zero", "/dev/urandom",
  ]

  /// Confines this process and its workers, as far as the kernel has the means. Ends the process if
  /// the kernel has them and they fail.
  static func enter() -> Confinement {
    let privileges = tessera_drop_privileges()
    if privileges != 0 { stop("could not drop its privileges: \(reason(privileges))") }
    let files = withCStrings(system) { tessera_confine_files($0) }
    if files < 0 { stop("could not restrict its file access: \(reason(-files))") }
    let calls = tessera_confine_server()
    // ENOSYS: the kernel, or a container, offers no filter. The capabilities report that.
    if calls != 0 && calls != ENOSYS {
      stop("could not restrict its system calls: \(reason(calls))")
    }
    return Confinement(landlock: Int(files), hasSeccomp: calls == 0)
  }

  private static func reason(_ code: Int32) -> String { String(cString: strerror(code)) }

  private static func withCStrings<Value>(
    _ strings: [String], _ body: (UnsafePointer<UnsafePointer<CChar>?>) -> Value
  ) -> Value {
    let copies = strings.map { UnsafePointer(strdup($0)) } + [nil]
    defer { for copy in copies { free(UnsafeMutablePointer(mutating: copy)) } }
    return copies.withUnsafeBufferPointer { buffer in
      // The array has at least its terminating nil, so there is a base address.
      buffer.baseAddress.map(body) ?? body([nil])
    }
  }
}
