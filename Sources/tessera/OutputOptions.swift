internal import TesseraConsole

/// Options of the commands that take an output.
enum OutputOptions {
  static let state = Option(
    "--state", "DIR", "where the state of an output in an object store is")
}
