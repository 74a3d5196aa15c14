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

/// Where a job has its source, and where what it makes goes: descriptors of the source and of memory for the files; or the
/// source's bytes themselves, and the files go back with the reply.
struct JobBytes {
  private let bytes: [UInt8]
  private let descriptors: [Int32]

  /// - Parameters:
  ///   - bytes: those that followed the job's line.
  ///   - descriptors: those that came with it, which are closed after the job.
  init(_ bytes: [UInt8], _ descriptors: [Int32]) {
    (self.bytes, self.descriptors) = (bytes, descriptors)
  }

  /// - Returns: with the reply, what goes back with it.
  func perform(
    _ body: (_ source: SourceData, _ write: FileSink) -> WorkerReply
  ) throws(SystemError) -> (WorkerReply, made: [UInt8]) {
    if descriptors.count == 2 {
      let file = File(path: "its source", descriptor: descriptors[0])
      let memory = File(path: "its memory for files", descriptor: descriptors[1])
      let source = try MappedFile(descriptor: file.descriptor)
      return (
        body(SourceData(source.bytes)) { bytes throws(TranscodeFailure) in
          do throws(SystemError) {
            try memory.write(bytes)
          } catch {
            throw TranscodeFailure(.local, error.description)
          }
        }, []
      )
    }
    guard descriptors.isEmpty, !bytes.isEmpty else { end("a job without its source") }
    var made: [UInt8] = []
    let reply = bytes.withUnsafeBytes { source in body(SourceData(source)) { made += $0 } }
    return (reply, reply.isWithoutResult ? [] : made)
  }
}
