internal import TesseraPlan
package import TesseraWorkers

/// Receives the bytes of what is made, file by file.
package typealias FileSink = (_ bytes: [UInt8]) throws(TranscodeFailure) -> Void

/// Turns one source into all its files, from one decode.
///
/// The steps, in order: read the header and check the limits; decode at the smallest size that
/// still serves the largest output; convert to sRGB; turn upright; make each output from the
/// nearest level of the pyramid, encode it and clean its metadata; finally compute the
/// placeholders.
package struct Transcoder {
  private let source: SourceData
  private let job: TranscodeJob

  /// - Parameter write: receives the files one after the other, in the order of the job.
  package static func perform(
    _ job: TranscodeJob, of source: SourceData, into write: FileSink
  ) -> WorkerReply {
    do throws(TranscodeFailure) {
      return try Transcoder(source: source, job: job).run(into: write)
    } catch {
      return .failed(error)
    }
  }

  private func run(
    into write: FileSink
  ) throws(TranscodeFailure) -> WorkerReply {
    let decoded = try decode()
    guard let frames = decoded.frames else { return .differs(decoded.facts) }
    var pyramid = Pyramid(frames, base: job.decode.base, source: decoded.facts.size)
    let searched = try search(decoded.facts, &pyramid)
    var output: GainMapOutput?
    var lengths: [Int] = []
    for file in job.files {
      let bytes: [UInt8]
      if file.encoding.hasGainMap {
        do throws(TranscodeFailure) {
          if output == nil { output = try gainMapOutput(decoded) }
          bytes = try self.bytes(of: file, &output, &pyramid)
        } catch {
          // The image is whole without its map, for which memory may not suffice.
          return .differs(decoded.facts.withoutGainMap)
        }
      } else {
        bytes = try self.bytes(of: searched.resolved(file), decoded, searched, &pyramid)
      }
      lengths.append(bytes.count)
      try write(bytes)
    }
    do throws(VipsError) {
      return .files(
        TranscodeResult(
          facts: decoded.facts, placeholders: try pyramid.placeholders(job.placeholders),
          warnings: decoded.warnings, lengths: lengths,
          qualities: job.files.unresolvedEncodings.compactMap { searched.results[$0]?.found }))
    } catch {
      throw TranscodeFailure(encoding: error, format: "placeholder")
    }
  }

  private func bytes(
    of file: PlannedFile, _ decoded: Decoded, _ searched: Searched, _ pyramid: inout Pyramid
  ) throws(TranscodeFailure) -> [UInt8] {
    // The same recipe makes the same bytes, whether its quality was searched for or not.
    if !file.mayBeLossless, let made = searched.bytes(of: file) {
      return decoded.reusable?.smaller(than: made, as: file) ?? made
    }
    let frames = try frames(for: file, &pyramid)
    return try Encoder.encode(frames, as: file, orReuse: decoded.reusable)
  }

  // MARK: Gain maps

  /// Nil if no file is to have the gain map.
  private func gainMapOutput(_ decoded: Decoded) throws(TranscodeFailure) -> GainMapOutput? {
    guard job.files.contains(where: \.encoding.hasGainMap), let gainMap = decoded.gainMap,
      var frames = decoded.frames
    else { return nil }
    if !job.decode.keepsProfile {
      var job = job
      job.decode.keepsProfile = true
      job.decode.seeksGainMap = false
      // What there is to say of the image is said already.
      var warnings: [SourceWarning] = []
      frames = try Decoder(source, job, failOn: decoded.failOn).frames(warnings: &warnings)
    }
    return GainMapOutput(gainMap, frames[0], base: job.decode.base, source: decoded.facts.size)
  }

  private func bytes(
    of file: PlannedFile, _ output: inout GainMapOutput?, _ pyramid: inout Pyramid
  ) throws(TranscodeFailure) -> [UInt8] {
    var crop = file.crop
    do throws(VipsError) {
      // In the image that the other files are made of, so that all show the same part.
      if let part = crop { crop = try pyramid.placed(part) }
    } catch {
      throw TranscodeFailure(decoding: error)
    }
    guard let bytes = try output?.bytes(of: file, crop: crop) else {
      throw TranscodeFailure(.decode, "the image has no gain map")
    }
    return bytes
  }

  private func frames(
    for file: PlannedFile, _ pyramid: inout Pyramid
  ) throws(TranscodeFailure) -> [Raster] {
    do throws(VipsError) {
      return try pyramid.frames(for: file)
    } catch {
      throw TranscodeFailure(decoding: error)
    }
  }

  // MARK: Qualities

  /// What the searches of a job found.
  private struct Searched {
    var results: [Encoding: QualityFinder.Result] = [:]

    /// The file with its quality.
    func resolved(_ file: PlannedFile) -> PlannedFile {
      guard let result = results[file.encoding] else { return file }
      var file = file
      file.encoding.quality = result.found.quality
      return file
    }

    /// The file, if a search has made it.
    func bytes(of file: PlannedFile) -> [UInt8]? {
      results.values.first {
        $0.file.encoding == file.encoding && $0.file.size == file.size && file.crop == nil
      }?.bytes
    }
  }

  private func search(
    _ facts: SourceFacts, _ pyramid: inout Pyramid
  ) throws(TranscodeFailure) -> Searched {
    var searched = Searched()
    var waiting = job.files.unresolvedEncodings
    while let first = waiting.first {
      guard let size = AutomaticQuality.searchedSize(of: facts.size, base: job.decode.base),
        let frame = try frames(
          for: PlannedFile(crop: nil, size: size, encoding: first, fallback: nil), &pyramid
        ).first
      else { throw TranscodeFailure(.encode, "the image is too small to find a quality") }
      var finder = try QualityFinder(frame, background: first.background)
      for encoding in waiting where finder.compares(encoding) {
        guard let automatic = encoding.automatic else { continue }
        searched.results[encoding] = try finder.find(encoding, automatic)
      }
      waiting.removeAll { finder.compares($0) }
    }
    return searched
  }

  // MARK: Decoding

  private struct Decoded {
    var facts: SourceFacts
    /// Nil if the source is not what the plan was made for.
    var frames: [Raster]?
    /// The source, if its encoded image may serve as an output.
    var reusable: ReusableSource?
    var gainMap: GainMap?
    /// How strictly it was decoded.
    var failOn = FailOn.error
    var warnings: [SourceWarning] = []
  }

  /// Decodes strictly and, if that fails and the pipeline is less strict, again at the pipeline's
  /// level.
  private func decode() throws(TranscodeFailure) -> Decoded {
    do throws(TranscodeFailure) {
      return try decode(failOn: .error)
    } catch {
      guard error.code == .decode, job.failOn != .error else { throw error }
      var decoded = try decode(failOn: job.failOn)
      decoded.failOn = job.failOn
      decoded.warnings.append(.damaged(job.failOn, detail: error.message))
      return decoded
    }
  }

  private func decode(failOn: FailOn) throws(TranscodeFailure) -> Decoded {
    let decoder = try Decoder(source, job, failOn: failOn)
    var decoded = Decoded(facts: decoder.facts, gainMap: decoder.gainMap)
    if decoder.isStillOfAnimation { decoded.warnings.append(.stillOfAnimation) }
    if let missing = decoder.missingOfDrawing {
      decoded.warnings.append(.drawingIncomplete(detail: missing))
    }
    // Before the frames are decoded: files of a wrong plan would be useless.
    guard decoder.facts.plansLike(job.expected) else { return decoded }
    decoded.frames = try decoder.frames(warnings: &decoded.warnings)
    if let difference = decoder.differenceFromHeader {
      decoded.warnings.append(.headerDiffers(detail: difference))
    }
    // Bytes of a source that is damaged in any way are never copied into an output.
    if failOn == .error, decoded.warnings.isEmpty, decoder.isShownAsStored {
      decoded.reusable = ReusableSource(source, job, decoder.facts)
    }
    return decoded
  }
}

extension TranscodeFailure {
  init(decoding error: VipsError) {
    self =
      error.isOutOfMemory
      ? TranscodeFailure(.outOfMemory, "decoding needed more memory than limits.memory allows")
      : TranscodeFailure(.decode, "the image could not be decoded: \(error.message)")
  }

  init(encoding error: VipsError, format: String) {
    self =
      error.isOutOfMemory
      ? TranscodeFailure(.outOfMemory, "encoding needed more memory than limits.memory allows")
      : TranscodeFailure(.encode, "the \(format) file could not be encoded: \(error.message)")
  }
}
