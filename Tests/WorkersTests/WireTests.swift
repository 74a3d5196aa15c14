import TesseraPlaceholder
import TesseraPlan
import TesseraWire
import Testing

@Suite struct WireTests {
  @Test func messagesSurviveARoundTrip() throws {
    var job = job(
      format: "png", size: Size(3, 4), frames: 2, alpha: true, files: [file(1, 2, .png)])
    job.files[0].crop = Crop(x: 1, y: 2, size: Size(3, 4))
    job.files[0].encoding.background = Colour(red: 1, green: 2, blue: 255)
    #expect(try TranscodeJob(line: Array(job.line.dropLast())) == job)
    job.decode.isAnimated = true
    job.decode.keepsProfile = true
    job.failOn = .truncated
    job.files[0].encoding.metadata = [.icc, .exif, .location]
    job.files[0].encoding.alphaQuality = 0
    job.files[0].crop = Crop(Size(3, 4), .found(.entropy))
    #expect(try TranscodeJob(line: Array(job.line.dropLast())) == job)
    job.files[0].encoding.quality = nil
    job.files[0].encoding.automatic = AutomaticQuality(target: 77, range: 30...31)
    #expect(try TranscodeJob(line: Array(job.line.dropLast())) == job)
    var searched = TranscodeResult(
      facts: job.expected, placeholders: Placeholders(), warnings: [], lengths: [1])
    searched.qualities = [
      FoundQuality(
        quality: 72, score: 67.125, worstTile: -3.5, size: Size(256, 9), encodes: 4,
        isGraphic: true)
    ]
    var compared = TranscodeResult(
      facts: job.expected, placeholders: Placeholders(), warnings: [], lengths: [])
    compared.likeness = Likeness(
      score: -20.25, worstTile: .init(score: -30, x: 64, y: 128, size: Size(64, 95)))
    let replies: [TranscodeReply] = [
      .done(searched), .done(compared),
      .done(
        TranscodeResult(
          facts: job.expected,
          placeholders: Placeholders(color: nil, thumbHash: "A", blurHash: "B", lqip: "C"),
          warnings: [
            .damaged(.truncated, detail: "a \"b\""), .damagedProfile, .unusableProfile(detail: "c"),
          ], lengths: [0, 1 << 32])),
      .done(
        TranscodeResult(
          facts: job.expected,
          placeholders: Placeholders(color: "#010203", thumbHash: "A", blurHash: "B", lqip: "C"),
          warnings: [], lengths: [])),
      .differs(job.expected),
      .failed(TranscodeFailure(.decode, "no")),
    ]
    let comparison = ComparisonJob(
      identifier: 3, size: Size(4, 5), reference: .init(length: 6, format: "png"),
      candidate: .init(length: 7, format: "jxl"))
    let request = WorkerRequest.compare(comparison)
    #expect(try WorkerRequest(line: Array(request.line.dropLast())) == request)
    for reply in replies {
      #expect(try TranscodeReply(line: Array(reply.line(for: 7).dropLast()), for: 7) == reply)
      #expect(throws: WireError.self) {
        try TranscodeReply(line: Array(reply.line(for: 7).dropLast()), for: 8)
      }
    }
  }
}

extension WireTests {
  /// A worker may be compromised, so a reply must be complete and possible.
  @Test(arguments: [
    ("not JSON", "not JSON: "),
    ("[]", "not a JSON object"),
    (#"{"job":1}"#, #""failed" is missing or invalid"#),
    (#"{"job":2,"failed":{"code":"decode","message":"no"}}"#, "a reply to another job"),
    (#"{"job":1,"failed":{"code":"unheard-of","message":"no"}}"#, #""code" is missing or invalid"#),
    (
      #"{"job":1,"failed":{"code":"cancelled","message":"no"}}"#,
      "a worker cannot cancel a job"
    ),
    (
      #"{"job":1,"differs":{"width":0,"height":1,"alpha":false,"frames":1}}"#,
      "the facts of the source are out of range"
    ),
    (
      #"{"job":1,"done":{"width":1,"height":1,"alpha":false,"frames":1},"placeholders":{},"warnings":[],"lengths":[],"#
        + #""qualities":[{"quality":101,"score":1,"worstTile":1,"width":1,"height":1,"encodes":1,"graphic":true}]}"#,
      "a quality is impossible"
    ),
    (#"{"job":1,"done":{},"warnings":["a sentence"]}"#, "not a JSON object"),
    (#"{"job":1,"done":{},"warnings":[{"kind":"unheard-of"}]}"#, #""kind" is missing or invalid"#),
    (
      #"{"job":1,"done":{},"warnings":[{"kind":"damaged","detail":""}]}"#,
      #""failOn" is missing or invalid"#
    ),
  ])
  func invalidRepliesAreErrors(_ line: String, _ message: String) {
    do throws(WireError) {
      _ = try TranscodeReply(line: Array(line.utf8), for: 1)
      Issue.record("accepted")
    } catch {
      #expect(error.message.hasPrefix(message), "\(error.message)")
    }
  }
}
