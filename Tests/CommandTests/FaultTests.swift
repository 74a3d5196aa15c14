import Foundation
import Synchronization
import TesseraCatalog
import TesseraTestSupport
import TesseraWorkers
import Testing

/// Faults during `tessera run`: each one costs its item, or ends the run and keeps the last good
/// catalog.
@Suite struct FaultTests {
  @Test(.faults(.i2, .n7, .n23, .n24)) func eachBadItemFailsAlone() async throws {
    let server = try FaultServer([
      "/good": { _, connection in connection.fixture("plain.jpg") },
      "/html": { _, connection in
        connection.respond(
          "200 OK", ["Content-Type": "image/jpeg"], Array("<!DOCTYPE html><html>Sorry</html>".utf8))
      },
      "/json": { _, connection in connection.respond("200 OK", [:], Array("{\"error\": 1}".utf8)) },
      "/empty": { _, connection in connection.respond() },
      "/204": { _, connection in connection.respond("204 No Content") },
      "/truncated": { _, connection in connection.fixture("truncated.jpg") },
      "/short": { _, connection in
        let bytes = (try? Places.bytes("plain.jpg")) ?? []
        connection.send("HTTP/1.1 200 OK\r\nContent-Length: \(bytes.count)\r\n\r\n")
        connection.send(bytes.prefix(2000))
      },
      "/psd": { _, connection in
        // Seven pixels wide, nine high, three channels.
        let head =
          Array("8BPS".utf8) + [0, 1, 0, 0, 0, 0, 0, 0, 0, 3, 0, 0, 0, 9, 0, 0, 0, 7, 0, 8, 0, 3]
        connection.respond("200 OK", [:], head + [UInt8](repeating: 0, count: 40))
      },
      "/forbidden": { _, connection in
        connection.respond("302 Found", ["Location": "http://10.0.0.1/x"])
      },
      "/bomb": { _, connection in
        // A PNG whose header states 60000 x 60000 pixels.
        var bytes = (try? Places.bytes("one-pixel.png")) ?? []
        bytes.replaceSubrange(16..<24, with: [0, 0, 0xEA, 0x60, 0, 0, 0xEA, 0x60])
        connection.respond("200 OK", [:], bytes)
      },
    ])
    defer { server.stop() }
    let names = [
      "404", "html", "json", "empty", "204", "truncated", "short", "psd", "forbidden", "bomb",
      "good",
    ]
    let manifest = names.map { #"{"id":"\#($0)","url":"\#(server.url("/\($0)"))"}"# + "\n" }
      .joined()
    let fixture = try RunFixture(
      manifest: manifest + #"{"id":"ftp","url":"ftp://example.com/a.jpg"}"#)
    let result = try await fixture.run()
    #expect(result.status == 1)
    #expect(
      try fixture.catalog.outline == [
        "404 failed [http-status]", "html failed [not-image]", "json failed [not-image]",
        "empty failed [not-image]", "204 failed [http-status]",
        "truncated failed 240x160 jpeg [decode]", "short failed [truncated]",
        "psd failed 7x9 psd [unsupported-format]", "forbidden failed [address-rejected]",
        "bomb failed 60000x60000 png [too-many-pixels]",
        "good ok 240x160 jpeg: 64x64 webp, 128x128 webp, 240x160 webp",
      ])
    let messages = try fixture.catalog.images.compactMap { $0.error?.message }
    #expect(
      result.errors.contains(
        "manifest line 12: the URL must begin with http:// or https:// and name a host, or be a file:, data: or s3: URL"
      ))
    #expect(messages[0] == "The server answered 404 Not Found.")
    #expect(messages[1] == "The file is an HTML page, not an image.")
    #expect(messages.allSatisfy { $0.hasSuffix(".") && $0.first?.isLowercase == false })
    #expect(result.errors.contains("404: The server answered 404 Not Found. (http-status)"))
    try await fixture.expectWhole()
    #expect(try fixture.report["errors.not-image"] == 3)
  }

