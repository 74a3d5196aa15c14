internal import Glibc
internal import TesseraCProcess

/// The process and the machine it runs on.
package enum Host {
  package static var processIdentifier: Int { Int(getpid()) }

  /// Whether `/proc` shows this process under its own number. It does not in a namespace of processes that
  /// has the `/proc` of another one, or none. libdispatch then ends the process with an illegal instruction as
  /// soon as it counts its threads there, about a second after the start.
  package static var isShownInProc: Bool {
    var buffer = [CChar](repeating: 0, count: 32)
    let length = max(0, readlink("/proc/self", &buffer, buffer.count))
    let number = String(
      decoding: buffer[..<length].map { UInt8(truncatingIfNeeded: $0) }, as: UTF8.self)
    return number == "\(processIdentifier)"
  }

  /// The machine's name; empty if it has none.
  package static var name: String {
    var buffer = [CChar](repeating: 0, count: Int(HOST_NAME_MAX) + 1)
    guard gethostname(&buffer, buffer.count - 1) == 0 else { return "" }
    return String(
      decoding: buffer.prefix { $0 != 0 }.map { UInt8(truncatingIfNeeded: $0) }, as: UTF8.self)
  }

  /// The value of an environment variable; nil if it is not set.
  package static func environment(_ name: String) -> String? {
    getenv(name).map { String(cString: $0) }
  }

  /// The number of columns of the terminal behind standard error; nil if it is not a terminal.
  package static var terminalWidth: Int? {
    let width = tessera_terminal_width(STDERR_FILENO)
    return width > 0 ? Int(width) : nil
  }

  /// Whether standard input is a terminal, so that a person may be waiting for a prompt.
  package static var isInputTerminal: Bool { isatty(STDIN_FILENO) == 1 }

  /// Raises the soft limit of open files to the hard limit of this process.
  package static func raiseFileLimit() {
    var limit = rlimit()
    guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return }
    limit.rlim_cur = limit.rlim_max
    // A failure leaves the soft limit as it was: the run still works, with fewer connections.
    _ = setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
  }

  /// The path of the running program, with links resolved.
  package static func executablePath() throws(SystemError) -> String {
    var buffer = [CChar](repeating: 0, count: Int(PATH_MAX) + 1)
    let length = readlink("/proc/self/exe", &buffer, Int(PATH_MAX))
    guard length > 0 else { throw SystemError("resolve", "/proc/self/exe") }
    return String(decoding: buffer[..<length].map { UInt8(truncatingIfNeeded: $0) }, as: UTF8.self)
  }
}
