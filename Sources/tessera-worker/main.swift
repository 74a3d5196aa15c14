internal import Glibc
internal import TesseraCProcess
internal import TesseraFiles
internal import TesseraTranscode
internal import TesseraWire

// tessera-worker: reads jobs from descriptor 3, a line each, and answers each with a line, until
// the other end is closed. It is started by tessera and by nobody else; its arguments are its
// limits: the address space in bytes, and processor seconds for one job.

let channelDescriptor: Int32 = 3

func stop(_ message: String) -> Never {
  StandardStream.error.write("tessera-worker: \(message)\n")
  exit(2)
}

let arguments = CommandLine.arguments.dropFirst().compactMap { UInt64($0) }
guard arguments.count == 2 else {
  stop("this program is started by tessera; run \"tessera --help\"")
}
// Limits first, before a byte of any picture is read.
guard tessera_die_with_parent() == 0, getppid() != 1 else { stop("the coordinator is gone") }
guard tessera_limit_self(arguments[0], 0) == 0 else { stop("could not limit the address space") }
guard let version = Vips.start() else { stop("libvips could not start") }

var channel = LineChannel(descriptor: channelDescriptor)
guard channel.send(WorkerHello(libvips: version).line) else { exit(0) }
while let line = channel.receive(maximumLength: WireLine.maximumLength) {
  let job: TranscodeJob
  do throws(WireError) {
    job = try TranscodeJob(line: line)
  } catch {
    stop("not a job: \(error.message)")
  }
  guard tessera_limit_self(0, arguments[1]) == 0 else { stop("could not limit processor time") }
  guard channel.send(Transcoder.perform(job).line(for: job.identifier)) else { break }
}
