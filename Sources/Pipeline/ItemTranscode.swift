internal import TesseraBytes
internal import TesseraImageHeader
internal import TesseraOutput
internal import TesseraPlaceholder
internal import TesseraPlan
internal import TesseraState
internal import TesseraSystem
internal import TesseraWire
internal import TesseraWorkers

/// Turns a spooled source into published files.
struct ItemTranscode: Sendable {
  let pool: WorkerPool
  let output: DirectoryOutput
  let maximumPixels: Int
  let maximumFrames: Int
  let failOn: FailOn
  let recorder: RunRecorder
  /// When the run as a whole ends, if it has an end.
  let runEnd: ContinuousClock.Instant?

  enum Outcome: Sendable {
    /// The files of the blueprint's missing variants, in their order, and what the decoder saw.
    case made([VariantRecord], SourceFacts, Placeholders, warnings: [String])
    /// The decoder sees something else than the header told; plan again for this.
    case differs(SourceFacts)
    case failed(TranscodeFailure)
    /// The run's own deadline came first.
    case late
  }

  /// Makes the files that a blueprint misses, in one decode.
  ///
  /// - Parameter name: unique within the run; staged files begin with it.
  func make(
    _ blueprint: Blueprint, from source: String, format: String, name: String, identifier: Int
  ) async throws -> Outcome {
    let (missing, files) = (blueprint.missing, blueprint.plan.files)
    let outputs = missing.enumerated().map { order, index in
      let file = files[index]
      let staged = "\(name)-\(order).\(file.encoding.format.fileExtension)"
      return TranscodeJob.Output(path: output.stagingPath(staged), file: file)
    }
    let job = TranscodeJob(
      identifier: identifier, source: source, format: format, expected: blueprint.facts,
      decode: blueprint.decode, failOn: failOn,
      maximumPixels: maximumPixels, maximumFrames: maximumFrames,
      outputs: outputs)
    let reply: TranscodeReply
    do throws(WorkerStartError) {
      reply = try await pool.perform(job)
    } catch {
      throw PipelineError.workers(error.description)
    }
    switch reply {
    case .done(let facts, let placeholders, let warnings):
      guard facts.plansLike(blueprint.facts) else {
        discard(outputs)
        return .differs(facts)
      }
      var records: [VariantRecord] = []
      for output in outputs {
        guard let record = try publish(output) else {
          discard(outputs)
          return .failed(
            TranscodeFailure(.workerProtocol, "the worker did not make what it said it made"))
        }
        records.append(record)
      }
      recorder.update { report in
        report.decodes += 1
        report.variantsMade += records.count
        report.bytesWritten += records.reduce(0) { $0 + $1.bytes }
      }
      return .made(records, facts, placeholders, warnings: warnings)
    case .differs(let facts): return .differs(facts)
    case .failed(let failure):
      discard(outputs)
      if failure.code == .cancelled {
        guard let runEnd, runEnd <= .now, !Task.isCancelled else { throw CancellationError() }
        return .late
      }
      if failure.code == .local { try checkStaging(failure, name: name) }
      return .failed(failure)
    }
  }

  /// A worker that died may have left half a file. What can't be removed now is removed at the next
  /// run's start.
  private func discard(_ outputs: [TranscodeJob.Output]) {
    for output in outputs { try? FileSystem.remove(output.path) }
  }

  /// A worker says that a file could not be written. Where that is true of this process too, it is the
  /// disk and the end of the run; otherwise it is the worker's word against ours, and one item.
  private func checkStaging(_ failure: TranscodeFailure, name: String) throws(PipelineError) {
    let path = output.stagingPath("\(name)-test")
    do throws(SystemError) {
      let file = try File(path, .write)
      try file.write([UInt8](repeating: 0, count: 1 << 20))
      try FileSystem.remove(path)
    } catch {
      try? FileSystem.remove(path)
      throw .local(failure.message)
    }
  }

  /// Opens what the worker wrote, reads its size from its own header, and gives it its lasting name.
  /// Nil where it is not there, or not what it should be.
  private func publish(_ staged: TranscodeJob.Output) throws(PipelineError) -> VariantRecord? {
    do throws(SystemError) {
      guard FileSystem.size(ofFile: staged.path) != nil else { return nil }
      let bytes = try FileSystem.read(staged.path, limit: 1 << 31)
      guard case .header(let header) = ImageHeader.read(bytes.span, isWhole: true),
        header.format.rawValue == staged.file.encoding.format.rawValue,
        header.width == staged.file.size.width, header.height == staged.file.size.height
      else { return nil }
      let digest = SHA256.of(bytes)
      let name =
        "\(digest.prefix(32))-\(header.width)x\(header.height)."
        + staged.file.encoding.format.fileExtension
      let path = "variants/\(digest.prefix(2))/\(name)"
      try output.publish(staged: staged.path, as: path)
      return VariantRecord(
        path: path, width: header.width, height: header.height, bytes: bytes.count, sha256: digest)
    } catch {
      throw .local(error.description)
    }
  }
}
