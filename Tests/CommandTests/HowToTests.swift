import Foundation
import Synchronization
import TesseraSystem
import TesseraTestSupport
import Testing

/// The pages for operators: their commands are run as they are printed, and do what the pages say.
@Suite struct HowToTests {
  /// Whose the output is.
  enum Reader: CaseIterable {
    /// The one who types.
    case alone
    /// The service's user, who is not root, has no login, and gets a token from a file that only root may read.
    case service
  }

  /// The machine of a page's reader: its folders are below a temporary one, and systemd is scripts that note their arguments and
  /// do what the pages need of it.
  private struct Machine {
    let folder: TemporaryFolder
    let reader: Reader
    /// The one of the service: one that every machine has.
    static let user = SystemUser(65534).description

    init(_ reader: Reader = .alone) throws {
      folder = try TemporaryFolder()
      self.reader = reader
      for path in ["etc/tessera", "var/lib/tessera", "var/backups", "srv/images", "home"] {
        try FileManager.default.createDirectory(
          atPath: folder.path(path), withIntermediateDirectories: true)
      }
      let etc = folder.path("etc/tessera")
      // As the unit file has it.
      try script(
        "systemctl",
        """
        echo "$*" >> \(folder.path("systemctl.log"))
        case "$*" in "start tessera@"*.service) ;; *) exit 0 ;; esac
        name=${2#tessera@}
        name=${name%.service}
        \(reader == .service ? "install -d -o \(Self.user) -g 65534 \(folder.path("var/lib/tessera"))/$name" : "")
        exec systemd-run --uid=tessera -p EnvironmentFile=-\(etc)/$name.env \\
          tessera run \(etc)/$name.yaml --output \(folder.path("var/lib/tessera"))/$name
        """)
      try script("journalctl", "echo \"journalctl $*\" >> \(folder.path("systemctl.log"))")
      try script(
        "systemd-run",
        """
        while :; do
          case "$1" in
            -p) file=${2#EnvironmentFile=-}; set -a; [ ! -e "$file" ] || . "$file"; set +a; shift 2 ;;
            -*) shift ;;
            *) exec runuser -u tessera -- "$@" ;;
          esac
        done
        """)
      switch reader {
      case .alone: try script("runuser", "shift 3\nexec \"$@\"")
      case .service: try makeUser()
      }
    }

    private func script(_ name: String, _ text: String) throws {
      let path = try folder.write("#!/bin/sh\n\(text)\n", to: "bin/\(name)")
      try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: path)
    }

    private func makeUser() throws {
      try script("runuser", "shift 3\nexec /usr/sbin/runuser -u \(Self.user) -- \"$@\"")
      // The folders, and the command, where any user can reach them.
      try FileManager.default.setAttributes(
        [.posixPermissions: 0o755], ofItemAtPath: folder.path(""))
      for path in [Places.tessera, Places.worker] {
        try FileManager.default.copyItem(
          atPath: path, toPath: folder.path("bin/\(URL(filePath: path).lastPathComponent)"))
      }
    }

    var home: String { folder.path("home") }

    /// Runs commands of a page. They end at the first that fails.
    func run(_ commands: String) async throws -> Tool.Result {
      return try await start(commands).end()
    }

