internal import TesseraJSON
internal import TesseraText

/// The codes of images' errors: what they mean, and what a person does about them.
enum ErrorWords {
  /// What to do about a failure: a clause without its full stop; nil if it has no code that is known.
  ///
  /// - Parameter failure: the member `error` of an image in the catalog.
  static func remedy(for failure: JSONValue) -> String? {
    guard let code = failure["code"]?.stringValue else { return nil }
    // A server that is busy or broken is not the manifest's fault.
    if code == "http-status", failure["retryable"]?.boolValue == true {
      return "wait until the server is well"
    }
    return list[code]?.remedy
  }

  static let list = WordList(
    "Errors of images",
    "`error.code` of an image in the catalog; `errors` and `examples` in `run.json`; in `status`, `why`, `diff`, "
      + "`probe --json`, the metrics and the events.",
    manifest + requests + files + limits + bytes + machine)

  private static let manifest = [
    Word("bad-url", "the URL cannot be requested", "correct the URL in the manifest"),
    Word(
      "unknown-slot", "the manifest names a slot that the pipeline does not have",
      "correct \"slots\" in the manifest, or add the slot to the pipeline file"),
    Word(
      "address-rejected",
      "the address is not of the public internet, or the file is in no permitted folder",
      "permit the address or folder (fetch.allow) if it is yours; otherwise correct the URL in the manifest"
    ),
  ]

  private static let steps = "tessera doctor with the URL shows each step of the request"

  private static let requests = [
    Word("dns", "the host's name could not be resolved", steps),
    Word("network", "the connection could not be made, or was cut off", steps),
    Word("tls", "the encryption failed, or the certificate is not valid for the host", steps),
    Word(
      "redirect", "too many redirects, or one that leads to no URL that may be requested", steps),
    Word("bad-response", "the answer is not what HTTP requires", steps),
    Word(
      "bad-encoding",
      "the answer says that it is compressed, and it is not, or the compression is damaged",
      "have the server send images as they are, without Content-Encoding"),
    Word(
      "bad-range", "the server sent another part of the file than was requested",
      "have the server answer ranges as HTTP requires, or ignore them"),
    Word(
      "timeout", "connection, first byte or the whole image took too long",
      "tessera doctor with the URL shows where the time goes; for a slow server, raise fetch.timeout or "
        + "fetch.deadline"),
    Word(
      "http-status", "the server answered with a status other than 200",
      "correct the URL in the manifest, or send what the server requires (fetch.headers)"),
  ]

  private static let files = [
    Word(
      "not-found", "a local file does not exist",
      "put the file back, or correct or remove its line in the manifest (of a folder: tessera init --from FOLDER --manifest-only)"
    ),
    Word(
      "not-readable", "a local file can't be read, or has no bytes (a folder, a device)",
      "let the user that runs the pipeline read the file"),
    Word(
      "symlink", "a symbolic link leads to nothing, or out of the permitted folders",
      "put the file itself there, or permit the folder that the link leads to (fetch.allow)"),
  ]

  private static let limits = [
    Word(
      "too-large", "the file has more bytes than fetch.max-bytes",
      "offer a smaller file, or raise fetch.max-bytes"),
    Word(
      "too-many-pixels",
      "the image has more pixels than limits.pixels, or than the image service takes",
      "offer a smaller image, or raise limits.pixels"),
    Word(
      "too-many-frames", "the animation has more frames than limits.frames",
      "offer a shorter animation, or raise limits.frames"),
    Word(
      "too-many-scans", "the JPEG repeats its pixels so often that decoding it costs too much",
      "save the image again: no usual program writes such a file"),
    Word(
      "worker-timeout", "decoding and encoding took longer than limits.time",
      "offer a smaller image, or raise limits.time"),
    Word(
      "out-of-memory",
      "decoding and encoding need more memory than limits.memory or the machine allows",
      "offer a smaller image, or raise limits.memory"),
  ]

  private static let intact = "replace the file at its source with an intact image"

  private static let bytes = [
    Word("not-image", "the bytes are not an image, but a web page, text or nothing", intact),
    Word("malformed", "the file begins as an image does, and contradicts its format", intact),
    Word("truncated", "the file, or the answer, ends too early", intact),
    Word("decode", "the decoder rejected the image", intact),
    Word(
      "unsupported-format", "the image has a format that the pipeline does not accept",
      "offer another format, or add this one to \"accept\""),
  ]

  private static let machine = [
    Word(
      "encode", "the image was decoded, and a file could not be made of it",
      "try another format for the files (variants.format), and report the image as a defect of Tessera"
    ),
    Word(
      "worker-crashed", "the decoder crashed; only this image is lost",
      "update libvips and its libraries; the image is tried again after a day"),
    Word(
      "worker-protocol", "the worker answered with something else than a result",
      "check that tessera and tessera-worker have the same version"),
    Word(
      "local", "this machine failed, not the source",
      "repair what the message names, often a full disk, and run again"),
    Word("cancelled", "the run was stopped before this image was done", "run again"),
    Word(
      "run-deadline", "the time of the run ended before this image was reached",
      "give the run more time (--deadline)"),
  ]
}
