internal import Glibc
internal import TesseraCProcess
internal import TesseraCSandbox
internal import TesseraSystem
internal import TesseraTranscode
internal import TesseraWire

/// A forked process that does jobs: the only one that untrusted bytes reach.
struct Worker {
  /// The limit on processor time for one job.
  let secondsPerJob: UInt64

  /// Does jobs until the channel is closed, then ends the process.
  func run(on descriptor: Int32) -> Never {
    // What the fork server may do and a worker may not: start processes, signal them. A kernel without
    // filters has been reported with the hello.
    let code = tessera_confine_worker()
    guard code == 0 || code == ENOSYS else { end("could not restrict its system calls") }
    var channel = LineChannel(descriptor: descriptor, acceptsDescriptors: true)
    while let line = channel.receive(maximumLength: WireLine.maximumLength) {
      // Processor time is limited per job, so the limit is raised before each.
      guard tessera_limit_time(secondsPerJob) == 0 else { end("could not limit its time") }
      guard channel.send(reply(to: line, channel.takeDescriptors())) else { break }
    }
    // Without libvips' own end, which would free what the kernel frees at once.
    _exit(0)
  }

  private func reply(to line: [UInt8], _ descriptors: [Int32]) -> [UInt8] {
    do throws(WireError) {
      let (request, job) = try WireLine.message(WorkerRequest.self, line)
      return reply(to: request, descriptors).line(for: job)
    } catch {
      end("invalid request: \(error.message)")
    }
  }

  private func reply(to request: WorkerRequest, _ descriptors: [Int32]) -> WorkerReply {
    switch request {
    case .transcode(let job):
      make(of: descriptors) { Transcoder.perform(job, of: $0, into: $1) }
    case .table(let job): make(of: descriptors) { TablePainter.perform(job, of: $0, into: $1) }
    case .compare(let job):
      make(of: descriptors) { source, _ in ImageComparer.perform(job, of: source) }
    case .examine: .examination(Examiner.perform())
    }
  }

  private func make(
    of descriptors: [Int32],
    _ perform: (_ source: SourceData, _ memory: borrowing File) -> WorkerReply
  ) -> WorkerReply {
    guard descriptors.count == 2 else { end("a job without its descriptors") }
    // Both are closed after the job.
    let file = File(path: "its source", descriptor: descriptors[0])
    let memory = File(path: "its memory for files", descriptor: descriptors[1])
    do throws(SystemError) {
      let source = try MappedFile(descriptor: file.descriptor)
      return perform(SourceData(source.bytes), memory)
    } catch {
      return .failed(TranscodeFailure(.local, error.description))
    }
  }

  private func end(_ message: String) -> Never {
    StandardStream.error.write("tessera-worker: \(message)\n")
    _exit(2)
  }
}