    func start(_ commands: String) throws -> Tool.Running {
      let path = ProcessInfo.processInfo.environment["PATH"] ?? ""
      let owner = reader == .service ? "-o \(Self.user) -g 65534" : ""
      let placed = commands.replacing("-o tessera -g tessera", with: owner)
        .replacing(/(?<before>[\s'"=-])\/(?<top>var|etc|srv|tmp)\//) { match in
          "\(match.before)\(folder.path(String(match.top)))/"
        }
      return try Tool.start(
        "/bin/bash", ["-euo", "pipefail", "-c", "cd \(home)\n\(placed)"],
        environment: ["PATH": "\(folder.path("bin")):\(Places.products.path):\(path)"])
    }

    /// Runs them, and expects that all is done.
    @discardableResult
    func done(_ commands: String) async throws -> Tool.Result {
      let result = try await run(commands)
      #expect(result.status == 0, "\(commands)\n\(result.output)\(result.errors)")
      return result
    }

    /// Begins a pipeline `NAME`, its list beside its output, and the output of a run.
    func begin(_ name: String, _ lines: [String], keys: String = "revalidate: never") throws {
      try folder.write(lines.joined(separator: "\n") + "\n", to: "var/lib/tessera/\(name).txt")
      try folder.write(
        """
        manifest: \(folder.path("var/lib/tessera/\(name).txt"))
        output: \(folder.path("var/lib/tessera/\(name)"))
        slots: {card: {size: 10x}}
        fetch: {allow: loopback, retries: 0, \(keys)\(token)}

        """, to: "etc/tessera/\(name).yaml")
      guard reader == .service else { return }
      let file = try folder.write("TOKEN=secret\n", to: "etc/tessera/\(name).env")
      try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: file)
    }

    private var token: String {
      reader == .service
        ? #", headers: [{host: "127.0.0.1", Authorization: "Bearer ${TOKEN}"}]"# : ""
    }

    /// A run of the service, or by hand.
    func runs() async throws { try await done("systemctl start tessera@feed.service") }

    /// Files of the output that another user than its own has.
    func strangers(in output: String) async throws -> String {
      guard reader == .service else { return "" }
      return try await done("find /\(output) ! -user \(Self.user)").output
    }

    func report(_ output: String) throws -> [String: Int] {
      let report = try JSONSerialization.jsonObject(with: folder.read("\(output)/run.json"))
      let members = try #require(report as? [String: Any])
      let fetch = try #require(members["fetch"] as? [String: Any])
      return [
        "decodes": try #require(members["decodes"] as? Int),
        "requests": try #require(fetch["requests"] as? Int),
      ]
    }

    /// The ids and statuses of a catalog.
    func images(_ output: String) throws -> [String] {
      let text = try folder.text("\(output)/catalog.json")
      return text.matches(of: /(?m)^,?\{"id":"([^"]+)".*?"status":"(\w+)"/).map {
        "\($0.1) \($0.2)"
      }
    }

