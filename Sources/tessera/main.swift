internal import Glibc
internal import TesseraSystem

StandardStream.fillGaps()

// A peer that closes a connection, or a reader that closes a pipe, is an error of one call, not the
// end of the program.
signal(SIGPIPE, SIG_IGN)

// Sixteen transfers need few files, a thousand need more than a login is given.
Host.raiseFileLimit()

exit(await Tessera.main(Array(CommandLine.arguments.dropFirst())).rawValue)
