internal import TesseraConsole

/// Options of the commands that take an output.
enum OutputOptions {
  static let state = Option.path(
    "--state", "DIR",
    "the folder of the state, if the output is in a store and its state is not",
    completes: .folders)
}