    var calls: [String] {
      ((try? folder.text("systemctl.log")) ?? "").split(separator: "\n").map(String.init)
    }
  }

  /// A section of the page about running, with its subsections.
  private static func running(_ title: String) throws -> String {
    let parts = try Document("Pipelines/RUNNING.md").text
      .components(separatedBy: "\n## \(title)\n")
    try #require(parts.count == 2, "\(title)")
    return parts[1].components(separatedBy: "\n## ")[0]
  }

  /// The fenced blocks of a section.
  private static func blocks(_ title: String) throws -> [String] {
    try running(title).components(separatedBy: "\n```sh\n").dropFirst().map {
      $0.components(separatedBy: "\n```")[0] + "\n"
    }
  }

  private static func urls(_ nginx: Nginx, _ range: Range<Int>) -> [String] {
    range.map { nginx.url("/one-pixel.png?\($0)") }
  }

  // MARK: From a shop's list

  @Test func aShopsListBecomesAGallery() async throws {
    let nginx = try await Nginx(serving: Places.fixtures)
    let machine = try Machine()
    func export(_ products: [String], drafts: Set<String>) throws {
      let rows = products.enumerated().flatMap { index, product in
        // A product in three, in rows of its own: two images, and a row of a variant without one.
        [
          "\(product),Product \(product),\(nginx.url("/one-pixel.png?\(product)a")),,shirt,9.90,"
            + (drafts.contains(product) ? "draft" : "active"),
          "\(product),,\(nginx.url("/one-pixel.png?\(product)b")),Side,,,",
        ] + (index < 30 ? ["\(product),,,,,,"] : [])
      }
      try machine.folder.write(
        "Handle,Title,Image Src,Image Alt Text,Type,Variant Price,Status\n"
          + rows.joined(separator: "\n") + "\n", to: "home/products_export.csv")
    }
    let products = (0..<136).map { "p\($0)" }
    try export(products, drafts: ["p135"])
    let page = try Document("Examples/SHOP.md")
    let blocks = page.blocks("sh")
    #expect(blocks.count == 2)
    let lines = blocks[0].split(separator: "\n").map(String.init)
    #expect(lines.count == 3)
    let begun = try await machine.done(lines[0])
    let shown = try #require(page.blocks("text").first).split(separator: "\n").dropLast()
    for line in shown { #expect(begun.output.contains(line), "\(line) \(begun.output)") }
    // The server of the test is one of the reader's own network.
    let pipeline = try machine.folder.text("home/pipeline.yaml")
    let allowed = pipeline.replacing("# fetch:", with: "fetch:").replacing(
      "#   allow:", with: "  allow:")
    #expect(allowed != pipeline)
    let extra = try #require(page.blocks("yaml").first)
    try machine.folder.write(allowed + extra, to: "home/pipeline.yaml")
    try await machine.done(lines[1])
    try await machine.done(lines[2])
    #expect(FileManager.default.fileExists(atPath: "\(machine.home)/output/gallery.html"))
    let images = try machine.images("home/output")
    #expect(images.count == 270 && images.allSatisfy { $0.hasSuffix(" ok") })
    #expect(images[0] == "p0 ok" && images[1].wholeMatch(of: /p0#[0-9a-f]{8} ok/) != nil)
    let catalog = try machine.folder.text("home/output/catalog.json")
    #expect(catalog.contains(#""Type":"shirt""#) && !catalog.contains("9.90"))

    // Tomorrow: one product is a draft again, and one is new.
    try export(products + ["shirt"], drafts: ["p7", "p135"])
    let next = try await machine.done(blocks[1])
    #expect(
      next.output.contains("of these 2 new") && next.output.contains("2 gone from the manifest"),
      "\(next.output)")
    #expect(next.output.contains("shirt, line "))
    let after = try machine.images("home/output")
    #expect(Set(after).subtracting(images).count == 2 && after.count == 270)
    await nginx.stop()
  }

  private static func canBe(_ reader: Reader) -> Bool {
    guard reader == .service, getuid() != 0 else { return true }
    print("not tested: the service's user (run the tests as root for it)")
    return false
  }

  // MARK: Scheduling

  /// The service's lines, those of a run by hand, and then cron's job, which goes on with the same output.
  @Test(arguments: Reader.allCases) func aScheduleRuns(_ reader: Reader) async throws {
    guard Self.canBe(reader) else { return }
    let nginx = try await Nginx(serving: Places.fixtures)
    let machine = try Machine(reader)
    try machine.begin("feed", Self.urls(nginx, 0..<20))
    // Readable by its author only.
    try await machine.done(
      "install -m 600 /etc/tessera/feed.yaml feed.yaml; rm /etc/tessera/feed.yaml")
    let blocks = try Self.blocks("Schedule")
    #expect(blocks.count == 2)
    let output = "var/lib/tessera/feed"
    try await machine.done(blocks[0])
    let images = try machine.images(output)
    #expect(images.count == 20 && images.allSatisfy { $0.hasSuffix(" ok") })
    let start = "start tessera@feed.service"
    let calls = ["enable --now tessera@feed.timer", start, "journalctl -u tessera@feed.service"]
    #expect(machine.calls == calls)
    if reader == .service {
      let rejected = try await machine.run("TOKEN=secret tessera run /etc/tessera/feed.yaml")
      #expect(
        rejected.status == 2 && rejected.errors.contains("runuser -u \(Machine.user)"),
        "\(rejected)")
    }
    try await machine.done(blocks[1])
    #expect(machine.calls == calls + [start])
    #expect(try machine.report(output) == ["decodes": 0, "requests": 0])
    #expect(try await machine.strangers(in: output) == "")

    // Cron gives the job no tokens but those of its own file.
    let cron = try Document("Examples/operations/tessera.cron").text
    let folders = try #require(cron.firstMatch(of: /(?m)^# (install .*)$/)?.1)
    let job = try #require(cron.firstMatch(of: /(?m)^17 .* tessera  \S*\/(tessera-hourly .*)$/)?.1)
    try FileManager.default.copyItem(
      atPath: Places.root.appending(path: "Examples/operations/hourly").path,
      toPath: machine.folder.path("bin/tessera-hourly"))
    try await machine.done(String(folders))
    let token = reader == .service ? "TOKEN=secret " : ""
    let mail = try await machine.done("\(token)runuser -u tessera -- \(job)")
    #expect(mail.output.isEmpty && mail.errors.isEmpty, "\(mail)")
    #expect(try machine.folder.text("var/log/tessera/feed.log").hasSuffix("exit status 0\n"))
    #expect(
      try machine.folder.text("var/lib/tessera/metrics/feed.prom").contains("_success"))
    #expect(try machine.images(output) == images)
    #expect(try await machine.strangers(in: output) == "")
    await nginx.stop()
  }

  // MARK: Upgrading

  @Test(arguments: Reader.allCases) func anUpgradeCanBeTakenBack(_ reader: Reader) async throws {
    guard Self.canBe(reader) else { return }
    let nginx = try await Nginx(serving: Places.fixtures)
    let machine = try Machine(reader)
    try machine.begin("feed", Self.urls(nginx, 0..<20))
    let blocks = try Self.blocks("Upgrade and go back")
    #expect(blocks.count == 3)
    let output = "var/lib/tessera/feed"
    try await machine.runs()
    let catalog = try machine.folder.text("\(output)/catalog.json")
    try await machine.done(blocks[0])
    try await machine.done(blocks[1])
    #expect(try machine.folder.text("\(output)/catalog.json") == catalog)
    // What a later version leaves, which the older one does not read.
    try await machine.done(
      """
      state=/\(output)/.tessera/state.sqlite
      sqlite3 $state "PRAGMA user_version = $(($(sqlite3 $state 'PRAGMA user_version') + 1)); CREATE TABLE more (x)"
      """)
    let older = try await machine.run("systemctl start tessera@feed.service")
    #expect(older.status == 2 && older.errors.contains("version"), "\(older.errors)")
    #expect(try machine.folder.text("\(output)/catalog.json") == catalog)
    try await machine.done(blocks[2])
    #expect(try machine.report(output) == ["decodes": 0, "requests": 0])
    #expect(try machine.folder.text("\(output)/catalog.json") == catalog)
    let calls = [
      "stop tessera@feed.timer tessera@feed.service", "start tessera@feed.service",
      "start tessera@feed.timer",
    ]
    let start = "start tessera@feed.service"
    #expect(machine.calls == [start] + calls + [start] + calls)
    #expect(try await machine.strangers(in: output) == "")
    // The next one, too: a copy of before is there.
    try await machine.done(blocks[0])
    await nginx.stop()
  }

  // MARK: Backup

  /// Copies that are made at any moment of a run, some of which forgets images, are whole, and what is restored from them goes on.
  @Test(.faults(.f23), arguments: Reader.allCases)
  func copiesOfARunningOutputAreWhole(_ reader: Reader) async throws {
    guard Self.canBe(reader) else { return }
    let server = try FaultServer([
      "/a": { _, connection in
        Thread.sleep(forTimeInterval: 0.05)
        connection.fixture("one-pixel.png", ["Cache-Control": "max-age=86400"])
      }
    ])
    defer { server.stop() }
    let machine = try Machine(reader)
    let urls = (0..<120).map { server.url("/a?\($0)") }
    let output = "var/lib/tessera/feed"
    let lines = urls.enumerated().map { #"{"id":"p\#($0)","url":"\#($1)"}"# }
    try machine.begin("feed", Array(lines[..<20]))
    try await machine.runs()
    try await machine.done("runuser -u tessera -- tessera forget /\(output) p3")
    let blocks = try Self.blocks("Back up and restore")
    #expect(blocks.count == 5)
    try machine.begin("feed", lines)
    let run = try machine.start("systemctl start tessera@feed.service")
    var copies = 0
    while !run.hasEnded || copies == 0 {
      try await machine.done(blocks[0])
      try await machine.done(blocks[1])
      copies += 1
    }
    #expect(await run.end().status == 0)
    #expect(copies > 1)
    // After the last copy.
    try await machine.done("runuser -u tessera -- tessera forget /\(output) p7")
    let catalog = try machine.folder.text("\(output)/catalog.json")

    for block in blocks[2...] { try await machine.done(block) }
    #expect(try machine.folder.text("\(output)/catalog.json") == catalog)
    let images = try machine.images(output)
    #expect(images.count == 118 && !images.contains("p3 ok") && !images.contains("p7 ok"))
    // The last copy was made during the run: what it did not have is requested again, and nothing else.
    let requests = try #require(try machine.report(output)["requests"])
    #expect(requests < 100)
    try await machine.done("tessera verify /\(output) --deep")
    #expect(try await machine.strangers(in: output) == "")
    // A web server of another user reads it.
    let mode = try FileManager.default.attributesOfItem(atPath: machine.folder.path(output))[
      .posixPermissions]
    #expect(mode as? Int == 0o755)
  }

  // MARK: Moving

  @Test(arguments: Reader.allCases) func aMovedOutputGoesOn(_ reader: Reader) async throws {
    guard Self.canBe(reader) else { return }
    let nginx = try await Nginx(serving: Places.fixtures)
    let machine = try Machine(reader)
    try machine.begin("feed", Self.urls(nginx, 0..<20))
    try await machine.runs()
    let catalog = try machine.folder.text("var/lib/tessera/feed/catalog.json")
    let blocks = try Self.blocks("Move")
    #expect(blocks.count == 2)
    try await machine.done(blocks[0])
    #expect(try machine.report("srv/images/feed") == ["decodes": 0, "requests": 0])
    #expect(try machine.folder.text("srv/images/feed/catalog.json") == catalog)
    try await machine.done(blocks[1])
    #expect(try machine.report("srv/images/feed") == ["decodes": 0, "requests": 0])
    let renamed = try machine.folder.text("srv/images/feed/catalog.json")
    func lines(_ text: String) -> [Substring] { text.split(separator: "\n").dropFirst().dropLast() }
    #expect(lines(renamed) == lines(catalog) && renamed.contains(#""name":"shop""#))
    #expect(try await machine.strangers(in: "srv/images/feed") == "")
    await nginx.stop()
  }

  // MARK: Growing

  @Test(arguments: Reader.allCases)
  func aLongListIsTriedAndDivided(_ reader: Reader) async throws {
    guard Self.canBe(reader) else { return }
    let nginx = try await Nginx(serving: Places.fixtures)
    let machine = try Machine(reader)
    try machine.begin("feed", Self.urls(nginx, 0..<20))
    try machine.begin("new", Self.urls(nginx, 0..<200))
    try await machine.runs()
    try await machine.done(
      "install -d -m 1777 /tmp/; mv /var/lib/tessera/new.txt /var/lib/tessera/new.csv; "
        + "sed -i 's/new[.]txt/new.csv/' /etc/tessera/new.yaml")
    let blocks = try Self.blocks("Grow")
    #expect(blocks.count == 4)
    for block in blocks { try await machine.done(block) }
    let images = try machine.images("var/lib/tessera/new")
    let sample = try machine.images("tmp/sample")
    #expect(images.count == 200 && images == sample)
    #expect(
      FileManager.default.fileExists(
        atPath: machine.folder.path("var/lib/tessera/feed/catalog.sqlite")))
    for output in ["feed", "new"] {
      #expect(try await machine.strangers(in: "var/lib/tessera/\(output)") == "")
    }
    await nginx.stop()
  }

  // MARK: Cleaning, and several machines

  /// The commands of a page of operations, of which each has a line of its own.
  private static func commands(in text: String) -> [String] {
    text.matches(of: /(?m)^ {4}(tessera [^#\n]*)/).map {
      String($0.1).trimmingCharacters(in: .whitespaces)
    }
  }

  @Test(arguments: Reader.allCases) func anOutputIsCleaned(_ reader: Reader) async throws {
    guard Self.canBe(reader) else { return }
    let nginx = try await Nginx(serving: Places.fixtures)
    let machine = try Machine(reader)
    let output = "var/lib/tessera/feed"
    let first = nginx.url("/one-pixel.png?1")
    for count in [3, 4, 5] {
      let lines = (0..<count).map {
        #"{"id":"p\#($0)","url":"\#(nginx.url("/one-pixel.png?\($0)"))"}"#
      }
      try machine.begin("feed", lines)
      try await machine.runs()
    }
    let commands = Self.commands(in: try Self.running("Clean up")).map {
      $0.replacing("OUTPUT", with: "/\(output)").replacing(
        "https://example.com/p1.jpg", with: first)
    }
    #expect(commands.count == 7)
    for command in commands {
      let changes = !command.contains("--list") && !command.contains("verify")
      if reader == .service, changes {
        let refused = try await machine.run(command)
        #expect(
          refused.status == 2 && refused.errors.contains("runuser -u \(Machine.user)"), "\(refused)"
        )
      }
      try await machine.done("runuser -u tessera -- \(command)")
      #expect(try await machine.strangers(in: output) == "", "\(command)")
      switch command.split(separator: " ").dropFirst().first {
      case "rollback" where changes: #expect(try machine.images(output).count == 3)
      case "forget": #expect(!(try machine.images(output).contains { $0.hasPrefix("p1 ") }))
      default: break
      }
    }
    // What was forgotten by its URL stays away; the last line took back only the id.
    try await machine.runs()
    #expect(try machine.images(output).map { $0.prefix(2) } == ["p0", "p3", "p4"])
    await nginx.stop()
  }

  @Test(arguments: Reader.allCases) func machinesShareAnOutput(_ reader: Reader) async throws {
    guard Self.canBe(reader) else { return }
    let nginx = try await Nginx(serving: Places.fixtures)
    let machine = try Machine(reader)
    let output = "var/lib/tessera/feed"
    try machine.begin("feed", Self.urls(nginx, 0..<20))
    try await machine.runs()
    let catalog = try machine.folder.text("\(output)/catalog.json")
    let page = try Document("Pipelines/MACHINES.md").text
    let commands = page.matches(of: /(?m)^ {4}(tessera [^#\n]*)/).map {
      String($0.1).trimmingCharacters(in: .whitespaces)
    }
    #expect(commands.count == 2)
    let service =
      "systemd-run --uid=tessera -p EnvironmentFile=-/etc/tessera/feed.env "
    for shard in 0..<8 {
      try await machine.done(
        service
          + commands[0].replacing("feed.yaml", with: "/etc/tessera/feed.yaml")
          .replacing("0/8", with: "\(shard)/8"))
    }
    let merge = commands[1].replacing("OUTPUT", with: "/\(output)")
    if reader == .service {
      let refused = try await machine.run(merge)
      #expect(refused.status == 2 && refused.errors.contains("runuser -u"), "\(refused)")
    }
    try await machine.done("runuser -u tessera -- \(merge)")
    #expect(try machine.folder.text("\(output)/catalog.json") == catalog)
    #expect(try await machine.strangers(in: output) == "")
    await nginx.stop()
  }

  // MARK: The runbook

  /// The commands of a section of the runbook, for the pipeline `feed`.
  private static func section(_ title: String) throws -> [String] {
    let text = try Document("Pipelines/RUNBOOK.md").text
    let section = try #require(
      text.components(separatedBy: "\n## \(title)\n").last?.components(separatedBy: "\n## ").first)
    return section.matches(of: /`(tessera [^`]*)`/).map {
      String($0.1).replacing(/\s+/, with: " ")
    }
  }

  @Test(arguments: Reader.allCases)
  func theImageThatHasToGoIsGone(_ reader: Reader) async throws {
    guard Self.canBe(reader) else { return }
    let nginx = try await Nginx(serving: Places.fixtures)
    let machine = try Machine(reader)
    let lines = Self.urls(nginx, 0..<5).enumerated().map { #"{"id":"p\#($0)","url":"\#($1)"}"# }
    try machine.begin("feed", lines)
    try await machine.runs()
    let commands = try Self.section("An image must go")
      .map {
        $0.replacing(" ID", with: " p2").replacing(
          " URL", with: " \(nginx.url("/one-pixel.png?2"))")
      }
    #expect(commands.count == 2)
    if reader == .service {
      let refused = try await machine.run(commands[0])
      #expect(
        refused.status == 2 && refused.errors.contains("runuser -u \(Machine.user)"),
        "\(refused.errors)")
    }
    let user = "runuser -u tessera -- "
    let gone = try await machine.done(user + commands[0])
    #expect(gone.output.contains("purge"), "\(gone.output)")
    let why = try await machine.run("tessera why /var/lib/tessera/feed p2")
    #expect(why.status == 2 && why.errors.contains("was forgotten"), "\(why.errors)")
    // Its line is still in the manifest of another list; it stays away all the same.
    try await machine.runs()
    let output = "var/lib/tessera/feed"
    #expect(try machine.images(output).map { $0.prefix(2) } == ["p0", "p1", "p3", "p4"])
    try await machine.done(user + commands[1])
    try await machine.runs()
    #expect(try machine.images(output).count == 5)
    #expect(try await machine.strangers(in: output) == "")
    await nginx.stop()
  }

  @Test func aBanIsSeenAndLifted() async throws {
    let isBanned = Mutex(true)
    let server = try FaultServer([
      "/a": { request, connection in
        guard isBanned.withLock({ !$0 }) || request.headers["x-key"] == "k" else {
          return connection.respond("403 Forbidden")
        }
        connection.fixture("one-pixel.png")
      }
    ])
    defer { server.stop() }
    let machine = try Machine()
    let lines = (0..<30).map { #"{"id":"p\#($0)","url":"\#(server.url("/a?\($0)"))"}"# }
    try machine.begin("feed", lines, keys: "revalidate: never")
    let first = try await machine.run("tessera run /etc/tessera/feed.yaml")
    #expect(first.output.contains("it probably bans this pipeline"), "\(first.output)")
    let commands = try Self.section(#""it probably bans this pipeline""#)
      .filter { $0.split(separator: " ").count > 2 }.map {
        $0.replacing(" URL", with: " \(server.url("/a?1")) --allow loopback")
      }
    #expect(commands.count == 2)
    let probe = try await machine.run(commands[0])
    #expect(probe.status == 1 && probe.errors.contains("403"), "\(probe.output)\(probe.errors)")
    isBanned.withLock { $0 = false }
    try await machine.done(commands[1])
    #expect(try machine.images("var/lib/tessera/feed").filter { $0.hasSuffix(" ok") }.count == 30)
  }
}
