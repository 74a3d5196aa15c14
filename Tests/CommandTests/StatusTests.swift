import Foundation
import TesseraSystem
import TesseraTestSupport
import Testing

/// `tessera status` on the outputs of real runs.
@Suite struct StatusTests {
  private static func line(_ id: String, _ url: String) -> String {
    #"{"id":"\#(id)","url":"\#(url)"}"# + "\n"
  }

  /// Two images that are there, one that is gone, and one that is broken.
  private static func manifest(_ nginx: Nginx) -> String {
    line("a", nginx.url("/plain.jpg")) + line("b", nginx.url("/grey.png"))
      + line("gone", nginx.url("/none.png")) + line("cut", nginx.url("/truncated.jpg"))
  }

  private static func status(_ fixture: RunFixture, _ options: String...) async throws
    -> Tool.Result
  {
    try await Tool.run(Places.tessera, ["status", fixture.folder.path("out")] + options)
  }

  @Test func thePersonOnCallFindsEveryAnswer() async throws {
    let nginx = try await Nginx(serving: Places.fixtures)
    let fixture = try RunFixture(manifest: Self.manifest(nginx))
    let none = try await Self.status(fixture)
    #expect(none.status == 2 && none.errors.contains("there is no file or folder"))
    #expect(try await fixture.run().status == 1)
    let out = fixture.folder.path("out")
    let first = try await Self.status(fixture)
    #expect(first.status == 0 && first.errors.isEmpty, "\(first.errors)")
    let host = nginx.url("/").split(separator: "/")[1]
    for text in [
      " run   some-failed   2              2 ",
      "when the history begins: 1 run, 0 failed, 0 stopped; 4 requests, ",
      "failures: 2 failed, 0 stale\n", "1 decode: cut\n",
      "1 http-status (404): gone\n", "2 \(host) (http-status 404 1 time): gone, cut\n",
      "tessera why \(out) ID says",
      "catalog.json, the current catalog: 4 images\n", "prune has not looked for files",
      "sizes: ", " free on the disk\n",
    ] {
      #expect(first.output.contains(text), "\(text) in \(first.output)")
    }
    // Another catalog, with a file that no catalog names; then `prune`.
    try fixture.write(keys: "keep-catalogs: 1\nvariants: {quality: 50}")
    _ = try await fixture.run()
    try fixture.write(keys: "keep-catalogs: 1\nvariants: {quality: 40}")
    _ = try await fixture.run()
    #expect(try await Tool.tessera("prune", out).status == 0)
    let waiting = try await Self.status(fixture)
    #expect(waiting.output.contains("the catalog that was replaced at "))
    #expect(waiting.output.contains("tessera rollback --to 1 \(out)\n"))
    #expect(waiting.output.contains(" wait for prune, the first until "), "\(waiting.output)")
    #expect(waiting.output.contains(" prune  done "))
    // It deleted nothing: another one takes its place.
    #expect(try await Tool.tessera("prune", out).status == 0)
    let again = try await Self.status(fixture, "--json", "--runs", "9").output
    #expect(again.matches(of: /"kind": "prune"/).count == 1, "\(again)")
    #expect(try await Tool.tessera("rollback", out).status == 0)
    let earlier = try await Self.status(fixture)
    #expect(
      earlier.output.hasPrefix("the current catalog is an earlier one, since the rollback of "),
      "\(earlier.output)")
    _ = try await fixture.run()
    #expect(try await Tool.tessera("forget", out, "b").status == 0)
    let forgotten = try await Self.status(fixture)
    #expect(!forgotten.output.contains("an earlier one"))
    #expect(forgotten.output.contains(" forget "), "\(forgotten.output)")
    #expect(forgotten.output.contains(" files deleted\n"), "\(forgotten.output)")
    #expect(try await Tool.tessera("prune", out).status == 0)
    let json = try #require(
      try JSONSerialization.jsonObject(
        with: Data(try await Self.status(fixture, "--json", "--runs", "2").output.utf8))
        as? [String: Any])
    #expect(
      (json["runs"] as? [[String: Any]])?.map { $0["kind"] as? String } == ["prune", "forget"])
    let prune = try #require(json["prune"] as? [String: Any])
    let dry = try await Tool.tessera("prune", out, "--dry-run", "--json")
    let report = try #require(
      try JSONSerialization.jsonObject(with: Data(dry.output.utf8)) as? [String: Any])
    // The time of files that only kept catalogs name has begun, too.
    let kept = (report["keptBy"] as? [String: Int])?["kept catalogs"] ?? 0
    let waitingFiles = try #require(report["waiting"] as? Int)
    #expect(prune["waiting"] as? Int == waitingFiles + kept && kept > 0)
    #expect(prune["nextDeletion"] as? String == report["keptUntil"] as? String)
    await nginx.stop()
  }

  /// What `status` says of `prune`, after a week: what it deletes.
  @Test func pruneDeletesWhatWasForetold() async throws {
    let nginx = try await Nginx(serving: Places.fixtures)
    let fixture = try RunFixture(manifest: Self.manifest(nginx), keys: "keep-catalogs: 0")
    let out = fixture.folder.path("out")
    _ = try await fixture.run()
    try fixture.write(keys: "keep-catalogs: 0\nvariants: {quality: 50}")
    _ = try await fixture.run()
    await nginx.stop()
    #expect(try await Tool.tessera("prune", out).status == 0)
    let library = try await Shim.build("clock", in: fixture.folder)
    let later = ["LD_PRELOAD": library, "SHIM_SHIFT": "\(8 * 86_400)"]
    func number(_ text: String, _ member: String) throws -> Int? {
      try (JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any])?[member] as? Int
    }
    let status = try await Tool.run(
      Places.tessera, ["status", out, "--json"], environment: later)
    let foretold = try #require(status.output.firstMatch(of: /"deletableBytes": (\d+)/)).1
    #expect(
      try await Tool.run(Places.tessera, ["status", out], environment: later).output
        .contains("prune would delete "))
    let pruned = try await Tool.run(
      Places.tessera, ["prune", out, "--json"], environment: later)
    #expect(try number(pruned.output, "deletedBytes") == Int(foretold))
    #expect(try number(pruned.output, "deletedBytes") ?? 0 > 0)
  }

  /// A run that would lose images leaves the catalog, and what it saw is not what that shows.
  @Test func aRunThatFailedIsSaidToHaveSeenTheFailures() async throws {
    let nginx = try await Nginx(serving: Places.fixtures)
    let fixture = try RunFixture(
      manifest: (0..<6).map { Self.line("p\($0)", nginx.url("/plain.jpg?\($0)")) }.joined(),
      keys: "fail-above: 100%")
    #expect(try await fixture.run().status == 0)
    await nginx.stop()
    let banning: FaultServer.Route = { _, connection in connection.respond("403 Forbidden") }
    let paths = (0..<6).map { "/gone\($0)" }
    let server = try FaultServer(
      Dictionary(uniqueKeysWithValues: paths.map { ($0, banning) }))
    defer { server.stop() }
    try fixture.folder.write(
      paths.enumerated().map { Self.line("p\($0)", server.url($1)) }.joined(), to: "manifest")
    #expect(try await fixture.run().status == 2)
    let host = server.url("/").split(separator: "/")[1]
    let status = try await Self.status(fixture)
    #expect(
      status.output.contains(
        try Regex(
          "failures: 6 failed, 0 stale, as the run that failed at [0-9TZ:-]+ saw them\n"
            + "  the catalog of [0-9TZ:-]+ stands: 6 ok\n")), "\(status.output)")
    #expect(status.output.contains("6 http-status (403): p0, p1, p2 …\n"))
    #expect(status.output.contains("6 \(host) (http-status 403): p0, "))
    #expect(status.output.contains(" failed: "))
    // A report of its own: the host that bans.
    #expect(try await fixture.run("--allow-loss", "--retry-failed").status == 1)
    let after = try await Self.status(fixture)
    #expect(!after.output.contains("saw them"))
    #expect(
      after.output.contains("banned: \(host) answered all 6 requests with 403 or 429; it probably"),
      "\(after.output)")
  }

  @Test func aRunAtWorkAndAKilledOneAreSeen() async throws {
    let hanging: FaultServer.Route = { _, connection in connection.hang() }
    let server = try FaultServer(["/hang": hanging])
    defer { server.stop() }
    let nginx = try await Nginx(serving: Places.fixtures)
    let fixture = try RunFixture(manifest: Self.line("h", server.url("/hang")))
    // Also the very first run.
    let first = try fixture.start()
    while server.count("/hang") == 0 { try await Task.sleep(for: .milliseconds(20)) }
    first.signal(SIGKILL)
    _ = await first.end()
    let begun = try await Self.status(fixture)
    #expect(begun.output.hasPrefix("the last run was killed before its end"), "\(begun.output)")
    try fixture.folder.write(Self.line("a", nginx.url("/plain.jpg")), to: "manifest")
    _ = try await fixture.run()
    await nginx.stop()
    try fixture.folder.write(Self.line("h", server.url("/hang")), to: "manifest")
    let running = try fixture.start("--allow-shrink")
    while server.count("/hang") == 1 { try await Task.sleep(for: .milliseconds(20)) }
    let during = try await Self.status(fixture)
    #expect(during.status == 0)
    #expect(
      during.output.prefixMatch(
        of: try Regex(
          "in progress: process \(running.pid) is at work on it since [0-9TZ:-]+ \\([0-9]+ s\\); 0 images done; "
        )
      ) != nil,
      "\(during.output)")
    running.signal(SIGKILL)
    _ = await running.end()
    let killed = try await Self.status(fixture)
    #expect(killed.output.hasPrefix("the last run was killed before its end"), "\(killed.output)")
    // One that is stopped by a signal leaves an entry.
    let stopped = try fixture.start("--allow-shrink")
    while server.count("/hang") == 2 { try await Task.sleep(for: .milliseconds(20)) }
    stopped.signal(SIGTERM)
    #expect(await stopped.end().status == 143)
    let after = try await Self.status(fixture)
    #expect(after.output.contains(" run   stopped "), "\(after.output)")
    // What it has requested counts, although it has no report.
    let json = try await Self.status(fixture, "--json", "--runs", "1").output
    #expect(json.contains(/"work": \{[^}]*"requests": 1,/), "\(json)")
    #expect(after.output.contains("the last run that came to a result ended "))
    #expect(!after.output.contains("killed"))
  }

  @Test func aStateThatIsGoneIsAProblem() async throws {
    let nginx = try await Nginx(serving: Places.fixtures)
    let fixture = try RunFixture(manifest: Self.line("a", nginx.url("/plain.jpg")))
    _ = try await fixture.run()
    await nginx.stop()
    try FileManager.default.removeItem(atPath: fixture.folder.path("out/.tessera"))
    let status = try await Self.status(fixture)
    #expect(status.status == 1)
    #expect(
      status.output.contains("problem: there is no state: the next run fetches the image\n"),
      "\(status.output)")
    #expect(!status.output.contains("a state of"))
  }

  @Test func shardsAndTheirMergeAreListed() async throws {
    let nginx = try await Nginx(serving: Places.fixtures)
    let fixture = try RunFixture(manifest: Self.manifest(nginx))
    for index in 0..<2 { _ = try await fixture.run("--shard", "\(index)/2") }
    await nginx.stop()
    #expect(try await Tool.tessera("merge", fixture.folder.path("out")).status == 1)
    let status = try await Self.status(fixture)
    for text in [
      " merge ", " shard 0/2 ", " shard 1/2 ", "failures: 2 failed", "2 results of shards",
    ] {
      #expect(status.output.contains(text), "\(text) in \(status.output)")
    }
  }

  /// The state is private to its owner. Another user learns that, and not that there is none.
  @Test(.faults(.f3)) func anotherUserLearnsWhy() async throws {
    guard getuid() == 0 else {
      print("not tested: another user (run the tests as root for it)")
      return
    }
    let nginx = try await Nginx(serving: Places.fixtures)
    let fixture = try RunFixture(manifest: Self.line("a", nginx.url("/plain.jpg")))
    _ = try await fixture.run()
    await nginx.stop()
    // The command and the folder, where any user can reach them.
    let place = try TemporaryFolder()
    for (name, path) in [
      ("tessera", Places.tessera), ("tessera-worker", Places.worker),
      ("out", fixture.folder.path("out")),
    ] {
      _ = try await Tool.run("/bin/cp", ["-a", path, place.path(name)])
    }
    _ = try await Tool.run("/bin/chmod", ["755", place.path(""), place.path("tessera")])
    let out = place.path("out")
    for words in [
      ["status", out], ["why", out, "a"], ["prune", out, "--dry-run"], ["verify", out],
      ["rollback", out, "--list"],
    ] {
      let end = try await Tool.run(
        "/usr/bin/setpriv",
        ["--reuid=65534", "--regid=65534", "--clear-groups", place.path("tessera")] + words)
      #expect(end.status == 2, "\(words)")
      #expect(
        end.errors.wholeMatch(
          of:
            /tessera: could not (read|open) ".*\/\.tessera.*": Permission denied; run as its owner \(root\), or change its permissions\n/
        ) != nil, "\(words): \(end.errors)")
    }
    _ = try await Tool.run("/bin/chown", ["-R", "65534:65534", out])
    // What writes leaves nothing of root's there, neither in an output nor in a folder for one.
    let user = SystemUser(65534).description
    let new = place.path("new")
    _ = try await Tool.run("/usr/bin/install", ["-d", "-o", user, new])
    let run = ["run", fixture.folder.path("feed.yaml"), "--output"]
    for words in [
      ["prune", out], ["rollback", out], ["forget", out, "a"], ["merge", out], run + [out],
      run + [out, "--shard", "0/2"], run + [new], run + [new, "--shard", "0/2"],
    ] {
      let end = try await Tool.run(place.path("tessera"), words)
      #expect(end.status == 2, "\(words)")
      #expect(
        end.errors
          == "tessera: the output \"\(words.contains(new) ? new : out)\" belongs to the user \(user), whose next run "
          + "could not write what root leaves in it; run as that user: runuser -u \(user) -- tessera …\n",
        "\(words)")
      let strangers = try await Tool.run("/usr/bin/find", [out, new, "!", "-user", user])
      #expect(strangers.status == 0 && strangers.output == "", "\(words)")
    }
    // What a tool left that another user called.
    let file = try #require(place.files(below: "out/variants").first)
    for inner in [".tessera/state.sqlite", "variants/\(file.prefix { $0 != "/" })"] {
      _ = try await Tool.run("/bin/chown", ["0:0", "\(out)/\(inner)"])
      let end = try await Tool.run(
        "/usr/bin/setpriv",
        [
          "--reuid=65534", "--regid=65534", "--clear-groups", place.path("tessera"), "doctor", out,
        ])
      #expect(
        end.output.contains("\"\(out)/\(inner)\" can't be written: Permission denied"),
        "\(end.output)")
      _ = try await Tool.run("/bin/chown", ["65534:65534", "\(out)/\(inner)"])
    }
  }

  /// The host to look at is the one that was requested, not that of the list.
  @Test func theHostThatWasRequestedIsNamed() async throws {
    let server = try FaultServer()
    defer { server.stop() }
    let fixture = try RunFixture(
      manifest: "http://list.example/gone.jpg\n",
      keys:
        "fetch: {allow: loopback, retries: 0, rewrite: [{from: 'http://list.example/', to: '\(server.url("/"))'}]}"
    )
    #expect(try await fixture.run().status == 1)
    let status = try await Tool.tessera("status", fixture.folder.path("out")).output
    let host = server.url("/").split(separator: "/")[1]
    #expect(status.contains("1 \(host) (http-status 404"), "\(status)")
    #expect(!status.contains(" list.example ("))
  }
}
