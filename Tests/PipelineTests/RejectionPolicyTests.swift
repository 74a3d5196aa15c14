import TesseraNet
import TesseraPlan
import TesseraState
import TesseraWorkers
import Testing

@testable import TesseraPipeline

@Suite struct RejectionPolicyTests {
  private func policy(onlyFailed: Bool = false) -> RejectionPolicy {
    RejectionPolicy(settings: "s1", onlyFailed: onlyFailed)
  }

  private let image = ImageFacts(format: "jpeg", size: Size(400, 300))
  private var damaged: ItemFailure {
    .undecodable(TranscodeFailure(.decode, "the data is damaged"), image)
  }
  private let page = ItemFailure.rejected(.header(code: "not-image", reason: "an HTML page"))

  /// The record that a failure leaves; nil if nothing is remembered.
  private func saved(
    _ failure: ItemFailure, content: String? = "c0",
    _ response: FetchResponse = .example(etag: "\"e\""), previous: RejectionRecord? = nil,
    onlyFailed: Bool = false
  ) -> RejectionRecord? {
    let change = policy(onlyFailed: onlyFailed).change(
      after: failure, content: content, response, previous: previous, now: now)
    guard case .save(let record)? = change else { return nil }
    return record
  }

  // MARK: Believing

  @Test func aRejectionByAnotherPipelineIsNotCurrent() {
    #expect(policy().current(.example()) == .example())
    #expect(policy().current(nil) == nil)
    var other = RejectionRecord.example()
    other.settings = "s2"
    #expect(policy().current(other) == nil)
  }

  @Test func aRejectionIsBelievedForAWeekIfTwoRunsAgreed() {
    let week = 7 * 86_400.0
    // Its age, whether it was seen twice, `--retry-failed`.
    let cases: [(Double, Bool, Bool, isBelieved: Bool)] = [
      (0, true, false, true), (60, true, false, true), (week, true, false, true),
      (week + 1, true, false, false),
      // The clock was set back.
      (-1, true, false, false),
      (60, false, false, false), (60, true, true, false),
    ]
    for (age, isTwice, onlyFailed, isBelieved) in cases {
      var record = RejectionRecord.example(age: age)
      record.repeats = isTwice ? 1 : 0
      let believed = policy(onlyFailed: onlyFailed).believed(record, now: now)
      #expect((believed == record) == isBelieved, "\(age) \(isTwice) \(onlyFailed)")
      #expect((believed == nil) == !isBelieved)
    }
    #expect(policy().believed(nil, now: now) == nil)
  }

