import TesseraPlan
import TesseraSystem
import TesseraTestSupport
import TesseraWorkers
import Testing

@testable import TesseraTranscode

/// The reply, and the files in the job's memory.
func transcoded(_ job: TranscodeJob, _ source: [UInt8]) throws -> (WorkerReply, [[UInt8]]) {
  let folder = try TemporaryFolder()
  let memory = try File.temporary(in: folder.path("."))
  let reply = withSource(source) {
    Transcoder.perform(job, of: $0) { bytes throws(TranscodeFailure) in
      try append(bytes, to: memory)
    }
  }
  var files: [[UInt8]] = []
  guard case .files(let result) = reply else {
    #expect(try memory.size() == 0)
    return (reply, [])
  }
  for length in result.lengths {
    files.append(try memory.read(length, at: files.reduce(0) { $0 + $1.count }))
  }
  #expect(try memory.size() == result.lengths.reduce(0, +))
  return (reply, files)
}

func transcodeResult(_ reply: WorkerReply) throws -> TranscodeResult {
  guard case .files(let result) = reply else {
    Issue.record("\(reply)")
    return TranscodeResult(
      facts: SourceFacts(size: Size(1, 1), hasAlpha: false, frames: 1),
      placeholders: Placeholders(), warnings: [], lengths: [])
  }
  return result
}

extension LibvipsTests {
  @Suite struct TranscoderTests {
    init() throws { try #require(LibvipsTests.isReady) }

    @Test func allFilesAreMadeOfOneSource() throws {
      let source = try Places.bytes("plain.jpg")
      let size = Size(240, 160)
      var job = decoding("jpeg", size, base: Size(120, 80))
      job.files = [
        planned(Size(120, 80)), planned(Size(30, 20), .png), planned(Size(60, 40), .jpeg),
      ]
      job.placeholders = [.blurhash]
      let (reply, files) = try transcoded(job, source)
      let frame = try withSource(source) {
        var warnings: [SourceWarning] = []
        return try Decoder($0, job, failOn: .error).frames(warnings: &warnings)
      }
      var pyramid = Pyramid(frame, base: Size(120, 80), source: size)
      let expected = try job.files.map { try Encoder.encode(try pyramid.frames(for: $0), as: $0) }
      #expect(files == expected)
      let facts = SourceFacts(size: size, hasAlpha: false, frames: 1, colourSpace: "rgb")
      #expect(
        reply
          == .files(
            TranscodeResult(
              facts: facts, placeholders: try pyramid.placeholders([.blurhash]), warnings: [],
              lengths: expected.map(\.count))))
    }

    @Test func anotherSourceThanWasPlannedIsReported() throws {
      let source = try Places.bytes("plain.jpg")
      let facts = SourceFacts(size: Size(240, 160), hasAlpha: false, frames: 1, colourSpace: "rgb")
      for job in [
        decoding("jpeg", Size(240, 161)), decoding("jpeg", Size(240, 160), alpha: true),
        decoding("jpeg", Size(240, 160), frames: 2),
      ] {
        #expect(try transcoded(job, source).0 == .differs(facts))
      }
    }

    @Test func aDamagedSourceIsDecodedAsFarAsThePipelinePermits() throws {
      let source = try Places.bytes("truncated.jpg")
      var job = decoding("jpeg", Size(240, 160))
      job.files = [planned(Size(240, 160), .jpeg, quality: 100)]
      let detail = "the image could not be decoded: \(Libvips.truncatedJPEG)"
      for lanes in Lanes.allCases {
        job.decode.lanes = lanes
        for failOn in [FailOn.error, .truncated] {
          job.failOn = failOn
          guard case .failed(let failure) = try transcoded(job, source).0 else {
            Issue.record("\(failOn): decoded")
            continue
          }
          #expect(failure == TranscodeFailure(.decode, detail))
        }
        job.failOn = .none
        let (reply, files) = try transcoded(job, source)
        #expect(try transcodeResult(reply).warnings == [.damaged(.none, detail: detail)])
        // Its bytes are not copied, although they are fewer.
        #expect(try #require(files.first).count > source.count)
      }
      // Other errors are not of the image.
      job.maximumPixels = 10
      let message = "the image has 38400 pixels in 1 frames; limits.pixels allows 10"
      #expect(
        try transcoded(job, source).0 == .failed(TranscodeFailure(.tooManyPixels, message)))
    }

    /// A file at the source's own size and format would be larger, and worse.
    @Test func anUnchangedSourceIsReused() throws {
      let source = try Places.bytes("plain.jpg")
      let own = try #require(
        source.withUnsafeBytes {
          JPEGContainer.image(of: $0, withMetadataOf: UnsafeRawBufferPointer(rebasing: $0[...]))
        })
      var job = decoding("jpeg", Size(240, 160))
      job.files = [planned(Size(240, 160), .jpeg, quality: 100)]
      #expect(try transcoded(job, source).1 == [own])
      // One that is turned, or whose colours are converted, is not.
      job = decoding("jpeg", Size(120, 80))
      job.files = [planned(Size(120, 80), .jpeg, quality: 100)]
      for orientation in 1...2 {
        let source = try Places.bytes("orientation-\(orientation).jpg")
        let made = try #require(try transcoded(job, source).1.first)
        #expect((made.count < source.count) == (orientation == 1))
      }
      job = decoding("jpeg", Size(240, 160))
      job.files = [planned(Size(240, 160), .jpeg, quality: 100)]
      let wide = try Places.bytes("display-p3.jpg")
      let frames = try withSource(wide) {
        var warnings: [SourceWarning] = []
        return try Decoder($0, job, failOn: .error).frames(warnings: &warnings)
      }
      #expect(try transcoded(job, wide).1 == [Encoder.encode(frames, as: job.files[0])])
    }

    @Test func aWarningKeepsASourceFromBeingReused() throws {
      let source = try Places.bytes("broken-profile.jpg")
      var job = decoding("jpeg", Size(240, 160))
      job.files = [planned(Size(240, 160), .jpeg, quality: 100)]
      let (reply, files) = try transcoded(job, source)
      #expect(try transcodeResult(reply).warnings == [.damagedProfile])
      #expect(try #require(files.first).count > source.count)
    }

    @Test func anErrorOfTheMemoryIsAFailure() throws {
      let memory = try File("/dev/full", .append)
      var job = decoding("jpeg", Size(240, 160))
      job.files = [planned(Size(24, 16))]
      let reply = try withSource(Places.bytes("plain.jpg")) {
        Transcoder.perform(job, of: $0) { bytes throws(TranscodeFailure) in
          try append(bytes, to: memory)
        }
      }
      guard case .failed(let failure) = reply else {
        Issue.record("\(reply)")
        return
      }
      #expect(failure.code == .local && failure.message.contains("/dev/full"))
    }
  }
}
