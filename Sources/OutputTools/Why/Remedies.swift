internal import TesseraJSON

/// What a person can do about an image that failed, by its error code: the one place that says so.
enum Remedies {
  /// A clause without its full stop; nil if the message already says all there is to say.
  ///
  /// - Parameter failure: the member `error` of an image in the catalog.
  static func clause(for failure: JSONValue) -> String? {
    guard let code = failure["code"]?.stringValue else { return nil }
    // A server that is busy or broken is not the manifest's fault.
    if code == "http-status", failure["retryable"]?.boolValue == true {
      return "wait until the server is well"
    }
    return table.first { $0.codes.contains(code) }?.clause
  }

  private static let table: [(codes: [String], clause: String)] = [
    (["not-found"], "put the file back, or correct its path in the manifest"),
    (["not-readable"], "let the user that runs the pipeline read the file"),
    (
      ["symlink"],
      "put the file itself there, or permit the folder that the link leads to (fetch.allow)"
    ),
    (
      ["address-refused"],
      "permit the address or folder (fetch.allow) if it is yours; otherwise correct the URL in the manifest"
    ),
    (
      ["http-status"],
      "correct the URL in the manifest, or send what the server requires (fetch.headers)"
    ),
    (["bad-url"], "correct the URL in the manifest"),
    (["unknown-slot"], "correct \"slots\" in the manifest, or add the slot to the pipeline file"),
    (
      ["dns", "network", "tls", "redirect", "bad-response"],
      "tessera doctor with the URL shows each step of the request"
    ),
    (
      ["timeout"],
      "tessera doctor with the URL shows where the time goes; for a slow server, raise fetch.timeout or "
        + "fetch.deadline"
    ),
    (["too-large"], "offer a smaller file, or raise fetch.max-bytes"),
    (["too-many-pixels"], "offer a smaller image, or raise limits.pixels"),
    (["too-many-frames"], "offer a shorter animation, or raise limits.frames"),
    (["unsupported-format"], "offer another format, or add this one to \"accept\""),
    (
      ["not-image", "malformed", "truncated", "decode"],
      "replace the file at its source with an intact image"
    ),
    (["worker-timeout"], "offer a smaller image, or raise limits.time"),
    (["out-of-memory"], "offer a smaller image, or raise limits.memory"),
    (["run-deadline"], "give the run more time (--deadline)"),
  ]
}