  /// What may pass is believed for a day after the first failure, then two, four, at most a week.
  @Test func aCrashIsRetriedWithBackOff() {
    let day = 86_400.0
    for code in Self.passing {
      // Damaged records may have any number.
      for (repeats, days) in [(0, 1.0), (1, 2), (2, 4), (3, 7), (4, 7), (.max, 7), (-1, 1)] {
        var record = RejectionRecord.example()
        (record.code, record.repeats) = (code.rawValue, repeats)
        for (age, isBelieved) in [
          (0, true), (days * day, true), (days * day + 1, false), (-1, false),
        ] {
          record.seen = now - age
          let words = "\(code) \(repeats) \(age)"
          #expect((policy().believed(record, now: now) == record) == isBelieved, "\(words)")
          #expect(policy(onlyFailed: true).believed(record, now: now) == nil, "\(words)")
        }
        guard (0...4).contains(repeats) else { continue }
        #expect(
          RejectionPolicy.backOff(record)
            == .backOff(failures: repeats + 1, until: record.seen + days * day))
      }
    }
    #expect(RejectionPolicy.backOff(.example()) == nil, "it stays")
    #expect(saved(page).flatMap(RejectionPolicy.backOff) == nil)
  }

  @Test func eachFailureOfTheSameBytesDoublesTheBackOff() {
    func failed(_ code: TranscodeFailure.Code) -> ItemFailure {
      .undecodable(TranscodeFailure(code, "x"), image)
    }
    // What slows one worker down may crash another one.
    let crash = saved(failed(.workerCrashed))
    let timeout = saved(failed(.workerTimeout), previous: crash, onlyFailed: true)
    let memory = saved(failed(.outOfMemory), previous: timeout, onlyFailed: true)
    #expect([crash, timeout, memory].map { $0?.repeats } == [0, 1, 2])
    #expect(memory?.code == "out-of-memory")
    // Recognized bytes were not examined.
    var earlier = crash
    earlier?.seen = now - 1_000
    let recognized = saved(failed(.workerCrashed), previous: earlier)
    #expect(recognized?.repeats == 0)
    #expect(recognized?.seen == now - 1_000)
    // Other bytes, and another kind of failure, begin anew.
    #expect(saved(failed(.workerCrashed), content: "c1", previous: timeout)?.repeats == 0)
    #expect(saved(damaged, previous: timeout, onlyFailed: true)?.repeats == 0)
    #expect(saved(failed(.workerCrashed), previous: saved(damaged))?.repeats == 0)
  }

  @Test func aKeptCopyIsRememberedByItsBytes() {
    let change = policy().change(
      after: damaged, content: "c0", nil, previous: nil, now: now)
    var expected = RejectionRecord(
      settings: "s1", kind: .undecodable, code: "decode",
      details: #"["worker","the data is damaged"]"#, content: "c0", etag: nil, place: "", seen: now)
    (expected.format, expected.width, expected.height) = ("jpeg", 400, 300)
    guard case .save(let record)? = change else {
      Issue.record("\(String(describing: change))")
      return
    }
    #expect(record == expected)
  }

  // MARK: Remembering

  private static let lasting: [TranscodeFailure.Code] = [
    .decode, .tooManyPixels, .tooManyFrames, .tooManyScans,
  ]
  private static let passing: [TranscodeFailure.Code] = [
    .workerCrashed, .workerTimeout, .outOfMemory, .workerProtocol,
  ]

  @Test func onlyWhatTheBytesCauseIsRemembered() {
    for code in Self.lasting + Self.passing {
      #expect(saved(.undecodable(TranscodeFailure(code, "x"), image))?.code == code.rawValue)
    }
    let machine: [TranscodeFailure.Code] = [.encode, .local, .cancelled]
    for code in machine { #expect(saved(.undecodable(TranscodeFailure(code, "x"), image)) == nil) }
    #expect(saved(.unknownSlot("a", known: [])) == nil)
    #expect(saved(.unreachable(FetchError(.httpStatus, "gone", status: 404))) == nil)
    #expect(saved(.rejected(.header(code: "truncated", reason: "cut off"))) == nil)
    #expect(saved(page)?.code == "not-image")
  }

  @Test func withoutBytesAndETagNothingIsRemembered() {
    // A date is not enough.
    let dated = FetchResponse.example(lastModified: "Mon, 01 Jan 2024 00:00:00 GMT")
    #expect(saved(page, content: nil, dated) == nil)
    #expect(saved(page, content: nil, .example()) == nil)
    #expect(saved(page, content: nil, .example(etag: "W/\"e\"")) != nil)
    #expect(saved(damaged, content: "c0", .example()) != nil)
  }

  @Test func theRecordHasWhatTheNextRunNeeds() {
    var expected = RejectionRecord(
      settings: "s1", kind: .undecodable, code: "decode",
      details: #"["worker","the data is damaged"]"#, content: "c0", etag: "\"e\"",
      place: FetchResponse.example().place, seen: now)
    (expected.format, expected.width, expected.height) = ("jpeg", 400, 300)
    #expect(saved(damaged) == expected)
  }

  // MARK: Twice

  @Test func twoExaminationsOfTheSameBytesAgree() {
    let first = saved(damaged)
    #expect(first?.repeats == 0)
    #expect(saved(damaged, previous: first)?.repeats == 1)
    // With the bytes, neither ETag nor place matters.
    let moved = FetchResponse.example(etag: "\"other\"", url: "https://b.example/")
    #expect(saved(damaged, moved, previous: first)?.repeats == 1)
    #expect(saved(damaged, content: "c1", previous: first)?.repeats == 0)
    let pixels = ItemFailure.undecodable(TranscodeFailure(.tooManyPixels, "x"), image)
    #expect(saved(pixels, previous: first)?.repeats == 0)
  }

  @Test func withoutBytesETagAndPlaceAgree() {
    let first = saved(page, content: nil)
    let cases: [(FetchResponse, Bool)] = [
      (.example(etag: "\"e\""), true),
      (.example(etag: "\"f\""), false),
      (.example(etag: "\"e\"", url: "https://b.example/"), false),
    ]
    for (response, isTwice) in cases {
      #expect(saved(page, content: nil, response, previous: first)?.repeats == (isTwice ? 1 : 0))
    }
    // One examination saw all of the bytes and the other did not.
    #expect(saved(page, content: "c0", previous: first)?.repeats == 0)
    #expect(saved(page, content: nil, previous: saved(page))?.repeats == 0)
    let other = ItemFailure.rejected(.notAnImage)
    #expect(saved(other, content: nil, previous: first)?.repeats == 1, "the same code")
    let format = ItemFailure.rejected(.unsupportedFormat(image, accepted: []))
    #expect(saved(format, content: nil, previous: first)?.repeats == 0)
  }

  @Test func aThirdExaminationNeedsTheSecondToAgree() {
    let second = saved(damaged, previous: saved(damaged))
    #expect(saved(damaged, previous: second, onlyFailed: true)?.repeats == 2)
    #expect(saved(damaged, content: "c1", previous: second)?.repeats == 0)
  }

  // MARK: The week

  @Test func knownBytesKeepTheirWeek() {
    let previous = RejectionRecord.example(age: 1_000)
    #expect(saved(damaged, previous: previous)?.seen == now - 1_000)
    // Examined again: after the week, with `--retry-failed`, other bytes, bytes seen once.
    #expect(saved(damaged, previous: .example(age: 8 * 86_400))?.seen == now)
    #expect(saved(damaged, previous: previous, onlyFailed: true)?.seen == now)
    #expect(saved(damaged, content: "c1", previous: previous)?.seen == now)
    var once = previous
    once.repeats = 0
    #expect(saved(damaged, previous: once)?.seen == now)
    // Without bytes nothing shows that they are the same.
    var without = RejectionRecord.example(age: 1_000)
    without.content = nil
    #expect(saved(page, content: nil, previous: without)?.seen == now)
  }

  // MARK: The stored form

  @Test func everyLastingFailureIsStoredAndReadBack() {
    let odd = "say \"hé\\llo\"\n\u{1F600}, 'x'; -- \u{0}"
    var failures: [ItemFailure] = [
      .rejected(.header(code: "not-image", reason: "an HTML page, not an image")),
      .rejected(.header(code: "malformed", reason: odd)), .rejected(.header(code: "", reason: "")),
      .rejected(.notAnImage), .rejected(.unsupportedFormat(image, accepted: ["png", "webp"])),
      .rejected(.unsupportedFormat(image, accepted: [])), .rejected(.sideTooLong(image)),
      .rejected(.tooManyPixels(image, limit: 123_456_789_012)),
      .rejected(.tooLarge(image, limit: 64_000_000)),
      .rejected(.stored(code: "not-image", sentence: "the file is a page", nil)),
      .rejected(.stored(code: "too-many-pixels", sentence: odd, image)),
    ]
    for code in Self.lasting + Self.passing {
      for facts in [nil, image] {
        failures.append(.undecodable(TranscodeFailure(code, odd), facts))
        failures.append(.undecodable(TranscodeFailure(code, ""), facts))
      }
    }
    for failure in failures {
      let record = saved(failure)
      #expect(record.map { ItemFailure($0) } == failure)
    }
  }

  private func record(
    _ kind: RejectionRecord.Kind, _ code: String, _ details: String, _ image: ImageFacts? = nil
  ) -> RejectionRecord {
    var record = RejectionRecord(
      settings: "s1", kind: kind, code: code, details: details, content: nil, etag: nil, place: "",
      seen: now)
    record.format = image?.format
    (record.width, record.height) = (image?.size.width, image?.size.height)
    return record
  }

  @Test func sentencesOfSchema8AreReadBack() {
    let cases: [(RejectionRecord, ItemFailure)] = [
      (
        record(.rejected, "not-image", #"["text","the file is a page"]"#),
        .rejected(.stored(code: "not-image", sentence: "the file is a page", nil))
      ),
      (
        record(.rejected, "too-many-pixels", #"["text","the file is far too large"]"#, image),
        .rejected(.stored(code: "too-many-pixels", sentence: "the file is far too large", image))
      ),
      (
        record(.undecodable, "decode", #"["text","The data is damaged."]"#, image),
        .undecodable(TranscodeFailure(.decode, "The data is damaged."), image)
      ),
      (
        record(.undecodable, "too-many-scans", #"["text","Too many."]"#),
        .undecodable(TranscodeFailure(.tooManyScans, "Too many."), nil)
      ),
    ]
    for (record, failure) in cases { #expect(ItemFailure(record) == failure) }
  }

  @Test func unreadableDetailsAreReadAsFarAsPossible() {
    for details in ["", "not JSON", "{}", "[]", "[1, 2]", #"["format"]"#, #"["pixels",5]"#] {
      let rejected = ItemFailure(record(.rejected, "not-image", details))
      #expect(rejected == .rejected(.stored(code: "not-image", sentence: "", nil)), "\(details)")
      let undecodable = ItemFailure(record(.undecodable, "decode", details))
      #expect(undecodable == .undecodable(TranscodeFailure(.decode, ""), nil), "\(details)")
    }
    // A code that a later version wrote.
    #expect(
      ItemFailure(record(.undecodable, "melted", #"["worker","x"]"#))
        == .undecodable(TranscodeFailure(.decode, "x"), nil))
    // A width without a height is not used.
    var half = record(.undecodable, "decode", #"["worker","x"]"#, image)
    half.height = nil
    #expect(ItemFailure(half) == .undecodable(TranscodeFailure(.decode, "x"), nil))
  }
}
