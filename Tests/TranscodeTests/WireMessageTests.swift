import Foundation
import TesseraBytes
import TesseraCatalog
import TesseraPlan
import TesseraTestSupport
import Testing

@testable import TesseraWorkers

@Suite struct WireMessageTests {
  @Test func theDigestOfTheGoldenFileIsTheVersion() throws {
    let digest = SHA256.of(
      Array(
        try Data(contentsOf: Places.root.appending(path: "Sources/Workers/Wire/Messages.jsonl"))))
    #expect(WorkerCapabilities.protocolVersion == String(digest.prefix(16)))
    let capabilities = WorkerCapabilities(
      libvips: "8", confinement: Confinement(landlock: 0, hasSeccomp: false))
    #expect(capabilities.protocolVersion == WorkerCapabilities.protocolVersion)
    #expect(WireLine.maximumLength == 4_194_304)
  }

  @Test func aMessageBelongsToNoJobUnlessItSaysSo() throws {
    let line = WireLine.line(WorkerEnd.ended(status: 0))
    #expect(
      String(decoding: line, as: UTF8.self) == #"{"job":0,"message":{"ended":{"status":0}}}"# + "\n"
    )
    // What cannot be encoded is received as an invalid message.
    #expect(WireLine.line(Unspeakable()) == Array(#"{"job":0,"message":null}"#.utf8) + [0x0A])
    let tile = Likeness.Tile(score: 0, x: 0, y: 0, size: Size(1, 1))
    let reply = WorkerReply.comparison(Likeness(score: .nan, worstTile: tile)).line(for: 1)
    #expect(throws: WireError.self) { try WorkerReply(WireFrame(reply.dropLast()), for: 1) }
  }

  private struct Unspeakable: Encodable {
    func encode(to encoder: any Encoder) throws {
      throw EncodingError.invalidValue(0, .init(codingPath: [], debugDescription: "no"))
    }
  }

  @Test func placesInAnAtlasAreZeroUnlessTheyAreSet() {
    let entry = TableJob.Entry(offset: 1, length: 2, format: "png", size: Size(3, 4))
    #expect(entry.x == 0 && entry.y == 0)
    let job = TableJob(
      pixels: .webp, rowBytes: 2, entryBytes: 3, background: .white,
      maximumPixels: 4, entries: [])
    #expect(job.atlas == nil)
  }

  @Test(
    arguments: [
      (1, true, nil), (9, true, nil), (0, true, "it could read this machine's files (no Landlock)"),
      (1, false, "it could use the network and start processes (no seccomp)"),
      (
        0, false,
        "it could read this machine's files, use the network and start processes "
          + "(neither Landlock nor seccomp)"
      ),
    ] as [(Int, Bool, String?)])
  func aConfinementMayHaveGaps(_ landlock: Int, _ hasSeccomp: Bool, _ gap: String?) {
    #expect(Confinement(landlock: landlock, hasSeccomp: hasSeccomp).gap == gap)
  }

  @Test func failuresHaveTheCodesOfTheCatalog() {
    let codes: [TranscodeFailure.Code: String] = [
      .decode: "decode", .encode: "encode", .tooManyPixels: "too-many-pixels",
      .tooManyFrames: "too-many-frames", .tooManyScans: "too-many-scans", .local: "local",
      .workerCrashed: "worker-crashed", .workerTimeout: "worker-timeout",
      .outOfMemory: "out-of-memory", .workerProtocol: "worker-protocol", .cancelled: "cancelled",
    ]
    for (code, name) in codes { #expect(code.rawValue == name) }
  }
}

/// A worker may be compromised, so a reply must be complete and possible.
@Suite struct WireReplyTests {
  private static let size = #""size":{"width":1,"height":1}"#
  private static let facts = #""facts":{\#(size),"hasAlpha":false,"frames":1}"#

  private static func files(
    facts: String = facts, lengths: String = "[]", warnings: String = "[]",
    qualities: String = "[]", placeholders: String = ""
  ) -> String {
    #"{"job":1,"message":{"files":{"_0":{\#(facts),"placeholders":{\#(placeholders)},"#
      + #""warnings":\#(warnings),"#
      + #""lengths":\#(lengths),"qualities":\#(qualities)}}}}"#
  }

  private static func failed(_ code: String, job: Int = 1) -> String {
    #"{"job":\#(job),"message":{"failed":{"_0":{"code":"\#(code)","message":"no"}}}}"#
  }

  private static func quality(_ number: Int) -> String {
    #"[{"quality":\#(number),"score":1,"worstTile":1,\#(size),"encodes":1,"isGraphic":true}]"#
  }

