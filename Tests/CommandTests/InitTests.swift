import Foundation
import TesseraTestSupport
import Testing

/// `init`: a pipeline file and a manifest to begin with, and commands that need no argument after it.
@Suite struct InitTests {
  /// Runs the command in a folder.
  private static func tessera(
    _ words: [String], in folder: TemporaryFolder
  ) async throws -> Tool.Result {
    try await Tool.run(
      "/bin/sh",
      ["-c", #"cd "$1" && shift && exec "$@""#, "sh", folder.path(""), Places.tessera] + words)
  }

  /// The README's lines, from a folder of photographs to a gallery.
  @Test func theReadmesCommandsMakeAGallery() async throws {
    let folder = try TemporaryFolder()
    try folder.write("", to: "photographs/empty.txt")
    try FileManager.default.copyItem(
      at: Places.fixture("rotated-phone-shot.jpg"),
      to: URL(filePath: folder.path("photographs/a.jpg")))
    let lines = try #require(try Document("README.md").blocks("sh").first)
      .split(separator: "\n").drop { !$0.hasPrefix("tessera ") }
    #expect(lines.count == 4)
    let products = URL(filePath: Places.tessera).deletingLastPathComponent().path
    let shell = try await Tool.run(
      "/bin/sh", ["-ec", "cd \(folder.path(""))\n" + lines.joined(separator: "\n")],
      environment: ["PATH": "\(products):/usr/bin:/bin"])
    #expect(shell.status == 0, "\(shell.errors)")
    #expect(shell.output.hasSuffix("output/gallery.html: 1 image\n"))

    // The transcript below them is of this form, number for number.
    func form(_ text: String) -> [String] {
      text.replacing(/[0-9]+(\.[0-9]+)?/, with: "N").replacing(/N [kM]?B/, with: "N B")
        .replacing(/\b(image|file|request)s\b/) { "\($0.1)" }.replacing(
          /(N min )?N (ms|s)\b/, with: "N s"
        )
        .split(separator: "\n").map(String.init)
    }
    let transcript = form(try #require(try Document("README.md").blocks("text").first))
    try folder.write("", to: "output/gallery.html")
    let again = form(try await Self.tessera(["run"], in: folder).output)
    let first = form(shell.output)
    let runs = transcript.split(separator: "$ tessera run")
    #expect(runs.count == 2 && runs[1].elementsEqual(again), "\(transcript) \(again)")
    // What is not worth its line in a small run may be left out.
    for line in runs[0] where !line.hasPrefix("rounded sizes cost visitors ") {
      #expect(first.contains { line.hasPrefix($0) || $0.hasPrefix(line) }, "\(line) \(first)")
    }
  }

  @Test func imagesBelowAFolderBecomeAManifest() async throws {
    let folder = try TemporaryFolder()
    try folder.write("not an image", to: "photos/notes.txt")
    try folder.write("", to: "photos/.hidden")
    for (name, place) in [
      ("rotated-phone-shot.jpg", "photos/a shot.jpg"),
      ("rotated-phone-shot.jpg", "photos/more/b.jpg"),
    ] {
      try FileManager.default.createDirectory(
        atPath: folder.path("photos/more"), withIntermediateDirectories: true)
      try FileManager.default.copyItem(
        at: Places.fixture(name), to: URL(filePath: folder.path(place)))
    }
    let begun = try await Self.tessera(["init", "--from", "photos"], in: folder)
    #expect(begun.errors.isEmpty && begun.status == 0)
    #expect(
      begun.output == """
        pipeline.yaml
        manifest.jsonl: 2 images
          left out as not an image: 1 (notes.txt)
        next: tessera run, then tessera gallery output

        """)
    #expect(
      try folder.text("manifest.jsonl") == """
        {"id":"a shot","url":"photos/a%20shot.jpg"}
        {"id":"more/b","url":"photos/more/b.jpg"}

        """)
    #expect(try await Self.tessera(["check"], in: folder).output == "2 items, no mistakes\n")
    #expect(try await Self.tessera(["run", "--quiet"], in: folder).status == 0)
    let gallery = try await Self.tessera(["gallery", "output"], in: folder)
    #expect(gallery.output == "output/gallery.html: 2 images\n")
    // A probe reads the files that a run may read.
    let probed = try await Self.tessera(["check", "--probe"], in: folder)
    #expect(probed.output.hasSuffix("2 items, no mistakes\n") && probed.status == 0)
    let planned = try await Self.tessera(
      ["plan", "--probe", "--output", "elsewhere"], in: folder)
    #expect(planned.output.contains("\n\n2 images in the manifest\n18 files requested, "))
  }

  /// The manifest follows its folder, whose thumbnails are not images to make thumbnails of.
  @Test func theManifestFollowsItsFolder() async throws {
    let folder = try TemporaryFolder()
    func add(_ name: String, _ fixture: String = "plain.jpg") throws {
      try FileManager.default.createDirectory(
        atPath: folder.path("photos"), withIntermediateDirectories: true)
      try FileManager.default.copyItem(
        at: Places.fixture(fixture), to: URL(filePath: folder.path(name)))
    }
    for name in ["b.jpg", "c.jpg"] { try add(name) }
    let begun = try await Self.tessera(["init", "--from", ".", "--from", "b.jpg"], in: folder)
    #expect(begun.output.hasPrefix("pipeline.yaml\nmanifest.jsonl: 2 images\n"), "\(begun)")
    #expect(try await Self.tessera(["run", "--quiet"], in: folder).status == 0)
    // What a person adds to a line stays, and so do ids, whatever comes before them by name.
    let place = URL(filePath: folder.path("")).resolvingSymlinksInPath().path
    let line = #"{"id": "b", "url": "file://\#(place)/b.jpg", "alt": "A bridge"}"#
    // Nor does it leave what is not below the folder.
    let far = #"{"id":"far","url":"file:///nowhere/far.jpg"}"#
    try folder.write(
      line + "\n" + #"{"id":"c","url":"file://\#(place)/c.jpg"}"# + "\n" + far + "\n",
      to: "manifest.jsonl")
    try FileManager.default.setAttributes(
      [.posixPermissions: 0o640], ofItemAtPath: folder.path("manifest.jsonl"))
    try FileManager.default.removeItem(atPath: folder.path("c.jpg"))
    try add("b.gif", "animated.gif")
    let update = ["init", "--from", ".", "--manifest-only"]
    let updated = try await Self.tessera(update, in: folder)
    #expect(
      updated.output == """
        manifest.jsonl: 3 images, 1 added, 1 removed
          left out as not an image: 2 (manifest.jsonl, pipeline.yaml)
          left out as the output of a run: 1 (output/)
        the manifest as it was: manifest.jsonl.before
        next: tessera run

        """, "\(updated.errors)")
    #expect(
      try folder.text("manifest.jsonl") == line + "\n" + far + "\n"
        + #"{"id":"b-2","url":"b.gif"}"# + "\n")
    let mode = try FileManager.default.attributesOfItem(atPath: folder.path("manifest.jsonl"))
    #expect(mode[.posixPermissions] as? Int == 0o640)
    let run = try await Self.tessera(["run"], in: folder)
    #expect(run.output.hasPrefix("3 images: 2 ok, 1 failed (1 new, 1 changed)\n"), "\(run.output)")

    // Outside the folders that the pipeline permits.
    try add("photos/d.jpg")
    let other = try TemporaryFolder()
    try FileManager.default.copyItem(
      at: Places.fixture("plain.jpg"), to: URL(filePath: other.path("e.jpg")))
    let outside = try await Self.tessera(update + ["--from", other.path("e.jpg")], in: folder)
    #expect(outside.output.contains("does not permit some of them: add files:"), "\(outside)")

    let text = try folder.text("manifest.jsonl")
    for (words, message) in [
      (["init", "--manifest-only", "--from", "photos", "x"], "could not open \"x/pipeline.yaml\""),
      (["init", "--manifest-only", "--from", "output"], "\"output\" is the output of a run"),
    ] {
      let wrong = try await Self.tessera(words, in: folder)
      #expect(wrong.status != 0 && wrong.errors.contains(message), "\(wrong)")
    }
    // A disk that is full leaves the manifest, and nothing in the way of the next attempt.
    let full = try await Tool.run(
      "/bin/bash",
      [
        "-c",
        "cd '\(folder.path(""))' && ulimit -f 0 && exec '\(Places.tessera)' \(update.joined(separator: " "))",
      ])
    #expect(full.status != 0)
    #expect(try folder.text("manifest.jsonl") == text)
    #expect(try await Self.tessera(update, in: folder).status == 0)
  }

