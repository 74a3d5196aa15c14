/// The place of a value in the pipeline file.
struct KeyPlace {
  /// All of the key's names: `fetch.timeout`.
  let name: String
  let context: DecodingContext

  init(_ name: String, _ context: DecodingContext) { (self.name, self.context) = (name, context) }

  /// Reports a mistake of the value: `"fetch.timeout" MESSAGE`.
  func report(_ mark: Mark, _ message: String) { context.report(mark, "\"\(name)\" \(message)") }
}
