internal import Glibc
internal import TesseraCProcess
internal import TesseraSystem
internal import TesseraTranscode
internal import TesseraWorkers

// tessera-worker: a fork server. It starts libvips and confines itself, then forks a worker for each
// request on descriptor 3; a worker does jobs, and ends with its channel. Images of others reach workers
// only, so that each begins in the same clean state. Only tessera starts this program. Its arguments are the
// limits of each worker (address space in bytes, processor seconds for one job) and the process id of
// the coordinator.

func stop(_ message: String) -> Never {
  StandardStream.error.write("tessera-worker: \(message)\n")
  exit(2)
}

let arguments = Host.arguments.compactMap { UInt64($0) }
guard arguments.count == 3, Host.arguments.count == 3 else {
  stop("only tessera starts this program; run \"tessera --help\"")
}
// Another parent means that the coordinator ended before this process asked to die with it.
guard tessera_die_with_parent() == 0, getppid() == pid_t(arguments[2]) else {
  stop("the coordinator has ended")
}
tessera_end_first()
guard tessera_limit_memory(arguments[0]) == 0 else { stop("could not limit its memory") }
// A file over the limit is then an error and not the end of the process.
signal(SIGXFSZ, SIG_IGN)
tessera_keep_freed_memory(8 << 20)
guard let version = Vips.start() else { stop("libvips could not start") }
Rehearsal.perform()
let lacks = Vips.lacks
// After libvips, because what it reads while it starts is not needed later.
let confinement = Confinement.enter()
// A forked process has one thread: locks that another one held would stay locked.
guard tessera_threads() == 1 else { stop("its libraries started threads") }

// A coordinator that has closed the channel needs no worker, which is not an error.
let capabilities = WorkerCapabilities(libvips: version, confinement: confinement, lacks: lacks)
guard LineChannel(descriptor: 3).send(WireLine.line(capabilities)) else { exit(0) }
var server = ForkServer(channel: 3)
if let descriptor = server.run() {
  Worker(secondsPerJob: arguments[1]).run(on: descriptor)
}
