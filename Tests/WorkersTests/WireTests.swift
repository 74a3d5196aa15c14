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
    let replies: [TranscodeReply] = [
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
