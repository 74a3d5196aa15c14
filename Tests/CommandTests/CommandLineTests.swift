import Foundation
import TesseraTestSupport
import Testing

/// The command line: help, usage errors, exit statuses, `check`, `plan`, `probe`, `doctor`.
@Suite struct CommandLineTests {
  /// Its words are there, also if a library that was preloaded has changed the environment, as libfaketime does.
  @Test func theCommandLineIsReadBesidePreloadedLibraries() async throws {
    let folder = try TemporaryFolder()
    let library = try await Shim.build("environment", in: folder)
    let result = try await Tool.tessera("--version", environment: ["LD_PRELOAD": library])
    #expect(result.output == "tessera 0.1.0\n")
  }

  @Test func helpListsCommandsAndStatuses() async throws {
    let result = try await Tool.tessera("--help")
    #expect(result.status == 0)
    #expect(
      result.output == """
        tessera 0.1.0: from a manifest of image URLs to thumbnails and a catalog

        usage: tessera COMMAND [options]

        Before a run:
          init         write a pipeline.yaml with comments, and a manifest, to begin with
          check        find every mistake in a pipeline file and its manifest
          plan         what the next run will do, and the price of all files; makes nothing
          probe        the sizes of images, from their first bytes
          doctor       what this machine can do for a run, and what keeps it from one

        A run:
          run          make what is new or changed, and write the catalog
          make         files of some images in some sizes, without a pipeline file
          split        divide a very long manifest among shards
          merge        make one catalog of the results of all shards

        After a run:
          status       the last runs, what fails, what is kept and why, and how the output grows
          why          what happened to one item, and why it was or was not done again
          gallery      one HTML page to look at
          export       the catalog as HTML, SQLite, CSV or JSON Lines, or as assets for Xcode and Android
          diff         what changed between two catalogs; --changes writes them for apps
          verify       every file the catalog names is there, whole, and of the stated size
          prune        delete variants that the catalog no longer names (--dry-run)
          forget       remove an image from an output for good, wherever it is
          rollback     an earlier catalog becomes the current one

        More:
          warm         request every file of an image service once
          compare      how close one image is to another, by SSIMULACRA 2.1
          schema       print the JSON Schema of pipeline files, all keys, or every word of catalogs and reports
          completions  a script that completes commands, options and their values in a shell
          man          write the manual pages, for a package

        Pages (tessera help TOPIC, or a word to look for):
          pipeline, manifest, catalog, apps, running, runbook, serving, machines, reports

        Everywhere:
          --help       this page; tessera COMMAND --help for the page of a command
          --version    the version

        Results go to standard output; progress and messages go to standard error.
        Exit status: 0 all done; 1 done, some items failed; 2 could not run; 64 wrong usage;
        75 another run holds this output; 130, 143 stopped by a signal (run again to resume).

        """)
    #expect(try await Tool.tessera("--version").output == "tessera 0.1.0\n")
  }

  @Test(
    .faults(.c9),
    arguments: [
      (
        ["rnu", "a.yaml"], 64,
        "tessera: unknown command \"rnu\" (did you mean \"run\"?); the commands are init, check, plan, probe, doctor, run, make, split, merge, status, why, gallery, export, diff, verify, prune, forget, rollback, warm, compare, schema, completions, man\n"
      ),
      (
        ["run"], 64,
        "tessera: there is no pipeline.yaml in this folder; name a pipeline file, or write one with tessera init\n"
      ),
      (
        ["why"], 64,
        "tessera: missing operands; the usage is: tessera why [OUTPUT] ID [options]; tessera status OUTPUT lists "
          + "what failed, with ids\n"
      ),
      (
        ["run", "a", "b"], 64,
        "tessera: too many operands; the usage is: tessera run [PIPELINE] [options]\n"
      ),
      (
        ["doctor", "ftp://a/b"], 64,
        "tessera: doctor takes outputs and http(s) URLs, and no URL of \"ftp\"\n"
      ),
      (
        ["doctor", "--allow", "everything"], 64,
        "tessera: --allow must be loopback, private or an address block such as 10.1.0.0/16, found \"everything\"\n"
      ),
      (
        ["run", "a", "--quite"], 64,
        "tessera: run has no option \"--quite\" (did you mean \"--quiet\"?); see tessera run --help\n"
      ),
      (["run", "a", "--output"], 64, "tessera: the option --output needs a value: --output DIR\n"),
      (["run", "a", "--quiet=yes"], 64, "tessera: the option --quiet takes no value\n"),
      (
        ["probe", "x", "--timeout", "soon"], 64,
        "tessera: --timeout must be a duration above zero, such as 15s, 50m or 7d, found \"soon\"\n"
      ),
      (
        ["run", "/nowhere/feed.yaml"], 2,
        "tessera: could not open \"/nowhere/feed.yaml\": No such file or directory\n"
      ),
    ] as [([String], Int32, String)])
  func usageErrorsAreSentences(_ words: [String], _ status: Int32, _ message: String) async throws {
    let result = try await Tool.run(Places.tessera, words)
    #expect(result.status == status)
    #expect(result.errors == message)
    #expect(result.output.isEmpty)
  }

  @Test func checkReportsFiveMistakesAtTheirPlaces() async throws {
    let folder = try TemporaryFolder()
    let path = try folder.write(
      """
      manifest: m
      output: out
      slots:
        card: {size: 180}
        hero: {size: 414x, mode: fil}
      scales: [1, two]
      variants: {quality: 800}
      fecth: {retries: 1}

      """, to: "bad.yaml")
    let result = try await Tool.tessera("check", path)
    #expect(result.status == 2)
    #expect(
      result.errors == """
        \(path):4:16: error: "slots.card.size" must be a size in points, such as 36x36, 180x (free height) or x200 (free width), found "180"
            card: {size: 180}
                         ^
        \(path):5:28: error: "slots.hero.mode" must be one of "fit", "fill", "clip", found "fil" (did you mean "fit"?)
            hero: {size: 414x, mode: fil}
                                     ^
        \(path):6:13: error: "scales" must be a list of whole numbers from 1 to 8, such as [1, 2, 3], found "two"
          scales: [1, two]
                      ^
        \(path):7:21: error: "variants.quality" must be a whole number from 1 to 100 or "auto", or a group with one for each format, or with a target such as {target: high}, found "800"
          variants: {quality: 800}
                              ^
        \(path):8:1: error: unknown key "fecth"; did you mean "fetch"?
          fecth: {retries: 1}
          ^

        """)
    let json = try await Tool.tessera("check", path, "--json")
    #expect(json.status == 2)
    let object =
      try JSONSerialization.jsonObject(with: Data(json.output.utf8)) as? [String: Any]
    let error = object?["error"] as? [String: Any]
    #expect((error?["mistakes"] as? [Any])?.count == 5)
  }

  @Test(.faults(.m1)) func checkReportsBadLinesOfTheManifestAndWritesNothing() async throws {
    let folder = try TemporaryFolder()
    try folder.write(
      """
      {"id":"a","url":"https://a/1"}
      {"id":"a","url":"https://a/2"}
      {"id":"b","url":"https://a/2","slots":["crad"]}
      {"id":"c"}
      {"id":"a","url":"https://a/1"}
      """, to: "m")
    let path = try folder.write(
      "manifest: m\noutput: out\nslots: {card: {size: 180x180}}\n", to: "p.yaml")
    let result = try await Tool.tessera("check", path)
    #expect(result.status == 1)
    let manifest = folder.path("m")
    #expect(
      result.output == """
        \(manifest):2: error: duplicate id "a": line 1 defines it differently
        \(manifest):3: error: the pipeline has no slot "crad" (did you mean "card"?)
        \(manifest):4: error: the member "url" is missing
        1 item, 3 lines can't be used

        """)
    #expect(!FileManager.default.fileExists(atPath: folder.path("out")))
    try folder.write("https://a/1\n", to: "m")
    #expect(try await Tool.tessera("check", path).output == "1 item, no mistakes\n")
  }

  /// A line or an image with a mistake is not counted as an item, too: the numbers add up to the list.
  @Test func checkCountsLinesAndImagesApart() async throws {
    let server = try FaultServer(["/a.jpg": { $1.fixture("plain.jpg") }])
    defer { server.stop() }
    let folder = try TemporaryFolder()
    try folder.write(
      """
      {"id":"a","url":"\(server.url("/a.jpg"))"}
      {"id":"b","url":"\(server.url("/missing.jpg"))"}
      {"id":"c","url":"http://10.0.0.1/c.jpg"}
      {"id":"d","url":"\(server.url("/a.jpg"))","slots":["crad"]}
      {"id":"a","url":"\(server.url("/a.jpg"))"}
      """, to: "m")
    let path = try folder.write(
      "manifest: m\noutput: out\nslots: {card: {size: 180x}}\n"
        + "fetch: {allow: loopback, retries: 0}\n", to: "p.yaml")
    let read = try await Tool.tessera("check", path)
    #expect(read.output.hasSuffix("\n2 items, 2 lines can't be used\n"), "\(read.output)")
    let probed = try await Tool.tessera("check", path, "--probe")
    #expect(
      probed.output.hasSuffix("\n1 item, 2 lines and 1 image can't be used\n"), "\(probed.output)")
    let json = try await Tool.tessera("check", path, "--probe", "--json").output
    let report = try JSONSerialization.jsonObject(with: Data(json.utf8)) as? [String: Any]
    let numbers = ["items", "repeated", "problemCount", "badLines", "badImages"]
      .map { report?[$0] as? Int }
    #expect(numbers == [1, 1, 3, 2, 1], "\(json)")
    #expect((report?["problems"] as? [Any])?.count == 3)
    try folder.write("\(server.url("/a.jpg"))\n\(server.url("/missing.jpg"))\n", to: "m")
    let images = try await Tool.tessera("check", path, "--probe")
    #expect(images.output.hasSuffix("\n1 item, 1 image can't be used\n"), "\(images.output)")
  }

  /// Only a person names a path: not a manifest whose URLs a pipeline rewrites.
  @Test func aManifestIsNotProbedByPath() async throws {
    let folder = Places.fixtures.path
    let fixture = try RunFixture(
      manifest: "https://x/plain.jpg\nhttps://x/none.jpg\n",
      keys: "fetch: {rewrite: [{from: \"https://x/\", to: \"\(folder)/\"}]}")
    let check = try await Tool.tessera("check", fixture.folder.path("feed.yaml"), "--probe")
    #expect(check.status == 1)
    #expect(check.output.components(separatedBy: " (bad-url)\n").count == 3, "\(check.output)")
  }

  @Test func probeAnswersInTheOrderOfItsOperands() async throws {
    let server = try FaultServer([
      "/slow": { _, connection in
        connection.pause(0.5)
        connection.fixture("plain.jpg")
      },
      "/page": { _, connection in connection.respond("200 OK", [:], Array("<html></html>".utf8)) },
    ])
    defer { server.stop() }
    let result = try await Tool.tessera(
      "probe", "--json", "--allow", "loopback", server.url("/slow"),
      Places.fixture("rotated-phone-shot.jpg").path, server.url("/page"), "/nowhere", "ftp://a/b")
    #expect(result.status == 1)
    let lines = result.output.split(separator: "\n").map(String.init)
    #expect(lines.count == 5)
    #expect(
      lines[0]
        == #"{"schema":"tessera-probe/1","source":"\#(server.url("/slow"))","width":240,"height":160,"pixelWidth":240,"pixelHeight":160,"orientation":1,"format":"jpeg","alpha":false,"animated":false,"bitsPerChannel":8,"iccProfile":false,"bytesRead":3728,"requests":1}"#
    )
    #expect(
      lines[1].contains(
        #""width":600,"height":800,"pixelWidth":800,"pixelHeight":600,"orientation":6"#))
    #expect(lines[1].contains(#""requests":0"#))
    #expect(
      lines[2].contains(
        #""error":{"code":"not-image","message":"The file is an HTML page, not an image.","retryable":false}"#
      ))
    #expect(lines[3].contains(#""code":"not-found""#))
    #expect(lines[4].contains(#""code":"bad-url""#))
    let text = try await Tool.tessera("probe", Places.fixture("animated.gif").path)
    #expect(text.output == "\(Places.fixture("animated.gif").path): 96 x 64 gif\n")
  }

  /// A list takes the place of its operand; blank lines are skipped.
  @Test func probeReadsAListFromStandardInput() async throws {
    let (plain, turned) = (
      Places.fixture("plain.jpg").path, Places.fixture("rotated-phone-shot.jpg").path
    )
    let list = "\(plain)\r\n\n/nowhere.jpg\n\(turned)"
    let listed = "\(plain): 240 x 160 jpeg\n\(turned): 600 x 800 jpeg\n"
    let alone = try await Tool.tessera("probe", input: list)
    #expect(alone.output == listed)
    #expect(alone.status == 1)
    #expect(
      alone.errors
        == "/nowhere.jpg: Could not open \"/nowhere.jpg\": No such file or directory. (not-found)\n"
    )
    let among = try await Tool.tessera("probe", turned, "-", plain, input: list)
    #expect(
      among.output == "\(turned): 600 x 800 jpeg\n\(listed)\(plain): 240 x 160 jpeg\n")
    #expect(try await Tool.tessera("probe", "-", input: "").output == "")
    let long = try await Tool.tessera(
      "probe", "--json", input: String(repeating: "x", count: 2_000_000) + "\n\(plain)\n")
    #expect(long.output.contains("Line 1 of the list is longer than 1048576 bytes."))
    #expect(long.output.contains(#""width":240"#))
  }

  @Test func probeReadsNoMoreOfAFileThanItMay() async throws {
    let path = Places.fixture("plain.jpg").path
    let few = try await Tool.run(Places.tessera, ["probe", "--json", "--max-bytes", "10", path])
    #expect(few.status == 1)
    #expect(few.output.contains(#""code":"too-large""#) && few.output.contains(#""bytesRead":10,"#))
    let url = try await Tool.run(
      Places.tessera, ["probe", "--json", "--max-bytes", "10", "file://\(path)"])
    #expect(url.status == 1 && url.output.contains(#""bytesRead":20,"#), "\(url.output)")
    let all = try await Tool.run(Places.tessera, ["probe", "--max-bytes", "4kB", "file://\(path)"])
    #expect(all.output == "file://\(path): 240 x 160 jpeg\n", "\(all.errors)")
  }

  /// If the header is in the first bytes, the rest of the file is not read.
  @Test(.faults(.n12)) func probeReadsNoMoreThanItNeeds() async throws {
    let server = try FaultServer([
      "/big": { _, connection in
        let bytes = (try? Places.bytes("plain.jpg")) ?? []
        connection.send("HTTP/1.1 200 OK\r\nContent-Length: 60000000\r\n\r\n")
        connection.send(bytes)
        let part = [UInt8](repeating: 0, count: 65_536)
        while connection.send(part) {}
      }
    ])
    defer { server.stop() }
    let result = try await Tool.tessera(
      "probe", "--json", "--allow", "loopback", server.url("/big"))
    #expect(result.status == 0)
    let object = try JSONSerialization.jsonObject(with: Data(result.output.utf8)) as? [String: Any]
    #expect(object?["width"] as? Int == 240)
    #expect((object?["bytesRead"] as? Int ?? .max) <= 65_536)
  }

  @Test func planReportsThePriceFromKnownAndProbedSizes() async throws {
    let nginx = try await Nginx(serving: Places.fixtures)
    let fixture = try RunFixture(
      manifest: nginx.url("/rotated-phone-shot.jpg") + "\n" + nginx.url("/tall-900x20000.png")
        + "\n")
    let path = fixture.folder.path("feed.yaml")
    let before = try await Tool.tessera("plan", path)
    #expect(
      before.output == """
        next run: no run of this output is complete yet; it requests each source that is not known, and bytes, time and \
        files are known after it

        2 images in the manifest
        2 of unknown size; --probe requests the sizes

        """)
    let probed = try await Tool.tessera("plan", path, "--probe")
    #expect(!FileManager.default.fileExists(atPath: fixture.folder.path("out")))
    #expect(try await fixture.run().status == 0)
    let known = try await Tool.tessera("plan", path)
    // Bytes are estimated from other things, numbers are not.
    func counts(_ text: String) -> [Substring] {
      text.split(separator: "\n").filter { !$0.contains("B") && !$0.contains("other ladders") }
    }
    let sections = known.output.split(separator: "\n\n")
    #expect(sections.count == 2, "\(known.output)")
    #expect(sections[0].hasPrefix("next run: 2 images: 2 to be revalidated\n  2 requests, "))
    let price = probed.output.replacing(/^next run.*\n\n/, with: "")
    #expect(counts(String(sections[1])) == counts(price))
    let document = try await Tool.tessera("plan", path, "--json").output
    let next = try JSONSerialization.jsonObject(with: Data(document.utf8)) as? [String: Any]
    let free = (next?["next"] as? [String: Any])?["free"] as? [String: Any]
    #expect(free?["bytes"] as? Int ?? 0 > 0 && free?["suffices"] as? Bool == true, "\(document)")
    #expect(probed.output.contains("(estimated from photographs)"))
    #expect(known.output.contains("(estimated from the files of 2 images)"), "\(known.output)")
    #expect(known.output.contains("18 files requested, 11 needed, 7 shared"), "\(known.output)")
    #expect(
      known.output.contains(
        "1 file differs from the request (webp-size-limit): \(nginx.url("/tall-900x20000.png"))\n"))
    let ladders = try await Tool.tessera(
      "plan", path, "--rounding", "exact", "--rounding", "power-of-two", "--rounding", "100,1000")
    let lines = ladders.output.split(separator: "\n")
    #expect(lines.count == 7)
    #expect(
      lines[6]
        == "1 image has a box longer than 4:1, the longest 180 x 4000 points (\(nginx.url("/tall-900x20000.png")) "
        + "in \"card\"); \"aspect\" bounds a slot", "\(ladders.output)")
    #expect(
      lines[2]
        == "ladder        files  shared  lengths  more pixels   about   a view  more bytes",
      "\(ladders.output)")
    #expect(lines[3].hasPrefix("exact            17       1       14        0.0 %"))
    #expect(lines[4].hasPrefix("power-of-two     11       7"))
    #expect(lines[5].hasPrefix("100,1000"))
    let fitted = try await Tool.tessera("plan", path, "--fit", "2", "--write")
    let rounding = fitted.output.split(separator: "\n")[1]
    #expect(rounding.starts(with: "rounding: ["), "\(fitted.output)\(fitted.errors)")
    #expect(try fixture.folder.text("feed.yaml").hasSuffix("\n\(rounding)\n"))
    // The plan's count is what the run made.
    #expect(try fixture.report["variants.made"] == 11)
    await nginx.stop()
  }

  /// Started without a standard stream, the program must not use one of its sockets as the stream.
  @Test func survivesClosedStandardStreams() async throws {
    let image = Places.fixture("plain.jpg").path
    func run(_ command: String) async throws -> Tool.Result {
      try await Tool.run("/usr/bin/timeout", ["20", "/bin/sh", "-c", command])
    }
    let input = try await run("\(Places.tessera) probe - <&-")
    #expect(input.status == 2)
    #expect(input.errors.contains("Bad file descriptor"), "\(input.errors)")
    #expect(try await run("\(Places.tessera) probe \(image) >&-").status == 2)
    #expect(try await run("\(Places.tessera) probe \(image) 2>&-").status == 0)
  }

  @Test func planShowsOneImageSlotBySlot() async throws {
    let fixture = try RunFixture(manifest: "")
    let path = fixture.folder.path("feed.yaml")
    let table = """
      900 x 20000 pixels, power-of-two: 9 files requested, 6 needed, 3 shared, about 3.0 MB
      slot    mode  scale     requested  file                                made
      avatar  clip      1       36 x 36     0                        64 x 64 webp
                        2       72 x 72     1                      128 x 128 webp
                        3     108 x 108     1                      128 x 128 webp
      card    fit       1    180 x 4000     2                     184 x 4096 webp
                        2    360 x 8000     3                     369 x 8192 webp
                        3   540 x 12000     4                    737 x 16383 webp
      hero    fill      1    414 x 9200     4                    737 x 16383 webp
                        2   828 x 18400     5  900 x 20000 jpeg (webp-size-limit)
                        3  1242 x 27600     5  900 x 20000 jpeg (webp-size-limit)

      """
    for image in ["900x20000", Places.fixture("tall-900x20000.png").path] {
      let result = try await Tool.tessera("plan", path, "--picture", image)
      #expect(result.output == table)
    }
    let json = try await Tool.tessera("plan", path, "--picture", "30x20", "--json")
    let document = try JSONSerialization.jsonObject(with: Data(json.output.utf8)) as? [String: Any]
    let plans = document?["plans"] as? [[String: Any]]
    // A source smaller than all slots gets its own size, and a square crop of it.
    #expect((plans?.first?["variants"] as? [Any])?.count == 2)
    let missing = try await Tool.tessera("plan", path, "--picture", "/nowhere.jpg")
    #expect(missing.status == 2)
    #expect(missing.errors.contains("(not-found)"))
    let empty = try await Tool.tessera("plan", path, "--picture", "0x20")
    #expect(empty.status == 64)
    let ladder = try await Tool.tessera("plan", path, "--rounding", "half-step")
    #expect(ladder.status == 64)
    #expect(ladder.errors.contains("did you mean \"half-steps\"?"), "\(ladder.errors)")
  }

  @Test func resultsThatCannotBeWrittenAreAFailure() async throws {
    let command = "\(Places.tessera) probe \(Places.fixture("plain.jpg").path) > /dev/full"
    let full = try await Tool.run("/bin/sh", ["-c", command])
    #expect(full.status == 2)
    #expect(full.errors.contains("could not write to standard output: No space left on device"))
    // The catalog of a run is written all the same.
    let fixture = try RunFixture(manifest: "")
    let run = try await Tool.run(
      "/bin/sh", ["-c", "\(Places.tessera) run \(fixture.folder.path("feed.yaml")) > /dev/full"])
    #expect(run.status == 1 && run.errors.contains("could not write to standard output: "))
    #expect(try fixture.catalogText.contains(#""count":0,"#))
    let head = try await Tool.run(
      "/bin/bash", ["-c", "set -o pipefail; \(Places.tessera) --help | true"])
    #expect(head.status == 0)
    #expect(head.errors.isEmpty)
  }

  @Test func doctorReportsWhatThisMachineCanDo() async throws {
    let result = try await Tool.tessera("doctor")
    #expect(result.status == 0, "\(result.output)")
    let lines = result.output.split(separator: "\n").map(String.init)
    #expect(
      lines[5...].map { $0.prefix { $0 != " " } } == [
        "files", "network", "limits", "", "memory", "clock", "names",
      ])
    #expect(lines[1] == "reads     jpeg png gif webp bmp tiff heic avif jxl jp2 ico svg")
    #expect(lines[2] == "writes    webp jpeg png avif jxl heic")
    #expect(lines[3] == "turns     orientations 1 2 3 4 5 6 7 8")
    #expect(lines[4] == "colours   profiles, CMYK")
    let json = try await Tool.tessera("doctor", "--json")
    let object = try JSONSerialization.jsonObject(with: Data(json.output.utf8)) as? [String: Any]
    let checks = object?["checks"] as? [[String: Any]]
    #expect(checks?.count == 28)
    let good = (checks ?? []).filter { $0["ok"] as? Bool == true }
    #expect(good.count == 28)
  }

  @Test func runPrintsItsReportAsJSON() async throws {
    let nginx = try await Nginx(serving: Places.fixtures)
    let fixture = try RunFixture(manifest: nginx.url("/plain.jpg"))
    let result = try await fixture.run("--json")
    #expect(result.output == (try fixture.folder.text("out/run.json")))
    let quiet = try await fixture.run("--quiet")
    #expect(quiet.output.isEmpty && quiet.errors.isEmpty)
    await nginx.stop()
  }

  /// On a terminal there is a bar with rate and time left; script(1) provides the terminal.
  @Test func showsAProgressBarOnATerminal() async throws {
    let nginx = try await Nginx(serving: Places.fixtures)
    let fixture = try RunFixture(
      manifest: try Places.images().map { nginx.url("/\($0)") + "\n" }.joined())
    let command = "\(Places.tessera) run \(fixture.folder.path("feed.yaml"))"
    let result = try await Tool.run("/usr/bin/script", ["-qec", command, "/dev/null"])
    #expect(result.status == 1)  // one fixture is truncated
    #expect(result.output.contains(/\[#+ *\] \d+\/\d+  [\d.]+\/s/), "\(result.output)")
    #expect(result.output.contains("[########################################] "))
    #expect(result.output.contains("0:00 left"))
    let plain = try await fixture.run("--no-progress")
    #expect(!plain.errors.contains("[#"))
    await nginx.stop()
  }

  @Test func theCommandDoesNotTouchLibvips() async throws {
    let libraries = try await Tool.run("/usr/bin/ldd", [Places.tessera])
    #expect(libraries.status == 0)
    #expect(libraries.output.contains("libcurl"))
    #expect(!libraries.output.contains("vips"))
    #expect(try await Tool.run("/usr/bin/ldd", [Places.worker]).output.contains("libvips"))
  }
}
