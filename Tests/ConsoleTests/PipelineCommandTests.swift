import Foundation
import TesseraTestSupport
import Testing

extension StreamTests {
  /// Commands that take a pipeline file or a list, as far as they start no worker.
  @Suite struct PipelineCommandTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func tessera(_ words: String...) async throws -> End {
      try await StreamTests.tessera(words)
    }

    private func pipeline(_ lines: [String], _ keys: String = "") throws -> String {
      try folder.write(lines.map { $0 + "\n" }.joined(), to: "list.jsonl")
      return try folder.write(
        """
        manifest: list.jsonl
        output: out
        slots: {card: {size: 100x100, mode: clip}}
        scales: [1, 2]
        rounding: exact
        fetch: {allow: ["files:\(folder.url.resolvingSymlinksInPath().path)"]}
        \(keys)
        """, to: "feed.yaml")
    }

    @Test func checkPrintsEachMistake() async throws {
      let list = folder.path("list.jsonl")
      let good = #"{"id":"a","url":"https://example.com/a?token=1","b":1,"a":2}"#
      let bad = #"{"id":"b","url":"http://10.0.0.1/"}"#
      let notes = """
        not in the catalog: a, b; name what is to be public in the pipeline file, such as extra: [a]
        1 URL with a signature or a token, which the catalog does not show

        """
      #expect(
        try await tessera("check", try pipeline([good]))
          == End(status: 0, output: notes + "1 item, no mistakes\n"))
      let found = try await tessera("check", try pipeline([good, "x", bad]))
      #expect(found.status == 1 && found.errors.isEmpty)
      let lines = found.output.split(separator: "\n")
      #expect(lines.first?.hasPrefix("\(list):2: error: not valid JSON ") == true)
      #expect(lines.dropFirst().first?.hasPrefix("\(list):3: error: http://10.0.0.1/: ") == true)
      #expect(found.output.hasSuffix(notes + "1 item, 2 lines can't be used\n"))
      let json = try await tessera("check", try pipeline(["x"]), "--json")
      #expect(
        json.status == 1
          && json.output.hasPrefix("{\n  \"schema\": \"tessera-check/1\",\n  \"items\": 0,"))
      let probed = try await tessera(
        "check", try pipeline(["{\"url\":\"data:,x\"}", "x"]), "--probe")
      #expect(probed.output.hasSuffix("\n0 items, 1 line and 1 image can't be used\n"))
      let url = try await tessera(
        "check", folder.path("feed.yaml"), "--manifest", "https://me:pw@example.com/l?token=1")
      #expect(url.status == 2 && url.errors.contains("\"https://example.com/l\": check does not"))
    }

    @Test func aPipelineFileHasItsMistakes() async throws {
      let path = try folder.write("outputs: x\n", to: "bad.yaml")
      let bad = try await tessera("check", path)
      #expect(bad.status == 2 && bad.errors.hasPrefix("\(path):1:1: error: "), "\(bad)")
      let none = try await tessera("plan", folder.path("none.yaml"))
      #expect(none.status == 2)
      #expect(none.errors.hasPrefix("tessera: could not open \"\(folder.path("none.yaml"))\": "))
      for command in ["check", "plan", "run"] {
        let standard = try await tessera(command)
        #expect(
          standard
            == End(
              status: 64, output: "",
              errors:
                "there is no pipeline.yaml in this folder; name a pipeline file, or write one "
                + "with tessera init"))
      }
    }

    @Test func planPrintsOneImage() async throws {
      let path = try pipeline([])
      let plan = try await tessera("plan", path, "--picture", "400x300")
      #expect(plan.status == 0 && plan.errors.isEmpty)
      #expect(
        plan.output.replacing(/about .*/, with: "about") == """
          400 x 300 pixels, exact: 2 files requested, 2 needed, 0 shared, about
          slot  mode  scale  requested  file            made
          card  clip      1  100 x 100     0  100 x 100 webp
                          2  200 x 200     1  200 x 200 webp

          """)
      let two = try await tessera(
        "plan", path, "--picture", "400x300", "--rounding", "exact", "--rounding", "power-of-two",
        "--rounding", "exact")
      #expect(
        two.output.split(separator: " pixels, ").count == 3 && two.output.contains("\n\n400 x 300"))
      let json = try await tessera("plan", path, "--picture", "400x300", "--json")
      #expect(json.output.hasPrefix("{\n  \"schema\": \"tessera-image-plan/1\",\n"))
      let file = try await tessera("plan", path, "--picture", Places.fixture("plain.jpg").path)
      #expect(file.output.hasPrefix("240 x 160 pixels, "), "\(file)")
      let most = "10000000"
      #expect(try await tessera("plan", path, "--picture", "\(most)x1").status == 0)
      for size in ["10000001x1", "1x10000001", "0x1", "1x0", "-1x5"] {
        #expect(
          try await tessera("plan", path, "--picture", size)
            == End(
              status: 64, output: "",
              errors: "--picture must have 1x1 to \(most)x\(most) pixels, found \"\(size)\""))
      }
      #expect(try await tessera("plan", path, "--picture", "1x2x3").status == 2)
      #expect(try await tessera("plan", path, "--rounding", "none").status == 64)
    }

    @Test func planPrintsAManifest() async throws {
      let place = folder.url.resolvingSymlinksInPath().path
      try FileManager.default.copyItem(
        at: Places.fixture("plain.jpg"), to: folder.url.appending(path: "a.jpg"))
      let path = try pipeline(["{\"url\":\"file://\(place)/a.jpg\"}", "x"])
      let plan = try await tessera("plan", path)
      let next =
        "next run: no run of this output is complete yet; it requests each source that is not known, and bytes, "
        + "time and files are known after it\n\n"
      #expect(
        plan
          == End(
            status: 0,
            output: next
              + "1 image in the manifest\n1 of unknown size; --probe requests the sizes\n",
            errors: "manifest line 2: not valid JSON at column 1: expected a value, found \"x\"\n"))
      let probed = try await tessera("plan", path, "--probe", "--quiet")
      #expect(probed.status == 0 && probed.errors.isEmpty)
      #expect(
        probed.output.hasPrefix(
          next + "1 image in the manifest\n2 files requested, 2 needed, 0 shared\n"))
      let json = try await tessera("plan", path, "--json", "--output", folder.path("none"))
      #expect(
        json.output.hasPrefix(
          "{\n  \"schema\": \"tessera-plan/1\","
            + "\n  \"items\": 1,\n  \"unknown\": 1,"))
    }

    @Test func probePrintsSizes() async throws {
      let (image, notes) = (Places.fixture("plain.jpg").path, try folder.write("x", to: "notes"))
      #expect(
        try await tessera("probe", image) == End(status: 0, output: "\(image): 240 x 160 jpeg\n"))
      #expect(
        try await tessera("probe", notes, image)
          == End(
            status: 1, output: "\(image): 240 x 160 jpeg\n",
            errors: "\(notes): The file is text, not an image. (not-image)\n"))
      #expect(try await tessera("probe", notes, "--quiet") == End(status: 1, output: ""))
      let json = try await tessera("probe", image, "--json")
      #expect(
        json.output.hasPrefix(
          "{\"schema\":\"tessera-probe/1\",\"source\":\"\(image)\",\"width\":240,"))
      let small = try await tessera("probe", image, "--max-bytes", "10B")
      #expect(small.status == 1 && small.output.isEmpty)
      #expect(try await tessera("probe", image, "--allow", "public").status == 64)
      #expect(try await tessera("probe", image, "--concurrency", "257").status == 64)
    }

    @Test func splitWritesParts() async throws {
      let list = try folder.write(
        "{\"url\":\"https://a/1\"}\nx\n{\"url\":\"https://a/2\"}\n", to: "l")
      let parts = folder.path("parts")
      #expect(
        try await tessera("split", list, "2", parts)
          == End(
            status: 1,
            output: "line 2: not valid JSON at column 1: expected a value, found \"x\"\n"
              + "2 items in 2 parts, 1 line can't be used\n\(parts)\n"))
      let good = try folder.write("https://a/1\n", to: "good")
      #expect(
        try await tessera("split", good, "1", folder.path("one"))
          == End(status: 0, output: "1 item in 1 part\n\(folder.path("one"))\n"))
      #expect(
        try await tessera("split", good, "1", folder.path("quiet"), "--quiet")
          == End(status: 0, output: ""))
      let json = try await tessera("split", list, "3", folder.path("json"), "--json")
      #expect(
        json.status == 1
          && json.output.hasPrefix(
            "{\n  \"schema\": \"tessera-split-report/1\",\n  \"parts\": 3,\n  \"entries\": 2,")
      )
      let based = try await tessera(
        "split", try folder.write("1.jpg\n", to: "relative"), "1", folder.path("based"),
        "--pipeline",
        try pipeline([], "base: \"https://example.com/\""))
      #expect(based.status == 0)
      for count in ["0", "100001", "x", "1.5"] {
        #expect(
          try await tessera("split", good, count, folder.path("no"))
            == End(
              status: 64, output: "", errors: "N must be a whole number from 1 to 100000"))
      }
      #expect(try await tessera("split", "ftp://a/b", "1", parts).status == 64)
    }

    @Test func runFailsBeforeItsWorkers() async throws {
      let path = try folder.write("outputs: x\n", to: "bad.yaml")
      let metrics = folder.path("metrics.txt")
      let bad = try await tessera("run", path, "--metrics", metrics)
      #expect(
        bad.status == 2 && bad.errors.contains("names end in .prom, and not \"\(metrics)\"\n"))
      #expect(try folder.text("metrics.txt").contains("tessera_"))
      let quiet = try await tessera("run", path, "--metrics", metrics, "--quiet")
      #expect(quiet.errors.hasPrefix("\(path):1:1: error: "))
      let events = try await tessera("run", path, "--events", folder.path("events"))
      #expect(events.status == 2 && folder.files(below: "").contains("events"))
      for (option, value) in [("--shard", "8/8"), ("--deadline", "0s"), ("--manifest", "ftp://a")] {
        #expect(try await tessera("run", path, option, value).status == 64 || option == "--shard")
      }
    }
  }
}
