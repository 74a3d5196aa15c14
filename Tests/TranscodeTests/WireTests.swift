import Foundation
import TesseraCatalog
import TesseraPlan
import TesseraTestSupport
import Testing

@testable import TesseraWorkers

@Suite struct WireTests {
  /// One of each message between coordinator and worker, with all its members.
  private static var samples: [any (Codable & Equatable & Sendable)] {
    let facts = SourceFacts(
      size: Size(3, 4), hasAlpha: true, frames: 2, colourSpace: "rgb", profile: "Display P3",
      headroom: 4.5)
    func file(_ place: Crop.Place, _ quality: Int?, _ automatic: AutomaticQuality?) -> PlannedFile {
      PlannedFile(
        crop: Crop(Size(3, 4), place), size: Size(1, 2),
        encoding: Encoding(
          format: .webp, quality: quality, automatic: automatic, effort: 4, alphaQuality: 0,
          background: Colour(red: 1, green: 2, blue: 255), isAnimated: true,
          metadata: [.icc, .exif, .location], hasGainMap: true), fallback: nil)
    }
    let found = FoundQuality(
      quality: 72, score: 67.125, worstTile: -3.5, size: Size(256, 9), encodes: 4, isGraphic: true)
    var entry = TableJob.Entry(offset: 3, length: 4, format: "webp", size: Size(5, 6))
    (entry.x, entry.y) = (7, 8)
    let likeness = Likeness(
      score: -20.25, worstTile: .init(score: -30, x: 64, y: 128, size: Size(64, 95)))
    let requests: [WorkerRequest] = [
      .transcode(
        TranscodeJob(
          format: "png", expected: facts,
          decode: DecodePlan(base: Size(3, 4), isAnimated: true, keepsProfile: true, lanes: .off),
          failOn: .truncated, maximumPixels: 1_000, maximumFrames: 9,
          files: [
            file(.at(x: 1, y: 2), 80, nil),
            file(.found(.entropy), nil, AutomaticQuality(target: 77, range: 30...31)),
          ], placeholders: Placeholders.Kind.allCases)),
      .table(
        TableJob(
          pixels: .rgb565, rowBytes: 16, entryBytes: 64, background: .white,
          atlas: TableJob.Atlas(size: Size(64, 32), quality: 80, effort: 2), maximumPixels: 1_000,
          entries: [entry])),
      .compare(
        ComparisonJob(
          size: Size(4, 5), reference: .init(length: 6, format: "png"),
          candidate: .init(length: 7, format: "jxl"))),
      .examine,
    ]
    let replies: [WorkerReply] = [
      .files(
        TranscodeResult(
          facts: facts,
          placeholders: Placeholders([
            .color: "#010203", .thumbhash: "AAE=", .blurhash: "00000B",
            .css: "77",
          ]),
          warnings: [
            .damaged(.truncated, detail: "a \"b\""), .damagedProfile, .unusableProfile(detail: "c"),
            .toneMapped, .stillOfAnimation, .drawingIncomplete(detail: "d"),
            .headerDiffers(detail: "d"),
          ], lengths: [0, 1 << 32], qualities: [found])),
      .table(TableResult(length: 64, leftOut: [1, 3])), .comparison(likeness),
      .examination([ExaminationCheck(.write, "avif", problem: "no encoder")]), .differs(facts),
      .failed(TranscodeFailure(.decode, "no")),
    ]
    return requests + replies
      + [
        WorkerCapabilities(
          protocolVersion: "number", libvips: "8.14.1",
          confinement: Confinement(landlock: 3, hasSeccomp: true), lacks: [.avif]),
        WorkerEnd.ended(status: 9), WorkerEnd.notStarted(code: 11),
      ]
  }

  /// The number of the protocol is the digest of this file. After a change of a message this test writes what the file has
  /// to be to `build/Messages.jsonl`: then the number changes with it.
  @Test func theGoldenFileHasOneOfEachMessage() throws {
    let made = Self.samples.flatMap { WireLine.line($0, job: 7) }
    let golden = try Data(
      contentsOf: Places.root.appending(path: "Sources/Workers/Wire/Messages.jsonl"))
    if Data(made) != golden {
      let build = Places.root.appending(path: "build")
      try FileManager.default.createDirectory(at: build, withIntermediateDirectories: true)
      try Data(made).write(to: build.appending(path: "Messages.jsonl"))
    }
    #expect(
      Data(made) == golden, "compare build/Messages.jsonl with Sources/Workers/Wire/Messages.jsonl")
    // A member without a value would not be in the file, so that its name could change unnoticed.
    for sample in Self.samples {
      let missing = Self.missing(in: sample).subtracting(["automatic", "quality", "fallback"])
      #expect(missing.isEmpty, "\(missing) of \(sample)")
    }
  }

  /// The names of the optional members of a value, and of the values in it, that are nil.
  private static func missing(in value: Any) -> Set<String> {
    var names: Set<String> = []
    for child in Mirror(reflecting: value).children {
      let mirror = Mirror(reflecting: child.value)
      if mirror.displayStyle == .optional, mirror.children.isEmpty {
        names.insert(child.label ?? "")
      }
      names.formUnion(missing(in: child.value))
    }
    return names
  }

  @Test func messagesSurviveARoundTrip() throws {
    for sample in Self.samples { try Self.roundTrip(sample) }
    for case let reply as WorkerReply in Self.samples {
      let frame = try WireFrame(reply.line(for: 7, bytes: 12).dropLast())
      #expect(frame.job == 7 && frame.bytes == 12)
      #expect(try WorkerReply(frame, for: 7) == reply)
      #expect(throws: WireError.self) { try WorkerReply(frame, for: 8) }
    }
  }

  private static func roundTrip<Message: Codable & Equatable>(_ message: Message) throws {
    let line = WireLine.line(message, job: 3)
    #expect(line.last == UInt8(ascii: "\n") && line.filter { $0 == UInt8(ascii: "\n") }.count == 1)
    let (read, job) = try WireLine.message(Message.self, Array(line.dropLast()))
    #expect(read == message && job == 3)
  }

  /// A request that is like the last one has the same text, whatever its job is, and is read as what it was.
  @Test func theLastRequestIsKept() throws {
    let requests = Self.samples.compactMap { $0 as? WorkerRequest }
    var (writer, reader) = (LastRequest(), LastRequest())
    for (job, request) in (requests + requests.reversed() + requests.suffix(1)).enumerated() {
      let line = writer.line(request, job: job, bytes: job % 2)
      #expect(line == WireLine.line(request, job: job, bytes: job % 2))
      let frame = try WireFrame(line.dropLast())
      #expect(frame.job == job && frame.bytes == job % 2)
      #expect(try reader.request(in: frame) == request)
    }
    // One that can't be read is not taken for the last one.
    let other = try WireFrame(Array(#"{"job":1,"message":{"none":{}}}"#.utf8))
    #expect(throws: WireError.self) { try reader.request(in: other) }
    #expect(throws: WireError.self) { try reader.request(in: other) }
  }

  @Test(arguments: [
    #"{"job":1,"bytes":,"message":{}}"#, #"{"job":-1,"message":{}}"#,
    #"{"bytes":1,"job":1,"message":{}}"#, #" {"job":1,"message":{}}"#, #"{"job":1}"#, "",
    #"{"job":1234567890123456789,"message":{}}"#,
  ])
  func aFrameIsAsItIsWritten(_ line: String) {
    #expect(throws: WireError.self) { try WireFrame(Array(line.utf8)) }
  }
}
