internal import Glibc
internal import TesseraCProcess
internal import TesseraCSandbox
internal import TesseraSystem
internal import TesseraTranscode
internal import TesseraWorkers

/// A forked process that does jobs: the only one that untrusted bytes reach.
struct Worker {
  /// The limit on processor time for one job.
  let secondsPerJob: UInt64

  /// Does jobs until the channel is closed, then ends the process.
  func run(on descriptor: Int32) -> Never {
    // What the fork server may do and a worker may not: start processes, signal them. A kernel without
    // filters has been reported with the capabilities.
    let code = tessera_confine_worker()
    guard code == 0 || code == ENOSYS else { end("could not restrict its system calls") }
    var channel = LineChannel(descriptor: descriptor, acceptsDescriptors: true)
    var last = LastRequest()
    while let line = channel.receive(maximumLength: WireLine.maximumLength) {
      // Processor time is limited per job, so the limit is raised before each.
      guard tessera_limit_time(secondsPerJob) == 0 else { end("could not limit its time") }
      do throws(WireError) {
        let frame = try WireFrame(line)
        let request = try last.request(in: frame)
        guard case .line(let bytes) = channel.receive(bytes: frame.bytes, until: nil) else { break }
        let (reply, made) = reply(to: request, JobBytes(bytes, channel.takeDescriptors()))
        guard channel.send(reply.line(for: frame.job, bytes: made.count) + made) else { break }
      } catch {
        end("invalid request: \(error.message)")
      }
    }
    // Without libvips' own end, which would free what the kernel frees at once.
    _exit(0)
  }

  private func reply(
    to request: WorkerRequest, _ bytes: JobBytes
  ) -> (WorkerReply, made: [UInt8]) {
    switch request {
    case .transcode(let job): make(of: bytes) { Transcoder.perform(job, of: $0, into: $1) }
    case .table(let job): make(of: bytes) { TablePainter.perform(job, of: $0, into: $1) }
    case .compare(let job): make(of: bytes) { source, _ in ImageComparer.perform(job, of: source) }
    case .examine: (.examination(Examiner.perform()), [])
    }
  }

  private func make(
    of bytes: JobBytes, _ perform: (_ source: SourceData, _ write: FileSink) -> WorkerReply
  ) -> (WorkerReply, made: [UInt8]) {
    do throws(SystemError) {
      return try bytes.perform(perform)
    } catch {
      return (.failed(TranscodeFailure(.local, error.description)), [])
    }
  }
}

func end(_ message: String) -> Never {
  StandardStream.error.write("tessera-worker: \(message)\n")
  _exit(2)
}
