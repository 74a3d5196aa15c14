import TesseraCatalog
import TesseraPlan
import TesseraText
import Testing

@testable import TesseraPipelineFile

/// Mistakes of a pipeline file, each a whole sentence at its position.
@Suite struct MistakeTests {
  private static let minimal = "manifest: m\noutput: o\nslots: {a: {size: 10x10}}\n"

  /// The mistakes of some lines: `5:3 …`, with the lines counted from 1.
  static func mistakes(
    _ lines: String, after start: String = minimal, environment: [String: String] = [:]
  ) -> [String] {
    do throws(PipelineFileError) {
      _ = try PipelineFile.decode(
        Array((start + lines).utf8), path: "d/p.yaml", environment: { environment[$0] })
      return []
    } catch {
      let first = start.count(where: \.isNewline)
      return error.diagnostics.map { "\($0.mark.line - first):\($0.mark.column) \($0.message)" }
    }
  }

  @Test func keysAreKnown() {
    #expect(
      Self.mistakes("colour: red\n") == [
        "1:1 unknown key \"colour\"; the keys are accept, base, base-url, catalog, columns, delivery, "
          + "extra, fail-above, "
          + "fail-on, fetch, keep-catalogs, keep-lost, lanes, limits, lost-above, manifest, "
          + "output, placeholders, "
          + "require-sandbox, rounding, scales, shrink-above, slots, state, store, tables, "
          + "upgrade, variants, weights, workers"
      ])
    let long = String(repeating: "k", count: 61)
    #expect(
      Self.mistakes("catalog: {\(long): 1, url: none}\n") == [
        "1:11 unknown key \"\(long.prefix(59))…\" in \"catalog\"; the keys are changes, "
          + "profile, screens, urls",
        "1:77 unknown key \"url\" in \"catalog\"; did you mean \"urls\"?",
      ])
    #expect(
      Self.mistakes("fetch: {[a]: b, {c: d}: e, retries: 1, retries: 2}\n") == [
        "1:9 a key must be a word, found a list",
        "1:17 a key must be a word, found a group of keys",
        "1:40 duplicate key \"fetch.retries\"; line 4 has it already",
      ])
  }

  @Test(arguments: [
    ("quality: 3", "\"variants.quality\""), ("timeout: 3s", "\"fetch.timeout\""),
    ("fetch: {scales: 3}", "\"scales\" at the top level"),
    ("variants: {fetch: {}}", "\"fetch\" at the top level"),
  ])
  func aKeyAtAWrongLevelHasAPlace(_ line: String, _ place: String) {
    let found = Self.mistakes(line + "\n")
    #expect(found.count == 1 && found[0].hasSuffix("; did you mean \(place)?"), "\(found)")
  }

  @Test func aNameOfOneGroupHasAPlace() {
    #expect(PipelineFile.place(ofKey: "time") == "\"limits.time\"")
    #expect(PipelineFile.place(ofKey: "format") == "\"variants.format\"")
    #expect(PipelineFile.place(ofKey: "colour") == nil)
  }

  /// The words of CSS, sharp and image services.
  @Test(arguments: [
    ("contain", "fit"), ("inside", "fit"), ("outside", "fill"), ("cover", "clip"), ("crop", "clip"),
  ])
  func modesOfOtherToolsAreTranslated(_ word: String, _ mode: String) {
    let found = Self.mistakes(
      "slots: {a: {size: 9x9, mode: \(word)}}\n", after: "manifest: m\noutput: o\n")
    #expect(found.count == 1 && found[0].hasSuffix("; \"\(word)\" is \"\(mode)\" here"), "\(found)")
  }

  @Test func groupsAreGroups() {
    #expect(Self.mistakes("fetch:\nlimits: ~\nvariants: {}\ncatalog: null\n") == [])
    #expect(
      Self.mistakes("fetch: [a]\nlimits: \"\"\n") == [
        "1:8 \"fetch\" must be a group of keys, found a list",
        "2:9 \"limits\" must be a group of keys, found \"\"",
      ])
    #expect(
      Self.mistakes("- manifest: m\n", after: "") == [
        "1:1 a pipeline file must be a group of keys, found a list",
        "1:1 the key \"manifest\" is missing; it must be a path, an http(s) URL, s3://bucket/key, "
          + "or \"-\" for "
          + "standard input",
        "1:1 the key \"output\" is missing; it must be a path, or s3://bucket/prefix",
        "1:1 the key \"slots\" is missing; it must be names with sizes, such as {card: {size: "
          + "180x}}",
      ])
  }

  @Test(arguments: [
    ("slots: {}", "1:8 \"slots\" must name at least one slot"),
    (
      "slots: {a b: {size: 1x}}",
      "1:9 a slot's name consists of letters, digits, \"-\", \"_\" and \".\""
    ),
    (
      "slots: {\"\": {size: 1x}}",
      "1:9 a slot's name consists of letters, digits, \"-\", \"_\" and \".\""
    ),
    (
      "slots: {a: {size: 1x, mode: clip}}",
      "1:19 \"slots.a\": mode clip needs both sides, such as 36x36, to know the crop's shape"
    ),
    (
      "slots: {a: {size: 1x, aspect: [2:1, 1:2]}}",
      "1:31 \"slots.a.aspect\" must be the narrowest and the widest shape, such as [1:2, 2:1]"
    ),
    (
      "slots: {a: {size: 1x, aspect: [1:2]}}",
      "1:31 \"slots.a.aspect\" must be the narrowest and the widest shape, such as [1:2, 2:1]"
    ),
    (
      "slots: {a: {size: 1x, aspect: [1:2, 2:0]}}",
      "1:37 \"slots.a.aspect\" must be a shape as width to height, such as 1:2, found \"2:0\""
    ),
    (
      "slots: {a: {size: 1x, aspect: [1:2, 65537:1]}}",
      "1:37 \"slots.a.aspect\" must be a shape as width to height, such as 1:2, found \"65537:1\""
    ),
    (
      "slots: {a: {size: 1x, aspect: 1:2}}",
      "1:31 \"slots.a.aspect\" must be a list, found \"1:2\""
    ),
    (
      "slots: {a: {size: 1x2, mode: fill, aspect: [1:2, 2:1]}}",
      "1:44 \"slots.a.aspect\" has no effect: with mode fill and both sides, every image has the box's shape; remove it, or a side"
    ),
    (
      "slots: {a: {size: x1, mode: clip}}",
      "1:19 \"slots.a\": mode clip needs both sides, such as 36x36, to know the crop's shape"
    ),
    (
      "slots: {a: {mode: fit}}",
      "1:12 the key \"slots.a.size\" is missing; it must be a size in points, such as 36x36, 180x "
        + "(free height) "
        + "or x200 (free width)"
    ),
    (
      "slots: {a: {size: 1x, mode: crop}}",
      "1:29 \"slots.a.mode\" must be one of \"fit\", \"fill\", \"clip\", found \"crop\"; \"crop\" is \"clip\" here"
    ),
    (
      "slots: {a: {size: 1x, mode: filt}}",
      "1:29 \"slots.a.mode\" must be one of \"fit\", \"fill\", \"clip\", found \"filt\" (did you "
        + "mean \"fit\"?)"
    ),
  ])
  func slotsHaveNamesAndSizes(_ line: String, _ message: String) {
    #expect(Self.mistakes(line + "\n", after: "manifest: m\noutput: o\n") == [message])
  }

  @Test(arguments: ["a", "A-b_c.1", "ö", "画像", "²", "-"])
  func aNameOfASlotMayBe(_ name: String) throws {
    let text = "manifest: m\noutput: o\nslots: {\"\(name)\": {size: 3x4, mode: clip}}\n"
    let file = try PipelineFile.decode(Array(text.utf8), path: "p.yaml") { _ in nil }
    #expect(file.plan.slots == [Slot(name, width: 3, height: 4, mode: .clip)])
  }

  @Test(arguments: [
    (
      "tables: {b: {}}",
      ["1:10 \"tables.b\": \"slots\" has no slot of this name"]
    ),
    (
      "tables: {crad: {}}",
      ["1:10 \"tables.crad\": \"slots\" has no slot of this name (did you mean \"card\"?)"]
    ),
    (
      "tables: {card: {scales: [1, 4]}}",
      ["1:25 \"tables.card.scales\" must be some of the pipeline's scales (1, 2, 3), found 4"]
    ),
    (
      "catalog: {screens: {x: {slots: [card, crad]}}}",
      [
        "1:32 \"catalog.screens.x.slots\": \"slots\" has no slot \"crad\" (did you mean \"card\"?)"
      ]
    ),
    (
      "catalog: {screens: {x: {slots: [card], scales: [1, 4]}}}",
      [
        "1:48 \"catalog.screens.x.scales\" must be some of the pipeline's scales (1, 2, 3), found 4"
      ]
    ),
    (
      "catalog: {screens: {a/b: {slots: [card]}}}",
      [
        "1:21 a screen's name becomes a folder: it consists of the letters A to Z, digits, \"-\" and \"_\""
      ]
    ),
    ("catalog: {screens: {}}", ["1:20 \"catalog.screens\" must name at least one screen"]),
    ("tables: {}", ["1:9 \"tables\" must name at least one slot"]),
    // 341 x 3 is 1023, and 342 x 3 is 1026.
    ("tables: {clip: {}}", []),
    (
      "tables: {wide: {}}",
      [
        "1:10 \"tables.wide\": at scale 3 its images have up to 1026 pixels on a side, and tables "
          + "hold at most 1024; "
          + "name smaller scales, or leave the slot out"
      ]
    ),
    ("tables: {wide: {scales: [2]}}", []),
    // Of an image that fits, the shorter side of the box is the most that is certain.
    ("tables: {fit: {}}", []),
    (
      "tables: {fill: {scales: 3}}",
      [
        "1:10 \"tables.fill\": at scale 3 its images have up to 1200 pixels on a side, and tables "
          + "hold at most 1024; "
          + "name smaller scales, or leave the slot out"
      ]
    ),
  ])
  func tablesAreOfTheSlots(_ line: String, _ messages: [String]) {
    let slots =
      "manifest: m\noutput: o\nslots:\n  card: {size: 10x}\n  clip: {size: 341x10, mode: clip}\n"
      + "  wide: {size: 342x10, mode: clip}\n  fit: {size: 400x300}\n  fill: {size: 400x300, mode: "
      + "fill}\n"
    #expect(Self.mistakes(line + "\n", after: slots) == messages)
  }

  /// A slot that could not be read is a mistake already.
  @Test func tablesOfSlotsWithMistakesAreNotReported() {
    #expect(
      Self.mistakes("slots: {a: {}}\ntables: {a: {}}\n", after: "manifest: m\noutput: o\n") == [
        "1:12 the key \"slots.a.size\" is missing; it must be a size in points, such as 36x36, "
          + "180x (free height) or x200 (free width)"
      ])
  }

  @Test func aTableHasAllScalesWithoutItsOwn() throws {
    let text = Self.minimal + "scales: [3, 1]\ntables: {a: {pixels: [webp, rgba8]}}\n"
    let file = try PipelineFile.decode(Array(text.utf8), path: "p.yaml") { _ in nil }
    #expect(file.tables == [.init(slot: "a", scales: [1, 3], pixels: [.webp, .rgba8])])
  }

  // MARK: Variables

  @Test func variablesAreReplacedInTexts() throws {
    let environment = ["A": "x", "B_2": "${A}", "EMPTY": ""]
    func value(_ text: String) -> String? {
      let file = try? PipelineFile.decode(
        Array("\(Self.minimal)fetch: {user-agent: \"\(text)\"}\n".utf8), path: "p.yaml",
        environment: { environment[$0] })
      return file?.fetch.userAgent
    }
    #expect(value("${A}") == "x")
    #expect(value("a${A}b${A}${EMPTY}c") == "axbxc")
    // What the environment has is text.
    #expect(value("${B_2}") == "${A}")
    #expect(value("$A $} {A}") == "$A $} {A}")
    for (text, message) in [
      ("a${A", "1:21 \"fetch.user-agent\": \"${\" without its \"}\""),
      (
        "${A}${C}",
        "1:21 \"fetch.user-agent\": the environment variable \"C\" is not set; set it, or remove "
          + "${C}"
      ),
      ("${EMPTY}", "1:21 \"fetch.user-agent\" must be a line of text, found \"${EMPTY}\""),
    ] {
      #expect(
        Self.mistakes("fetch: {user-agent: \"\(text)\"}\n", environment: environment) == [message])
    }
  }

  /// Its text may be a secret of the environment.
  @Test func aMessageHasNoValueOfTheEnvironment() {
    #expect(
      Self.mistakes("workers: ${N}\n", environment: ["N": "s3cret"]) == [
        "1:10 \"workers\" must be \"auto\" or a whole number from 1 to 256, found \"${N}\""
      ])
  }

  @Test func anAliasIsReportedOnce() {
    #expect(
      Self.mistakes("workers: &x many\nfetch: {retries: *x, redirects: *x}\n") == [
        "1:10 \"fetch.retries\" must be a whole number from 0 to 20, found \"many\"",
        "1:10 \"fetch.redirects\" must be a whole number from 0 to 50, found \"many\"",
        "1:10 \"workers\" must be \"auto\" or a whole number from 1 to 256, found \"many\"",
      ])
    #expect(
      Self.mistakes("scales: [&x 9, *x, *x]\n") == [
        "1:10 \"scales\" must be a list of whole numbers from 1 to 8, such as [1, 2, 3], found "
          + "\"9\""
      ])
  }
}