  /// The folder of a pipeline can be moved, and so can the folders in it: ids stay, and no file is made again. A run says what the
  /// list does not have.
  @Test func aProjectCanBeMoved() async throws {
    let folder = try TemporaryFolder()
    let files = FileManager.default
    func add(_ name: String, _ fixture: String) throws {
      let place = URL(filePath: folder.path(name))
      try files.createDirectory(
        at: place.deletingLastPathComponent(), withIntermediateDirectories: true)
      try files.copyItem(at: Places.fixture(fixture), to: place)
    }
    try add("my shop/photos/a.jpg", "plain.jpg")
    try add("my shop/photos/more/b c.jpg", "cmyk.jpg")
    for name in ["one", "two"] { try add("my shop/photos/\(name).png", "one-pixel.png") }
    func shop(_ words: String..., at name: String = "my shop") async throws -> Tool.Result {
      try await Tool.run(
        "/bin/sh", ["-c", "cd \"$0\" && exec \"$@\"", folder.path(name), Places.tessera] + words)
    }
    // Neither has bytes that a run can know it by.
    for name in ["broken", "deleted"] {
      try folder.write("", to: "my shop/photos/more/\(name).jpg")
    }
    #expect(try await shop("init", "--from", "photos").status == 0)
    #expect(try folder.text("my shop/pipeline.yaml").contains("\nbase: \".\"\n"))
    #expect(try folder.text("my shop/pipeline.yaml").contains("allow: [\"files:photos\"]"))
    let first = try await shop("run")
    #expect(first.output.hasPrefix("6 images: 4 ok, 2 failed (4 new)\n"), "\(first)")
    let catalog = try folder.text("my shop/output/catalog.json")

    try files.moveItem(atPath: folder.path("my shop"), toPath: folder.path("shop"))
    let moved = try await shop("run", at: "shop")
    #expect(
      moved.output.hasPrefix("6 images: 4 ok, 2 failed (4 reused); nothing has changed: "),
      "\(moved)")
    #expect(try folder.text("shop/output/catalog.json") == catalog)

