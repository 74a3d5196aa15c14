internal import TesseraSystem

/// A file or a folder that gets its name when it is complete.
enum Draft {
  /// Calls `make` with the path of a draft beside `target`, and renames the draft to `target`.
  ///
  /// The draft is removed on every other way out: if `make` throws, or the task is cancelled.
  static func publish<Value>(to target: String, _ make: (_ draft: String) throws -> Value) throws
    -> Value
  {
    // The process id keeps two tools that write the same target apart.
    let draft = "\(target).\(Host.processIdentifier).new"
    // After the rename this removes nothing. If removing fails, the error of `make` is what
    // matters.
    defer { try? FileSystem.removeTree(draft) }
    let value = try make(draft)
    try Task.checkCancellation()
    try OutputToolError.wrap { try FileSystem.rename(draft, to: target) }
    return value
  }
}
