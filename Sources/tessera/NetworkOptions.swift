internal import TesseraConsole
internal import TesseraPipelineTools

/// Options of the commands that request what a person names.
enum NetworkOptions {
  static let allow = Option(
    "--allow", "WHAT", "loopback, private or an address block; may be repeated",
    expected: "loopback, private or an address block such as 10.1.0.0/16",
    completes: .words(["loopback", "private"])
  ) { ProbeSession.understands($0) ? $0 : nil }
}
