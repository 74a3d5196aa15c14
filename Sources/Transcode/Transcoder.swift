internal import TesseraPlan
internal import TesseraSystem
package import TesseraWire

/// Turns one spooled source into all its files, from one decode.
///
/// The steps, in order: look at the header and the limits; decode at the smallest size that still
/// serves the largest file; convert to sRGB; turn upright; then each file from a half, a quarter… of
/// that; encode, clean, write; at last the placeholders.
package struct Transcoder {
  private let job: TranscodeJob
  private var warnings: [String] = []
  /// Where the picture could be used as it is stored.
  private var stored: StoredPicture?

  package static func perform(_ job: TranscodeJob) -> TranscodeReply {
    var transcoder = Transcoder(job: job)
    do throws(TranscodeFailure) {
      return try transcoder.run()
    } catch {
      return .failed(error)
    }
  }

  private init(job: TranscodeJob) { self.job = job }

  private mutating func run() throws(TranscodeFailure) -> TranscodeReply {
    let (facts, decoded): (SourceFacts, [Picture]?)
    do throws(TranscodeFailure) {
      (facts, decoded) = try decode(failOn: .error)
    } catch {
      // What a strict decoder refuses is looked at again, where the pipeline is not that strict.
      guard error.code == .decode, job.failOn != .error else { throw error }
      (facts, decoded) = try decode(failOn: job.failOn)
      warnings.append("\(TranscodeReply.damageWarning(job.failOn)): \(error.message)")
    }
    guard let decoded else { return .differs(facts) }
    var pyramid = Pyramid(decoded, base: job.decode.base, source: facts.size)
    for output in job.outputs {
      let frames: [Picture]
      do throws(VipsError) {
        frames = try pyramid.frames(for: output.file)
      } catch {
        throw TranscodeFailure(decoding: error)
      }
      try Encoder.write(frames, as: output, or: stored)
    }
    do throws(VipsError) {
      return .done(facts, try pyramid.placeholders(), warnings: warnings)
    } catch {
      throw TranscodeFailure(encoding: error, format: "placeholder")
    }
  }

  /// What the source is, and its frames; no frames where it is not what the plan was made for.
  private mutating func decode(
    failOn: FailOn
  ) throws(TranscodeFailure) -> (SourceFacts, [Picture]?) {
    let decoder = try Decoder(job, failOn: failOn)
    guard decoder.facts.plansLike(job.expected) else { return (decoder.facts, nil) }
    warnings = []
    do throws(VipsError) {
      let frames = try decoder.frames(warnings: &warnings)
      // Nothing is used again of what is broken in any way.
      let isSound = failOn == .error && warnings.isEmpty
      stored =
        isSound && decoder.isShownAsStored ? StoredPicture(job, decoder.facts) : nil
      return (decoder.facts, frames)
    } catch {
      throw TranscodeFailure(decoding: error)
    }
  }
}

extension TranscodeFailure {
  init(decoding error: VipsError) {
    self =
      error.isOutOfMemory
      ? TranscodeFailure(.outOfMemory, "decoding needed more memory than limits.memory allows")
      : TranscodeFailure(.decode, "the picture could not be decoded: \(error.message)")
  }

  init(encoding error: VipsError, format: String) {
    self =
      error.isOutOfMemory
      ? TranscodeFailure(.outOfMemory, "encoding needed more memory than limits.memory allows")
      : TranscodeFailure(.encode, "the \(format) file could not be encoded: \(error.message)")
  }
}