  @Test(.faults(.n27)) func transientErrorsAreRetried() async throws {
    let server = try FaultServer([
      "/twice": { request, connection in
        if request.before < 2 {
          connection.respond("503 Service Unavailable", ["Retry-After": "1"])
        } else {
          connection.fixture("plain.jpg")
        }
      }
    ])
    defer { server.stop() }
    let fixture = try RunFixture(
      manifest: server.url("/twice"), keys: "fetch: {allow: loopback, retries: 4}")
    let clock = ContinuousClock.now
    #expect(try await fixture.run().status == 0)
    #expect(clock.duration(to: .now) >= .seconds(2))
    #expect(try fixture.report["fetch.retries"] == 2)
    #expect(server.count("/twice") == 3)
  }

  /// A worker is killed during a job that is not its first: a fresh worker repeats the job. If that
  /// one is killed, too, the item fails.
  @Test(.faults(.w3, .w13), arguments: [1, 2])
  func killedWorkerCostsAtMostOneItem(_ kills: Int) async throws {
    let names = ["plain.jpg", "transparent.png", "animated.gif", "tall-900x20000.png"]
    let mayBeSent = Mutex(false)
    let isSent = Mutex(false)
    let server = try FaultServer()
    defer { server.stop() }
    for name in names.dropLast() {
      server.route("/\(name)") { _, connection in connection.fixture(name) }
    }
    server.route("/\(names[3])") { _, connection in
      // Not before the others are done, so that it is not the worker's first job.
      for _ in 0..<1000 where !mayBeSent.withLock({ $0 }) { connection.pause(0.05) }
      connection.fixture(names[3])
      isSent.withLock { $0 = true }
    }
    let manifest = names.map { #"{"id":"\#($0)","url":"\#(server.url("/\($0)"))"}"# + "\n" }
    // One worker, and the slowest encoder: the tall image takes seconds.
    let keys =
      "workers: 1\nvariants: {effort: 6}\n"
      + "fetch: {allow: loopback, retries: 0, concurrency: 1, timeout: 60s}"
    let others = try RunFixture(manifest: manifest.dropLast().joined(), keys: keys)
    #expect(try await others.run().status == 0)
    let count = others.folder.files(below: "out/variants").count
    let fixture = try RunFixture(manifest: manifest.joined(), keys: keys)
    let running = try fixture.start()
    var killed: Set<Int32> = []
    // Of workers that wait for the tall image, in hundredths of a second.
    var idle: [Int32: Int] = [:]
    // Longer than the server waits: on a disk that is busy, the other images may take long.
    let end = ContinuousClock.now + .seconds(90)
    while killed.count < kills, ContinuousClock.now < end {
      try await Task.sleep(for: .milliseconds(5))
      if server.count("/\(names[3])") > 0,
        fixture.folder.files(below: "out/variants").count == count
      {
        if !mayBeSent.withLock({ $0 }) {
          for worker in running.children.flatMap(Tool.children) {
            idle[worker] = Tool.processorTicks(of: worker)
          }
        }
        mayBeSent.withLock { $0 = true }
      }
      // A worker that has worked since then has its job, which takes a hundred times as long.
      for worker in running.children.flatMap(Tool.children) where isSent.withLock({ $0 }) {
        guard !killed.contains(worker),
          Tool.processorTicks(of: worker) > idle[worker, default: 0] + 5
        else { continue }
        kill(worker, SIGKILL)
        killed.insert(worker)
      }
    }
    let result = await running.end()
    #expect(
      killed.count == kills,
      "\(server.count("/\(names[3])")) requests, \(idle.count) idle, sent: \(isSent.withLock { $0 })"
    )
    #expect(result.status == kills - 1)
    let images = try fixture.catalog.images
    #expect(images.map(\.status) == [.ok, .ok, .ok, kills == 1 ? .ok : .failed])
    #expect(try fixture.report["workers.replaced"] == kills)
    try await fixture.expectWhole()
    if kills == 2 {
      #expect(images[3].error?.code == "worker-crashed")
      #expect(images[3].error?.message.contains("signal 9 (Killed)") == true)
      #expect(images[3].error?.retryable == true)
      // The next run waits for a day, except with --retry-failed.
      #expect(try await fixture.run().status == 1)
      #expect(try fixture.report["decodes"] == 0)
      #expect(try await fixture.run("--retry-failed").status == 0)
      #expect(try fixture.report["decodes"] == 1)
    }
  }

