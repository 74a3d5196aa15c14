/// Why a tool could not do its work on an output.
///
/// Errors of the parts below (``OutputError``, ``StateError``, ``SystemError``) are thrown as they are.
package struct OutputToolError: Error, Sendable, CustomStringConvertible {
  /// A sentence without its full stop: what failed, on what, what to do.
  package var description: String

  static func local(_ sentence: String) -> OutputToolError {
    OutputToolError(description: sentence)
  }

  /// Calls `body`, and gives its error the tool's type.
  static func wrap<Value: ~Copyable>(
    _ body: () throws -> Value
  ) throws(OutputToolError) -> Value {
    do {
      return try body()
    } catch let error as OutputToolError {
      throw error
    } catch {
      throw .local("\(error)")
    }
  }
}
