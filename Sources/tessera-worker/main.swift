internal import Glibc
internal import TesseraCProcess
internal import TesseraSystem
internal import TesseraTranscode
internal import TesseraWire

// tessera-worker: reads jobs from descriptor 3, a line each, and answers each with a line, until
// the other end is closed. It is started by tessera and by nobody else; its arguments are its
// limits: the address space in bytes, processor seconds for one job, the folder that sources are read
// from, and the one that files are made in.

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
  stop("this program is started by tessera; run \"tessera --help\"")
}
// Limits first, before a byte of any picture is read.
guard tessera_die_with_parent() == 0, getppid() != 1 else { stop("the coordinator is gone") }
guard tessera_limit_self(limits[0], 0) == 0 else { stop("could not limit the address space") }
guard let version = Vips.start() else { stop("libvips could not start") }
// What libvips needed to start is loaded; from here on it sees codecs, fonts and the two folders.
let confinement = Confinement.enter(reading: sources, writing: results)

var channel = LineChannel(descriptor: channelDescriptor)
guard channel.send(WorkerHello(libvips: version, confinement: confinement).line) else { exit(0) }
while let line = channel.receive(maximumLength: WireLine.maximumLength) {
  let request: WorkerRequest
  do throws(WireError) {
    request = try WorkerRequest(line: line)
  } catch {
    stop("not a job: \(error.message)")
  }
  guard tessera_limit_self(0, limits[1]) == 0 else { stop("could not limit processor time") }
  let answer =
    switch request {
    case .transcode(let job): Transcoder.perform(job).line(for: job.identifier)
    case .examine(let folder): Examination.line(Examiner.perform(in: folder))
    }
  guard channel.send(answer) else { break }
}
