package import TesseraSystem

/// Why an output can't be used.
package enum OutputError: Error, Sendable, CustomStringConvertible {
  case busy(output: String, holder: String)
  case system(SystemError)

  package var description: String {
    switch self {
    case .busy(let output, let holder):
      let who = holder.isEmpty ? "another process" : "process \(holder)"
      return "another run holds the output \"\(output)\" (\(who)); wait for it, or end it"
    case .system(let error): return error.description
    }
  }
}
