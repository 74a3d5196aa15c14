internal import TesseraOutput
internal import TesseraSystem

/// Why a tool could not do its work on an output: the one error of this module, besides
/// `CancellationError`.
struct OutputToolError: Error, Sendable, CustomStringConvertible {
  /// A sentence without its full stop: what failed, on what, what to do.
  var description: String
  /// Whether a run or another tool holds the output.
  var isBusy = false

  init(_ description: String) { self.description = description }

  /// What was named is not the output of a run.
  init(noOutput root: String, exists: Bool) {
    self.init(
      "\(exists ? "\"\(root)\" holds no catalog.json" : "there is no file or folder \"\(root)\""); it must be the "
        + "output of a run")
  }

  /// Calls `body`, which uses the parts below, and converts what it throws.
  static func wrap<Value: ~Copyable>(_ body: () throws -> Value) throws(OutputToolError) -> Value {
    do {
      return try body()
    } catch {
      throw OutputToolError(converting: error)
    }
  }

  /// Calls `body`, which may be cancelled, and converts what else it throws.
  static func wrapAsyncWork<Value>(_ body: () async throws -> Value) async throws -> Value {
    do {
      return try await body()
    } catch let error as CancellationError {
      throw error
    } catch {
      throw OutputToolError(converting: error)
    }
  }

  /// Calls `body`, which awaits the state or the output, and converts what it throws.
  static func wrapAsync<Value>(_ body: () async throws -> Value) async throws(OutputToolError)
    -> Value
  {
    do {
      return try await body()
    } catch {
      throw OutputToolError(converting: error)
    }
  }

  private init(converting error: any Error) {
    switch error {
    case let error as OutputToolError: self = error
    default:
      self.init("\(error)")
      isBusy =
        (error as? OutputError)?.isBusy ?? (error as? SystemError)?.isLost ?? false
    }
  }
}
