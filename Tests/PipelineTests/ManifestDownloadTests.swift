import Foundation
import Synchronization
import TesseraManifest
import TesseraNet
import TesseraSystem
import TesseraTestSupport
import TesseraText
import Testing

@testable import TesseraPipeline
@testable import TesseraPipelineFile

/// Manifests at a URL, fetched from a server on this machine.
@Suite struct ManifestDownloadTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private static func pipeline(
    _ url: String, _ change: (inout PipelineFile) -> Void = { _ in }
  ) -> PipelineFile {
    var file = PipelineFile.example()
    file.manifest = .url(url)
    file.fetch.allow = ["loopback"]
    file.fetch.retries = 0
    change(&file)
    return file
  }

  private func read(_ file: PipelineFile, end: ContinuousClock.Instant? = nil) async throws
    -> [ManifestRecord]
  {
    let stream = try await ManifestStream.open(file, in: folder.url.path, end: end)
    var records: [ManifestRecord] = []
    while let batch = try await stream.nextBatch() { records += batch }
    return records
  }

  private func error(_ file: PipelineFile, end: ContinuousClock.Instant? = nil) async -> String? {
    await #expect(throws: TesseraError.self) { try await read(file, end: end) }?.description
  }

  @Test func aManifestIsReadFromItsStart() async throws {
    let headers = Mutex<[[String: String]]>([])
    let server = try FaultServer([
      "/list": { request, connection in
        headers.withLock { $0.append(request.headers) }
        // The first attempt breaks off.
        let body = Array("https://img.example/a\nhttps://img.example/b\n".utf8)
        if request.before == 0 {
          connection.send(
            "HTTP/1.1 200 OK\r\nContent-Length: \(body.count)\r\n\r\nhttps://img.exam")
        } else {
          connection.respond("200 OK", [:], body)
        }
      }
    ])
    defer { server.stop() }
    let file = Self.pipeline("http://me:secret@lists.example/list?w=1") {
      $0.fetch.rewrites = [.init(from: "http://me:secret@lists.example/", to: server.url("/"))]
      $0.fetch.retries = 1
      // Headers without a host are for the host of the images.
      $0.fetch.headers = [
        RequestHeader(name: "X-Images", value: "1"),
        RequestHeader(name: "X-Lists", value: "2", host: "127.0.0.1:\(server.port)"),
      ]
    }
    let records = try await read(file)
    let urls = records.map { if case .entry(let entry) = $0 { entry.url } else { "" } }
    #expect(urls == ["https://img.example/a", "https://img.example/b"])
    #expect(server.total == 2)
    for sent in headers.withLock(\.self) {
      #expect((sent["x-images"], sent["x-lists"]) == (nil, "2"))
    }
    #expect(folder.files(below: ".") == [])
  }

  @Test func headersForEveryHostAreSentToThisOne() async throws {
    let headers = Mutex<[String: String]>([:])
    let server = try FaultServer([
      "/list": { request, connection in
        headers.withLock { $0 = request.headers }
        connection.respond("200 OK", [:], Array("https://img.example/a\n".utf8))
      }
    ])
    defer { server.stop() }
    _ = try await read(
      Self.pipeline(server.url("/list")) {
        $0.fetch.headers = [RequestHeader(name: "X-All", value: "1")]
        $0.fetch.headersEverywhere = true
        // A manifest may be larger than an image.
        $0.fetch.maximumBytes = 1
      })
    #expect(headers.withLock { $0["x-all"] } == "1")
  }

  @Test func whatIsNotFetchedIsAnError() async throws {
    let server = try FaultServer([
      "/empty": { _, connection in connection.respond() },
      "/busy": { _, connection in connection.respond("503 Service Unavailable") },
    ])
    defer { server.stop() }
    let empty = server.url("/empty")
    #expect(
      await error(Self.pipeline(empty)) == "the manifest \"\(empty)\": the answer has no body")
    for (path, status) in [("/missing", "404"), ("/busy", "503")] {
      // The user's secrets are not shown.
      let shown = server.url(path)
      let secret = shown.replacing("http://", with: "http://me:x@")
      let message = await error(Self.pipeline(secret))
      #expect(message?.hasPrefix("the manifest \"\(shown)\": ") == true, "\(message ?? "")")
      #expect(message?.contains(status) == true)
      #expect(message?.hasSuffix(" (http-status)") == true)
    }
    #expect(server.count("/busy") == 1)
    let late = await error(Self.pipeline(empty), end: .now - .seconds(1))
    #expect(late?.hasSuffix("(run-deadline)") == true, "\(late ?? "")")
    #expect(server.count("/empty") == 1)
  }

  @Test func theSettingsOfThePipelineAreTheFetchers() {
    var fetch = PipelineFile.fetch()
    (fetch.concurrency, fetch.perHost, fetch.minimumSpeed) = (1, 2, 3)
    (fetch.maximumBytes, fetch.redirects, fetch.userAgent) = (4, 5, "Shop/1")
    (fetch.timeout, fetch.deadline) = (.seconds(6), .seconds(7))
    fetch.allow = ["loopback", "files:/photos", "s3:bucket"]
    fetch.ignoredQuery = ["w"]
    fetch.headers = [RequestHeader(name: "X", value: "1")]
    let settings = fetch.fetchSettings
    #expect(
      (settings.concurrency, settings.perHost, settings.minimumSpeed) == (1, 2, 3))
    #expect(
      (settings.maximumBytes, settings.redirects, settings.userAgent) == (4, 5, "Shop/1"))
    #expect((settings.timeout, settings.patience) == (.seconds(6), .seconds(7)))
    #expect((settings.folders, settings.buckets) == (["/photos"], ["bucket"]))
    #expect((settings.ignoredQuery, settings.headers) == (["w"], fetch.headers))
    #expect(settings.end == nil)
  }

  @Test func cancellationIsNoError() async throws {
    let server = try FaultServer(["/slow": { _, connection in connection.hang() }])
    defer { server.stop() }
    let file = Self.pipeline(server.url("/slow"))
    let task = Task { try await read(file) }
    while server.total == 0 { await Task.yield() }
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
  }
}