  /// What is wrong with a reply; nil if nothing is.
  private func problem(_ line: String) -> String? {
    do throws(WireError) {
      _ = try WorkerReply(WireFrame(Array(line.utf8)), for: 1)
      return nil
    } catch {
      return error.message
    }
  }

  @Test(
    .faults(.w6),
    arguments: [
      (files(), nil), (failed("decode"), nil), ("[]", "not a message"), ("null", "not a message"),
      (#"{"job":1}"#, "not a message"), (#"{"message":{}}"#, "not a message"),
      (#"{"job":"a","message":{}}"#, "not a message"),
      (
        #"{"job":1,"message":{}"#,
        "not JSON: expected a member's name in quotes, found the end of the text"
      ),
      (#"{"job":1,"message":{}}"#, "not a message"),
      (#"{"job":1,"message":{"none":{}}}"#, "not a message"),
      (failed("decode", job: 2), "a reply to another job"),
      (failed("none"), #""failed.code" is missing or invalid"#),
      (failed("cancelled"), "a worker cannot cancel a job"),
      (
        #"{"job":1,"message":{"failed":{"_0":{"code":"decode"}}}}"#,
        #""failed.message" is missing or invalid"#
      ),
      (#"{"job":1,"message":{"failed":{"_0":null}}}"#, #""failed" is missing or invalid"#),
      (files(warnings: #"["a"]"#), #""files.warnings" is missing or invalid"#),
      (files(lengths: "[1.5]"), #""files.lengths" is missing or invalid"#),
      (files(lengths: "[-1]"), "a length is impossible"), (files(lengths: "[0,4294967296]"), nil),
      (files(lengths: "[0,4294967297]"), "a length is impossible"),
      (files(qualities: quality(100)), nil),
      (files(qualities: quality(101)), "a quality is impossible"),
      (
        files(facts: #""facts":{"size":{"width":0,"height":1},"hasAlpha":false,"frames":1}"#),
        "the facts of the source are out of range"
      ),
      (
        #"{"job":1,"message":{"differs":{"_0":{\#(size),"hasAlpha":false,"frames":0}}}}"#,
        "the facts of the source are out of range"
      ),
      (#"{"job":1,"message":{"differs":{"_0":{\#(size),"hasAlpha":false,"frames":1}}}}"#, nil),
      (
        #"{"job":1,"message":{"table":{"_0":{"length":-1,"leftOut":[]}}}}"#,
        "a length is impossible"
      ),
      (#"{"job":1,"message":{"table":{"_0":{"length":0,"leftOut":[]}}}}"#, nil),
    ] as [(String, String?)])
  func aReplyIsCompleteAndPossible(_ line: String, _ expected: String?) {
    #expect(problem(line) == expected)
  }

  /// W20: pages have these texts in their markup and style sheets.
  @Test(
    .faults(.w20),
    arguments: [
      ("color", ["#0a1b2c", "#ffffff"], ["", "red", "#0A1B2C", "#0a1b2", "#0a1b2c;", "#0a1b2g"]),
      (
        "thumbhash", ["YJqGPQw7sFlslqhFafSE+Q6oJ1h2iHB2Rw==", "AAAA"],
        ["", "AAA", "AAAA\\n", "AA=A", "====", "A===", "<b>A"]
      ),
      (
        "blurhash", ["LEHV6nWB2yk8pyo0adR*.7kCMdnj", "00000B"],
        ["", "00000", "00000<", "00000\\\"", "00000'", "0000 0", "00000é"]
      ),
      (
        "css", ["0", "16777215"], ["", "-1", "16777216", "+1", "01", "1.0", "9;", "1e3", "red"]
      ),
    ])
  func aPlaceholderIsOfItsForm(_ kind: String, _ good: [String], _ bad: [String]) {
    for text in good {
      #expect(problem(Self.files(placeholders: #""\#(kind)":"\#(text)""#)) == nil, "\(text)")
    }
    for text in bad {
      let found = problem(Self.files(placeholders: #""\#(kind)":"\#(text)""#))
      #expect(found == "a placeholder is impossible", "\(kind): \(text)")
    }
    let long = String(repeating: "A", count: 20_000)
    #expect(problem(Self.files(placeholders: #""\#(kind)":"\#(long)""#)) != nil)
  }

  @Test func whatIsNotJSONIsSaidSo() {
    let problem = problem(#"{"job":1,"message":no}"#)
    #expect(problem?.hasPrefix("not JSON: ") == true && problem != "not JSON: ")
  }
}
