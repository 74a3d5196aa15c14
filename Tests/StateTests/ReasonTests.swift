import TesseraPlan
import TesseraTestSupport
import Testing

@testable import TesseraState

@Suite struct ReasonTests {
  private static let reasons: [Reason] = [
    .unknownSource, .rejectedLastTime, .fresh(until: 12), .neverRevalidated, .checkedInThisRun,
    .onlyFailedRequested, .expired(checked: 1, freshUntil: 2), .noLifetime(checked: 3),
    .alwaysRevalidated, .filesMissing(2, of: 5), .noLongerAccepted, .headerDiffers, .notModified,
    .fetchedFirst, .fetchedAgain, .sameBytes, .sameRejectedBytes,
    .changed(oldETag: nil, newETag: "\"; a\""), .changed(oldETag: "1", newETag: "2"), .keptCopy,
    .sharedResult, .knownBytes, .rejectedBefore,
    .backOff(failures: 3, until: 4), .decoded(made: 3, reused: 4),
    .failed(code: "dns", message: "No; such \"host\"."), .layoutRun, .knownSizeFresh, .sameHeader,
    .headerRead, .text("asked for: it was not known"),
  ]

  /// Reasons come back as they were stored, whatever characters their arguments have.
  @Test func storesAndReadsEveryReason() {
    #expect(Reason.list(stored: Reason.stored(Self.reasons)) == Self.reasons)
    #expect(Reason.list(stored: Reason.stored([])) == [])
  }

  @Test(arguments: ["", "x", "{}", "[[]]", "[[1]]", "[[\"of a later version\", 1]]"])
  func ignoresWhatItDoesNotKnow(_ text: String) {
    #expect(Reason.list(stored: text) == [])
  }

  /// Sentences that schema 8 stored become data; the levels of damage decide what is accepted.
  @Test(arguments: [
    (
      "the picture is damaged, and shown as far as it can be decoded (fail-on: none): odd: very",
      SourceWarning.damaged(.none, detail: "odd: very")
    ),
    (
      "the picture is damaged, and shown as far as it can be decoded (fail-on: truncated): x",
      .damaged(.truncated, detail: "x")
    ),
    ("the colour profile is damaged, or for another kind of picture", .damagedProfile),
    ("the colour profile could not be used: y", .unusableProfile(detail: "y")),
  ])
  func migratesWarnings(_ sentence: String, _ warning: SourceWarning) {
    #expect(Migration9.warning(of: sentence) == warning)
  }

  /// Decisions and failures of schema 8 are kept in their own words.
  @Test func migratesSentencesOfSchema8() async throws {
    let folder = try TemporaryFolder()
    do {
      let database = try Database(folder.path("state"))
      try Schema.migrate(database, to: 8)
      try database.execute(
        """
        INSERT INTO items (id, run, position, line, entry, done, reason)
          VALUES ('a', 7, 0, 1, 'x', 1, 'asked for: it was not known; fetched'),
            ('b', 7, 1, 2, 'x', 1, NULL);
        INSERT INTO contents (content, format, width, height, alpha, frames, warnings, mark)
          VALUES ('c', 'jpeg', 3, 4, 0, 1,
            'the picture is damaged, and shown as far as it can be decoded (fail-on: none): odd\nthe colour profile is damaged, or for another kind of picture', 99);
        INSERT INTO results (id, result, status, settings, mark) VALUES
          ('a', '{"id":"a","warnings":["odd"]}', 'ok', 's', 1), ('b', '{"id":"b"}', 'ok', 's', 1);
        INSERT INTO rejections (key, settings, kind, code, message, place, seen, twice, mark)
          VALUES ('u', 's', 'refused', 'not-image', 'the file is no picture', 'p', 1, 1, 99);
        """)
    }
    let state = try StateStore(path: folder.path("state"))
    #expect(
      try await state.story(of: "a")?.reasons == [.text("asked for: it was not known; fetched")])
    #expect(
      try await state.contentRecord("c")?.warnings
        == [.damaged(.none, detail: "odd"), .damagedProfile])
    let rejection = try await state.knowledge(of: "", url: "u").rejection
    #expect(rejection?.details == "[\"text\",\"the file is no picture\"]")
    #expect(rejection?.repeats == 1)
    // Only lines whose words have changed are made again.
    var reusable: [String] = []
    try Database(folder.path("state"), isReadOnly: true)
      .prepare(
        "SELECT id FROM items JOIN results ON item = number WHERE settings = 's'"
      ).run { reusable.append($0.text(0)) }
    #expect(reusable == ["b"])
  }
}
