internal import Glibc
internal import TesseraConsole

Console.prepare()

let program = Program(help: Commands.help) { ErrorReport($0) }

exit(await program.main(Array(CommandLine.arguments.dropFirst())).rawValue)