  /// A compromised worker may write anything into staging and spool (W10); the run removes it.
  @Test(.faults(.w10)) func temporaryFilesOfAnyOriginAreRemoved() async throws {
    let fixture = try RunFixture(manifest: "")
    let folder = fixture.folder
    let server = try FaultServer([
      "/a": { _, connection in
        for place in ["staging", "spool"] {
          _ = try? folder.write("left behind", to: "out/.tessera/\(place)/stray")
        }
        connection.fixture("plain.jpg")
      }
    ])
    defer { server.stop() }
    try folder.write(server.url("/a") + "\n", to: "manifest")
    #expect(try await fixture.run().status == 0)
    try await fixture.expectWhole()
  }

  @Test func unreachableSourcesKeepTheirLastGoodFiles() async throws {
    let server = try FaultServer([
      "/a": { _, connection in connection.fixture("plain.jpg") },
      "/gone": { request, connection in
        if request.before == 0 {
          connection.fixture("lossy.webp")
        } else {
          connection.respond("410 Gone")
        }
      },
    ])
    let fixture = try RunFixture(manifest: server.url("/a") + "\n" + server.url("/gone") + "\n")
    #expect(try await fixture.run().status == 0)
    let good = try fixture.catalog
    server.route("/a") { _, connection in connection.respond("503 Service Unavailable") }
    #expect(try await fixture.run().status == 1)
    server.stop()
    let images = try fixture.catalog.images
    #expect(images.map(\.status) == [.stale, .failed])
    #expect(images[0].variants == good.images[0].variants)
    #expect(images[0].error?.code == "http-status")
    #expect(images[1].width == 240)
  }

  @Test(.faults(.w14), arguments: [(SIGINT, 130), (SIGTERM, 143)] as [(Int32, Int32)])
  func signalsStopARunAndTheNextOneContinues(_ number: Int32, _ status: Int32) async throws {
    let server = try FaultServer([
      "/good": { _, connection in connection.fixture("plain.jpg") },
      "/hang": { _, connection in connection.hang() },
    ])
    defer { server.stop() }
    let fixture = try RunFixture(
      manifest: server.url("/good") + "\n" + server.url("/hang") + "\n",
      keys: "fetch: {allow: loopback, timeout: 20m, deadline: 20m}")
    let running = try fixture.start()
    for _ in 0..<1000
    where server.count("/hang") == 0 || fixture.folder.files(below: "out/variants").count < 3 {
      try await Task.sleep(for: .milliseconds(10))
    }
    let clock = ContinuousClock.now
    running.signal(number)
    let result = await running.end()
    // The request has twenty minutes; the machine may be busy.
    #expect(clock.duration(to: .now) < .seconds(300))
    #expect(result.status == status)
    #expect(result.errors.contains("completed work is kept, run again to resume"))
    #expect(!FileManager.default.fileExists(atPath: fixture.folder.path("out/catalog.json")))
    server.route("/hang") { _, connection in connection.fixture("lossy.webp") }
    #expect(try await fixture.run().status == 0)
    #expect(try fixture.report["decodes"] == 1)
    try await fixture.expectWhole()
  }

  @Test(.faults(.f7)) func secondRunOnTheSameOutputIsRejected() async throws {
    let server = try FaultServer(["/hang": { _, connection in connection.hang() }])
    defer { server.stop() }
    let fixture = try RunFixture(
      manifest: server.url("/hang"), keys: "fetch: {allow: loopback, timeout: 60s}")
    let running = try fixture.start()
    for _ in 0..<1000 where server.count("/hang") == 0 {
      try await Task.sleep(for: .milliseconds(10))
    }
    let second = try await fixture.run()
    #expect(second.status == 75)
    #expect(second.errors.contains("(process \(running.pid))"))
    // A killed run leaves no lock.
    running.signal(SIGKILL)
    _ = await running.end()
    server.route("/hang") { _, connection in connection.fixture("plain.jpg") }
    #expect(try await fixture.run().status == 0)
  }

