internal import Glibc

Console.prepare()

let program = Program(help: Commands.help)

exit(await program.main(Array(CommandLine.arguments.dropFirst())).rawValue)