    // Before the list says where they are now, a run would lose them.
    try files.moveItem(atPath: folder.path("shop/photos"), toPath: folder.path("shop/pictures"))
    try folder.write(
      folder.text("shop/pipeline.yaml").replacing("files:photos", with: "files:pictures"),
      to: "shop/pipeline.yaml")
    let lost = try await shop("run", at: "shop")
    #expect(lost.status == 2, "\(lost)")
    try files.removeItem(atPath: folder.path("shop/pictures/more/deleted.jpg"))
    try add("shop/pictures/new.jpg", "display-p3.jpg")
    let list = try folder.text("shop/manifest.jsonl")
    let updated = try await shop("init", "--manifest-only", "--from", "pictures", at: "shop")
    #expect(
      updated.output.hasPrefix("manifest.jsonl: 6 images, 1 added, 5 moved, 1 removed\n"),
      "\(updated)")
    #expect(try folder.text("shop/manifest.jsonl.before") == list)
    #expect(
      try folder.text("shop/manifest.jsonl")
        == list.replacing(
          #"{"id":"more/deleted","url":"photos/more/deleted.jpg"}"# + "\n", with: ""
        )
        .replacing("\"photos/", with: "\"pictures/")
        + #"{"id":"new","url":"pictures/new.jpg"}"# + "\n")
    let second = try await shop("run", at: "shop")
    #expect(second.output.hasPrefix("6 images: 5 ok, 1 failed (1 new, 4 changed)\n"), "\(second)")
    // A folder that was looked at and is empty now is no disk; a number is an id, and slashes may be escaped.
    let listed = try folder.text("shop/manifest.jsonl")
    try folder.write(
      listed.replacing(
        #"{"id":"new","url":"pictures/new.jpg"}"#, with: #"{"id":7,"url":"pictures\/new.jpg"}"#),
      to: "shop/manifest.jsonl")
    #expect(try await shop("run", "--quiet", at: "shop").status == 1)
    try files.moveItem(
      atPath: folder.path("shop/pictures/more"), toPath: folder.path("shop/pictures/other"))
    try files.createDirectory(
      atPath: folder.path("shop/pictures/more"), withIntermediateDirectories: true)
    try files.moveItem(
      atPath: folder.path("shop/pictures/new.jpg"),
      toPath: folder.path("shop/pictures/other/new.jpg"))
    try files.copyItem(
      atPath: folder.path("shop/pictures/one.png"), toPath: folder.path("shop/pictures/copy.png"))
    // Without names nothing is added.
    let followed = try await shop("init", "--manifest-only", at: "shop")
    #expect(
      followed.output.hasPrefix("manifest.jsonl: 5 images, 0 added, 2 moved, 1 removed\n"),
      "\(followed)")
    let after = try folder.text("shop/manifest.jsonl")
    #expect(after.contains(#"{"id":"more/b c","url":"pictures/other/b%20c.jpg"}"#), "\(after)")
    #expect(after.contains(#"{"id":7,"url":"pictures/other/new.jpg"}"#), "\(after)")
    try folder.write(listed, to: "shop/manifest.jsonl")
    try files.removeItem(atPath: folder.path("shop/pictures/copy.png"))
    try files.moveItem(
      atPath: folder.path("shop/pictures/other/new.jpg"),
      toPath: folder.path("shop/pictures/new.jpg"))
    try files.removeItem(atPath: folder.path("shop/pictures/more"))
    try files.moveItem(
      atPath: folder.path("shop/pictures/other"), toPath: folder.path("shop/pictures/more"))

    // A run by another path says which command to type there.
    try add("shop/pictures/later/é.jpg", "plain.jpg")
    try folder.write("no image", to: "shop/pictures/notes.txt")
    let there = try await shop("run", "shop/pipeline.yaml", at: "")
    #expect(
      there.errors.hasSuffix(
        "shop/pictures has 1 image that came after the list (later/é.jpg); to add it: "
          + "tessera init shop --manifest-only --from shop/pictures\n"))
    #expect(try await shop("run", "--quiet", at: "shop").errors.isEmpty)
    #expect(
      try await shop("init", "shop", "--manifest-only", "--from", "shop/pictures", at: "").output
        .contains(": 7 images, 1 added, 0 removed\n"))
    #expect(!(try await shop("run", at: "shop").errors.contains("came after")))
  }

  /// An id is kept only for a file that was moved: not for one that is where the last run saw it, and not while a disk is
  /// missing. What a run has not seen, and lines without ids, stay as they are.
  @Test func onlyMovedFilesKeepTheirIDs() async throws {
    let folder = try TemporaryFolder()
    let files = FileManager.default
    for name in ["disk/a.jpg", "disk/b.jpg", "photos/2025.jpg", "photos/no-id.jpg"] {
      let place = URL(filePath: folder.path(name))
      try files.createDirectory(
        at: place.deletingLastPathComponent(), withIntermediateDirectories: true)
      let fixture =
        name.contains("a.jpg") ? "cmyk.jpg" : name.contains("b.jpg") ? "grey.png" : "plain.jpg"
      try files.copyItem(at: Places.fixture(fixture), to: place)
    }
    let from = ["--from", "disk", "--from", "photos"]
    #expect(try await Self.tessera(["init"] + from, in: folder).status == 0)
    let list = try folder.text("manifest.jsonl").replacing(#""id":"no-id","#, with: "")
    try folder.write(list, to: "manifest.jsonl")
    #expect(try await Self.tessera(["run", "--quiet"], in: folder).status == 0)

    // A person edits a URL before the new file is there; the disk is not mounted, and a copy of one of its files is elsewhere;
    // the image without an id is renamed.
    let edited = list.replacing("photos/2025.jpg", with: "photos/2026.jpg")
    try folder.write(edited, to: "manifest.jsonl")
    try files.copyItem(
      atPath: folder.path("disk/a.jpg"), toPath: folder.path("photos/copy.jpg"))
    try files.removeItem(atPath: folder.path("disk"))
    try files.createDirectory(
      atPath: folder.path("disk"), withIntermediateDirectories: true)
    try files.moveItem(
      atPath: folder.path("photos/no-id.jpg"), toPath: folder.path("photos/renamed.jpg"))
    let updated = try await Self.tessera(["init", "--manifest-only"] + from, in: folder)
    let lines = try folder.text("manifest.jsonl")
    #expect(updated.status == 0 && !updated.output.contains(" moved,"), "\(updated)")
    for line in edited.split(separator: "\n") where line.contains("disk/") {
      #expect(lines.contains(line), "\(lines)")
    }
    // Within a folder that was looked at, an emptied one is no disk.
    #expect(!lines.contains(#""id":"file:"#) && lines.contains(#""url":"photos/2025.jpg""#))
  }

  @Test func aFolderOfItsOwnAndURLs() async throws {
    let folder = try TemporaryFolder()
    let begun = try await Self.tessera(
      [
        "init", "new", "--from", "https://example.com/a/b.jpg?x=1", "--from",
        "http://127.0.0.1:8/b.png",
        "--from", "http://10.1.2.3/", "--json",
      ], in: folder)
    #expect(
      begun.output == """
        {
          "schema": "tessera-init/1",
          "pipeline": "new/pipeline.yaml",
          "manifest": "new/manifest.jsonl",
          "images": 3,
          "skipped": []
        }

        """)
    #expect(
      try folder.text("new/manifest.jsonl") == """
        {"id":"b","url":"https://example.com/a/b.jpg?x=1"}
        {"id":"b-2","url":"http://127.0.0.1:8/b.png"}
        {"id":"http://10.1.2.3/","url":"http://10.1.2.3/"}

        """)
    let pipeline = try folder.text("new/pipeline.yaml")
    #expect(pipeline.contains("\n  allow: [loopback, private]\n"))
    #expect(try await Tool.tessera("check", folder.path("new/pipeline.yaml")).status == 0)
  }

  /// A list stays where it is, and its name may hold anything.
  @Test func aListIsNamed() async throws {
    let folder = try TemporaryFolder()
    try folder.write("https://example.com/a.jpg\n", to: "my \"list\" #1.txt")
    let begun = try await Self.tessera(["init", "--from", "my \"list\" #1.txt"], in: folder)
    let place = URL(filePath: folder.path("")).resolvingSymlinksInPath().path
    #expect(
      begun.output == """
        pipeline.yaml
        \(place)/my "list" #1.txt: 1 image
        next: tessera run, then tessera gallery output

        """)
    #expect(!FileManager.default.fileExists(atPath: folder.path("manifest.jsonl")))
    #expect(try await Self.tessera(["check"], in: folder).output == "1 item, no mistakes\n")
  }

  /// A list is counted as a run would, and what it needs is left to a person: others may have written it.
  @Test func aListIsRead() async throws {
    let folder = try TemporaryFolder()
    let place = URL(filePath: folder.path("")).resolvingSymlinksInPath().path
    for name in ["a", "b/c", "a/d"] {
      try FileManager.default.createDirectory(
        atPath: folder.path(name), withIntermediateDirectories: true)
    }
    try folder.write(
      """
      file://\(place)/a/d/1.jpg
      file://\(place)/a/2.jpg
      file://\(place)/b/c/3%20.jpg
      http://localhost:8000/4.jpg
      http://192.168.0.1/5.jpg
      http://169.254.169.254/latest/meta-data
      photos/6.jpg
      https://example.com/7.jpg
      https://example.com/7.jpg

      """, to: "list.txt")
    let begun = try await Self.tessera(["init", "--from", "list.txt"], in: folder)
    #expect(
      begun.output == """
        pipeline.yaml
        \(place)/list.txt: 7 images
        1 line of the list can't be used: tessera check names it
        the list has images at servers of this machine, private networks, \(place)/a, \(place)/b/c: \
        if it is your own, remove "# " before "fetch" and "allow" in pipeline.yaml
        next: after that, tessera run, then tessera gallery output

        """, "\(begun.errors)")
    #expect(
      try await Self.tessera(["check"], in: folder).output.hasSuffix(
        "\n1 item, 7 lines can't be used\n"))
    let closed = try folder.text("pipeline.yaml")
    let open = closed.replacing("# fetch:", with: "fetch:").replacing(
      "#   allow:", with: "  allow:")
    try folder.write(open, to: "pipeline.yaml")
    // The address of a cloud's metadata stays closed.
    #expect(
      try await Self.tessera(["check"], in: folder).output.hasSuffix(
        "\n6 items, 2 lines can't be used\n"))
    let folders = (0..<9).map { "file://\(place)/many/\($0)/1.jpg\n" }.joined()
    try folder.write(folders, to: "many.txt")
    let many = try await Self.tessera(["init", "n", "--from", "many.txt", "--json"], in: folder)
    let report = try JSONSerialization.jsonObject(with: Data(many.output.utf8)) as? [String: Any]
    #expect(report?["images"] as? Int == 9)
    #expect(report?["needs"] as? [String] == ["files:\(place)/many"])
    #expect(try folder.text("n/pipeline.yaml").contains("#   allow: [\"files:\(place)/many\"]"))
    // A page of a sign-in is not a list, and nothing is written.
    try folder.write("<html>", to: "page.txt")
    let page = try await Self.tessera(["init", "p", "--from", "page.txt"], in: folder)
    #expect(page.status == 2)
    #expect(
      page.errors
        == "tessera: the manifest \"page.txt\": it is an HTML page, not a list of URLs\n")
    #expect(!FileManager.default.fileExists(atPath: folder.path("p")))
  }

  /// A table of its own: what was guessed, and what was not found.
  @Test func aGuessSaysThatItFoundNoIDs() async throws {
    let folder = try TemporaryFolder()
    let note = "no column was found to be that of the ids: the URL of an image is its id\n"
    for (header, hasIDs) in [("title", false), ("sku", true)] {
      try folder.write("\(header),picture\nA,https://example.com/a.jpg\n", to: "\(header).csv")
      let begun = try await Self.tessera(
        ["init", header, "--from", "\(header).csv"], in: folder)
      #expect(begun.status == 0)
      #expect(begun.output.contains("by what is in the rows"))
      #expect(begun.output.contains(note) == !hasIDs, "\(begun.output)")
    }
  }

  @Test func withoutImagesItSaysWhatIsMissing() async throws {
    let folder = try TemporaryFolder()
    let begun = try await Self.tessera(["init"], in: folder)
    #expect(
      begun.output == """
        pipeline.yaml
        next: write the URLs of your images into manifest.jsonl, then tessera run, then tessera gallery output

        """)
    let run = try await Self.tessera(["run"], in: folder)
    #expect(run.status == 2)
    #expect(run.errors.contains("manifest.jsonl"))
  }

  /// Every comment that shows a key shows one that a pipeline accepts.
  @Test func theCommentsAreKeys() async throws {
    let folder = try TemporaryFolder()
    _ = try await Self.tessera(["init"], in: folder)
    let text = try folder.text("pipeline.yaml")
    let open = text.replacing(/(?m)^# (?=( *[a-z-]+:(?: |$)))/, with: "")
    #expect(
      open.contains("\n  per-host: 6 ") && open.contains("\n  allow: [loopback] ")
        && open.contains("\nbase-url: https"))
    try folder.write(open, to: "open.yaml")
    try folder.write("https://example.com/a.jpg\n", to: "manifest.jsonl")
    let check = try await Tool.tessera(
      "check", folder.path("open.yaml"), environment: ["TOKEN": "secret"])
    #expect(check.output == "1 item, no mistakes\n", "\(check.errors)\(open)")
  }

  @Test(
    arguments: [
      (
        ["init"],
        "tessera: \"./pipeline.yaml\" exists already; remove it, or name another folder\n"
      ),
      (
        ["init", "n", "--from", "nothing"],
        "tessera: could not open \"nothing\": No such file or directory\n"
      ),
      (
        ["init", "n", "--from", "empty"],
        "tessera: no image was found in empty; name images, folders of images, URLs, or a list of URLs\n"
      ),
      (
        ["init", "n", "--from", "notes.doc"],
        "tessera: \"notes.doc\" is neither an image nor a list; a list ends in .jsonl, .ndjson, .csv, .tsv, .txt, .xml, .rss, .atom, .json, .gz\n"
      ),
      (
        ["init", "n", "--from", "corners.svg"],
        "tessera: \"corners.svg\" is an image of the format svg, which a run reads only if \"accept\" in its pipeline names it\n"
      ),
      (
        ["init", "n", "--from", "a.txt", "--from", "https://a/b.jpg"],
        "tessera: a list can't be combined with other images; add them to the list\n"
      ),
      (
        ["init", "n", "--from", "ftp://a/b.jpg"],
        "tessera: \"ftp://a/b.jpg\" can't be fetched; expected a URL of http or https\n"
      ),
    ])
  func mistakesAreSentences(_ words: [String], _ message: String) async throws {
    let folder = try TemporaryFolder()
    for name in ["pipeline.yaml", "notes.doc", "a.txt", "empty/x.txt"] {
      try folder.write("x", to: name)
    }
    try folder.write(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"9\" height=\"9\"/>", to: "corners.svg")
    let result = try await Self.tessera(words, in: folder)
    #expect(result.status == 2)
    #expect(result.errors.replacing("\"pipeline.yaml\"", with: "\"./pipeline.yaml\"") == message)
    #expect(!FileManager.default.fileExists(atPath: folder.path("n")))
  }
}