  @Test func damagedStateIsSetAsideWithAWarning() async throws {
    let nginx = try await Nginx(serving: Places.fixtures)
    let fixture = try RunFixture(manifest: nginx.url("/plain.jpg"))
    #expect(try await fixture.run().status == 0)
    let text = try fixture.catalogText
    try fixture.folder.write(
      String(repeating: "noise", count: 9999), to: "out/.tessera/state.sqlite")
    let result = try await fixture.run()
    #expect(result.status == 0)
    #expect(result.errors.contains("it was set aside"))
    #expect(try fixture.catalogText == text)
    await nginx.stop()
  }

  /// libvips has one error buffer per process; each item's message contains only its own error.
  @Test func errorMessagesDoNotMixItems() async throws {
    let nginx = try await Nginx(serving: Places.fixtures)
    let names = ["truncated.jpg?1", "broken-profile.jpg", "truncated.jpg?2", "truncated.jpg?3"]
    let fixture = try RunFixture(
      manifest: names.map { nginx.url("/\($0)") + "\n" }.joined(),
      keys: "workers: 1\nfetch: {allow: loopback, concurrency: 1}")
    #expect(try await fixture.run().status == 1)
    let messages = try fixture.catalog.images.compactMap { $0.error?.message }
    #expect(messages.count == 3)
    #expect(Set(messages).count == 1, "\(messages)")
    await nginx.stop()
  }

  @Test func truncatedGIFsFail() async throws {
    let bytes = try Places.bytes("animated.gif")
    let server = try FaultServer()
    defer { server.stop() }
    var manifest = ""
    for percent in [5, 13, 19, 49, 85] {
      manifest += server.url("/\(percent)") + "\n"
      server.route("/\(percent)") { _, connection in
        connection.respond("200 OK", [:], Array(bytes.prefix(bytes.count * percent / 100)))
      }
    }
    let fixture = try RunFixture(manifest: manifest)
    #expect(try await fixture.run().status == 1)
    #expect(try fixture.catalog.images.allSatisfy { $0.status == .failed })
  }

  /// A worker with invalid replies costs its item, not the run.
  @Test(
    .faults(.w6),
    arguments: [
      #"{"job":0,"message":{"files":{"_0":{"facts":{"size":{"width":240,"height":160},"hasAlpha":false,"frames":1}}}}}"#,
      #"{"job":0,"message":{"failed":{"_0":{"code":"local","message":"no space left"}}}}"#,
    ])
  func invalidRepliesCostOneItem(_ reply: String) async throws {
    let nginx = try await Nginx(serving: Places.fixtures)
    let fixture = try RunFixture(manifest: nginx.url("/plain.jpg"))
    let copy = fixture.folder.path("tessera")
    try FileManager.default.copyItem(atPath: Places.tessera, toPath: copy)
    let capabilities = WorkerCapabilities(
      libvips: "0", confinement: Confinement(landlock: 0, hasSeccomp: false))
    _ = try Impostor.install(
      "while read line <&3; do echo '\(reply)' >&3; done",
      capabilities: String(decoding: WireLine.line(capabilities).dropLast(), as: UTF8.self),
      as: "tessera-worker",
      in: fixture.folder)
    let result = try await Tool.run(copy, ["run", fixture.folder.path("feed.yaml")])
    #expect(result.status == 1, "\(result.errors)")
    #expect(try fixture.catalog.images[0].status == .failed)
    await nginx.stop()
  }

