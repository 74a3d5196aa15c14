/// The exit statuses of the command, as `tessera --help` lists them.
enum ExitStatus: Int32, Sendable, CaseIterable {
  case done = 0
  /// Done, but some items failed.
  case someFailed = 1
  /// Could not run.
  case failed = 2
  /// `EX_USAGE` of sysexits(3).
  case usage = 64
  /// Another run holds this output: `EX_TEMPFAIL` of sysexits(3).
  case busy = 75
  /// 128 and the number of the signal, as shells report it: SIGINT.
  case interrupted = 130
  /// SIGTERM.
  case terminated = 143
}
