internal import Glibc
internal import TesseraSystem

Console.prepare()

let program = Program(help: Commands.help)

exit(await program.main(Host.arguments).rawValue)