  /// A failed run ends although standard input stays open.
  @Test func failedRunDoesNotWaitForItsManifest() async throws {
    let nginx = try await Nginx(serving: Places.fixtures)
    let fixture = try RunFixture(manifest: "")
    let copy = fixture.folder.path("tessera")
    try FileManager.default.copyItem(atPath: Places.tessera, toPath: copy)
    try fixture.folder.write(
      "#!/bin/sh\nprintf '{\"protocol\":1,\"libvips\":\"0\"}\\n' >&3\nrm \"$0\"\nread line <&3\n",
      to: "tessera-worker")
    try FileManager.default.setAttributes(
      [.posixPermissions: 0o755], ofItemAtPath: fixture.folder.path("tessera-worker"))
    let urls = "echo \(nginx.url("/plain.jpg")); echo \(nginx.url("/lossy.webp"))"
    let command = """
      SECONDS=0
      \(copy) run \(fixture.folder.path("feed.yaml")) --manifest - < <(\(urls); exec sleep 8)
      echo "status $? in time $((SECONDS < 5))"
      """
    let result = try await Tool.run("/bin/bash", ["-c", command])
    #expect(result.output.contains("status 2 in time 1"), "\(result.output) \(result.errors)")
    await nginx.stop()
  }

  @Test func symbolicLinksInTheOutputAreNotFollowed() async throws {
    let fixture = try RunFixture(manifest: "")
    #expect(try await fixture.run().status == 0)
    for name in ["staging", "spool", "lock"] {
      let path = fixture.folder.path("out/.tessera/\(name)")
      try FileManager.default.removeItem(atPath: path)
      let victim = fixture.folder.path("victim")
      try FileManager.default.createDirectory(atPath: victim, withIntermediateDirectories: true)
      try fixture.folder.write("precious", to: "victim/precious")
      try FileManager.default.createSymbolicLink(
        atPath: path, withDestinationPath: name == "lock" ? "\(victim)/precious" : victim)
      #expect(try await fixture.run().status == 2)
      #expect(try fixture.folder.text("victim/precious") == "precious")
      try FileManager.default.removeItem(atPath: path)
    }
  }

  /// All pages but the first are damaged: SQLite opens the file and detects the damage later.
  @Test func stateWithDamagedPagesIsSetAside() async throws {
    let nginx = try await Nginx(serving: Places.fixtures)
    let manifest = try Places.images().filter { !$0.hasPrefix("tall") }
      .map { nginx.url("/\($0)") + "\n" }.joined()
    let fixture = try RunFixture(manifest: manifest)
    #expect(try await fixture.run().status == 1)
    let text = try fixture.catalogText
    var state = try fixture.folder.read("out/.tessera/state.sqlite")
    #expect(state.count > 8192)
    state.replaceSubrange(
      4096..<state.count, with: Data(repeating: 0x5A, count: state.count - 4096))
    try state.write(to: URL(filePath: fixture.folder.path("out/.tessera/state.sqlite")))
    let result = try await fixture.run()
    #expect(result.status == 1, "\(result.errors)")
    #expect(result.errors.contains("it was set aside"))
    #expect(try fixture.catalogText == text)
    #expect(try await fixture.run().errors.contains("set aside") == false)
    await nginx.stop()
  }

  /// A full disk is not an image's fault: the run ends, and the last good catalog is unchanged.
  @Test func fullDiskEndsTheRunAndKeepsTheCatalog() async throws {
    let nginx = try await Nginx(serving: Places.fixtures)
    let fixture = try RunFixture(manifest: nginx.url("/plain.jpg"))
    let disk = fixture.folder.path("out")
    try FileManager.default.createDirectory(atPath: disk, withIntermediateDirectories: true)
    let mount = try await Tool.run("/bin/mount", ["-t", "tmpfs", "-o", "size=400k", "tmpfs", disk])
    guard mount.status == 0 else {
      print("not tested: a full disk (no permission to mount a tmpfs)")
      return
    }
    #expect(try await fixture.run().status == 0)
    let text = try fixture.catalogText
    try fixture.folder.write(
      ["plain.jpg", "transparent.png", "tall-900x20000.png"].map { nginx.url("/\($0)") + "\n" }
        .joined(),
      to: "manifest")
    let result = try await fixture.run()
    #expect(result.status == 2)
    #expect(
      result.errors.contains("No space left on device") || result.errors.contains("full"),
      "\(result.errors)")
    #expect(try fixture.catalogText == text)
    _ = try await Tool.run("/bin/umount", [disk])
    await nginx.stop()
  }
}
