package import TesseraSystem

/// Why an output can't be used.
extension TesseraError {
  /// Another process holds the output, or one of its shards.
  package static func busy(_ place: String, holder: String) -> TesseraError {
    let who = holder.isEmpty ? "another process" : "process \(holder)"
    return TesseraError(
      .busy, "another run holds \(place) (\(who))", remedy: "wait for it, or end it", subject: place
    )
  }

  /// Another process holds it by an object in the store, which it wrote some time ago.
  static func leased(_ place: String, holder: String, age: Duration) -> TesseraError {
    let who = holder.isEmpty ? "another process" : holder
    return TesseraError(
      .busy,
      "another run holds \(place) (\(who), last heard of \(age.components.seconds) s ago)",
      remedy:
        "wait for it, or end it: \(StoreLock.lease.components.seconds) s after its end it is forgotten",
      subject: place)
  }

  /// Another run has published the result of other inputs meanwhile.
  package static func overtaken(_ place: String) -> TesseraError {
    TesseraError(
      .lost,
      "another run has published the result of \(place) meanwhile, from another manifest or pipeline",
      remedy: "run it again", subject: place)
  }

  /// Another process has taken over, because this one was not heard of.
  package static func lost(_ place: String) -> TesseraError {
    TesseraError(
      .lost,
      "another run has taken over \(place), because this one was not heard of for "
        + "\(StoreLock.lease.components.seconds) s", remedy: "run it again", subject: place)
  }

  /// The state describes the files of another output.
  static func otherOutput(state: String, of other: String, output: String) -> TesseraError {
    TesseraError(
      .output, "the state \"\(state)\" is that of the output \"\(other)\"",
      remedy: "name another directory for \"\(output)\" (state: DIR)", subject: output)
  }

  /// The output has a state in its store, besides one in a directory.
  package static func twoStates(_ state: String, output: String) -> TesseraError {
    TesseraError(
      .output,
      "the output \"\(output)\" has a state in its store, which \"\(state)\" does not know",
      remedy: "remove \"state\" from the pipeline file", subject: output)
  }

  /// The store writes objects whatever the condition.
  static func noConditions(_ output: String) -> TesseraError {
    TesseraError(
      .noConditions,
      "the store of the output \"\(output)\" can't write an object on a condition, so two runs would "
        + "not see each other",
      remedy:
        "keep the state on a disk of this machine: add \"state: DIR\" to the pipeline file",
      subject: output)
  }
}
