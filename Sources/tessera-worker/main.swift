internal import Glibc
internal import TesseraCProcess
internal import TesseraSystem
internal import TesseraTranscode
internal import TesseraWire

// tessera-worker: reads requests from descriptor 3, one per line, and replies to each with a line,
// until the other end is closed. Only tessera starts it. Its arguments are its limits: the address
// space in bytes, the processor seconds for one job, the folder that sources are in, and the folder
// for results.

let channelDescriptor: Int32 = 3

func stop(_ message: String) -> Never {
  StandardStream.error.write("tessera-worker: \(message)\n")
  exit(2)
}

let arguments = CommandLine.arguments.dropFirst()
let limits = arguments.prefix(2).compactMap { UInt64($0) }
guard limits.count == 2, arguments.count == 4, let sources = arguments.dropFirst(2).first,
  let results = arguments.last
else {
  stop("only tessera starts this program; run \"tessera --help\"")
}
// Limits first, before a byte of any image is read. A parent of 1 means that the coordinator ended
// before the process asked to die with it.
guard tessera_die_with_parent() == 0, getppid() != 1 else { stop("the coordinator has ended") }
guard tessera_limit_self(limits[0], 0) == 0 else { stop("could not limit the address space") }
guard let version = Vips.start() else { stop("libvips could not start") }
// After libvips, because what it reads while it starts is not needed later.
let confinement = Confinement.enter(reading: sources, writing: results)

var channel = LineChannel(descriptor: channelDescriptor)
// A coordinator that has closed the channel needs no worker, which is not an error.
guard channel.send(WorkerHello(libvips: version, confinement: confinement).line) else { exit(0) }
while let line = channel.receive(maximumLength: WireLine.maximumLength) {
  let request: WorkerRequest
  do throws(WireError) {
    request = try WorkerRequest(line: line)
  } catch {
    stop("invalid request: \(error.message)")
  }
  // Processor time is limited per job, so the limit is raised before each.
  guard tessera_limit_self(0, limits[1]) == 0 else { stop("could not limit processor time") }
  let reply =
    switch request {
    case .transcode(let job): Transcoder.perform(job).line(for: job.identifier)
    case .examine(let folder): Examination.line(Examiner.perform(in: folder))
    }
  guard channel.send(reply) else { break }
}
