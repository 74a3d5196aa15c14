internal import TesseraNet
package import TesseraSystem

/// Why an output can't be used.
package enum OutputError: Error, Sendable, CustomStringConvertible {
  /// Another process holds the output, or one of its shards.
  case busy(String, holder: String)
  /// Another run has published the result of other inputs meanwhile.
  case overtaken(String)
  /// The state describes the files of another output.
  case otherOutput(state: String, of: String, output: String)
  /// The output has a state in its store, besides one in a directory.
  case twoStates(String, output: String)
  /// Another process holds the output, or one of its shards, by an object in the store, which it wrote some time
  /// ago.
  case leased(String, holder: String, age: Duration)
  /// Another process has taken over, because this one was not heard of.
  case lost(String)
  /// The store writes objects whatever the condition.
  case noConditions(String)
  case system(SystemError)

  /// Whether the same call may succeed later.
  package var isBusy: Bool {
    switch self {
    case .busy, .overtaken, .leased, .lost: true
    case .system(let error): error.isLost
    case .otherOutput, .twoStates, .noConditions: false
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
    case .twoStates(let state, let output):
      return
        "the output \"\(output)\" has a state in its store, which \"\(state)\" does not know; remove "
        + "\"state\" from the pipeline file"
    case .leased(let place, let holder, let age):
      let who = holder.isEmpty ? "another process" : holder
      return
        "another run holds \(place) (\(who), last heard of \(age.components.seconds) s ago); wait for "
        + "it, or end it: \(StoreLock.lease.components.seconds) s after its end it is forgotten"
    case .lost(let place):
      return "another run has taken over \(place), because this one was not heard of for "
        + "\(StoreLock.lease.components.seconds) s; run it again"
    case .noConditions(let output):
      return
        "the store of the output \"\(output)\" can't write an object on a condition, so two runs would "
        + "not see each other; keep the state on a disk of this machine: add \"state: DIR\" to the "
        + "pipeline file"
    case .system(let error): return error.description
    }
  }
}

extension OutputError {
  /// Calls `body`, and converts the error of a part.
  static func wrap<Value: ~Copyable>(
    _ body: () throws(SystemError) -> Value
  ) throws(OutputError) -> Value {
    do throws(SystemError) { return try body() } catch { throw .system(error) }
  }

  /// Calls `body`, and converts the error of a store.
  static func wrapStore<Value>(
    _ body: () throws(StoreError) -> Value
  ) throws(OutputError) -> Value {
    do throws(StoreError) { return try body() } catch { throw .system(error.asSystemError) }
  }

  /// Calls `body`, and converts the error of a part.
  static func wrapAsync<Value>(
    _ body: () async throws(SystemError) -> Value
  ) async throws(OutputError) -> Value {
    do throws(SystemError) { return try await body() } catch { throw .system(error) }
  }
}
