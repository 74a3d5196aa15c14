internal import TesseraSystem
internal import TesseraTranscode
internal import TesseraWorkers

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
