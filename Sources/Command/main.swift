internal import Glibc

Console.prepare()

let program = Program(help: Commands.help) { ErrorReport($0) }

exit(await program.main(Array(CommandLine.arguments.dropFirst())).rawValue)
