package import TesseraSystem

/// Why an output can't be used.
package enum OutputError: Error, Sendable, CustomStringConvertible {
  /// Another process holds the output, or one of its shards.
  case busy(String, holder: String)
  /// Another run has published the result of other inputs meanwhile.
  case overtaken(String)
  /// The state describes the files of another output.
  case otherOutput(state: String, of: String, output: String)
  /// An object store has no place for the state.
  case noState(String)
  case system(SystemError)

  /// Whether the same call may succeed later.
  package var isBusy: Bool {
    switch self {
    case .busy, .overtaken: true
    case .otherOutput, .noState, .system: false
    }
  }

  package var description: String {
    switch self {
    case .busy(let place, let holder):
      let who = holder.isEmpty ? "another process" : "process \(holder)"
      return "another run holds \(place) (\(who)); wait for it, or end it"
    case .overtaken(let place):
      return "another run has published the result of \(place) meanwhile, from another manifest or "
        + "pipeline; run it again"
    case .otherOutput(let state, let other, let output):
      return
        "the state \"\(state)\" is that of the output \"\(other)\"; name another directory for "
        + "\"\(output)\" (state: DIR)"
    case .noState(let output):
      return
        "the output \"\(output)\" is in an object store, and the state must be on a disk of this "
        + "machine; add \"state: DIR\" to the pipeline file"
    case .system(let error): return error.description
    }
  }
}
