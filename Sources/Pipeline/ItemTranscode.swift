internal import TesseraFiles
internal import TesseraImageHeader
internal import TesseraOutput
internal import TesseraPlan
internal import TesseraState
internal import TesseraWire
internal import TesseraWorkers

/// Turns a spooled source into published files.
struct ItemTranscode: Sendable {
  let pool: WorkerPool
  let output: DirectoryOutput
  let maximumPixels: Int
  let maximumFrames: Int
  let recorder: RunRecorder

  enum Outcome: Sendable {
    /// The files of the blueprint's missing variants, in their order, and what the decoder saw.
    case made([VariantRecord], SourceFacts, warnings: [String])
    /// The decoder sees something else than the header told; plan again for this.
    case differs(SourceFacts)
    case failed(TranscodeFailure)
  }

  /// Makes what a blueprint misses, in one decode.
  ///
  /// - Parameter name: unique within the run; staged files begin with it.
  func make(
    _ blueprint: Blueprint, from source: String, format: String, name: String, identifier: Int
  ) async throws -> Outcome {
    let missing = blueprint.missing
    let outputs = missing.enumerated().map { order, index in
      let variant = blueprint.plan.variants[index]
      let file = "\(name)-\(order).\(variant.encoding.format.fileExtension)"
      return TranscodeJob.Output(file: output.stagingPath(file), variant: variant)
    }
    let job = TranscodeJob(
      identifier: identifier, source: source, format: format, expected: blueprint.facts,
      maximumPixels: maximumPixels, maximumFrames: maximumFrames, outputs: outputs)
    let reply: TranscodeReply
    do throws(WorkerStartError) {
      reply = try await pool.perform(job)
    } catch {
      throw PipelineError.workers(error.description)
    }
    switch reply {
    case .done(let facts, let warnings):
      var records: [VariantRecord] = []
      do throws(SystemError) {
        for output in outputs { records.append(try publish(output)) }
      } catch {
        throw PipelineError.local(error.description)
      }
      recorder.update { report in
        report.decodes += 1
        report.variantsMade += records.count
        report.bytesWritten += records.reduce(0) { $0 + $1.bytes }
      }
      return .made(records, facts, warnings: warnings)
    case .differs(let facts): return .differs(facts)
    case .failed(let failure):
      // A worker that died may have left half a file.
      for output in outputs { try? FileSystem.remove(output.file) }
      if failure.code == .cancelled { throw CancellationError() }
      if failure.code == .local { throw PipelineError.local(failure.message) }
      return .failed(failure)
    }
  }

  /// Opens what the worker wrote, reads its size from its own header, and gives it its lasting name.
  private func publish(_ staged: TranscodeJob.Output) throws(SystemError) -> VariantRecord {
    let bytes = try FileSystem.read(staged.file, limit: 1 << 31)
    guard case .header(let header) = ImageHeader.read(bytes.span, isWhole: true),
      header.format.rawValue == staged.variant.encoding.format.rawValue
    else {
      throw SystemError("read back", staged.file, code: 5)  // EIO: what was written is not there
    }
    let digest = Digest.of(bytes)
    let name =
      "\(digest.prefix(32))-\(header.width)x\(header.height)."
      + staged.variant.encoding.format.fileExtension
    let path = "variants/\(digest.prefix(2))/\(name)"
    try output.publish(staged: staged.file, as: path)
    return VariantRecord(
      path: path, width: header.width, height: header.height, bytes: bytes.count)
  }
}
