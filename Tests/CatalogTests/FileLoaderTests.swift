import Foundation
import Synchronization
import TesseraCatalog
import TesseraTestSupport
import Testing

@testable import TesseraCatalogFoundation

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// What `CatalogImageView` loads with: the states of its places, and the requests that a server sees.
@MainActor @Suite(.timeLimit(.minutes(1))) struct FileLoaderTests {
  private let server: FaultServer
  private let loader: FileLoader<String>
  /// The requests in the server's order.
  private let log = Log()

  private final class Log: Sendable {
    private let names = Mutex<[String]>([])
    var all: String { names.withLock { $0.joined() } }
    func add(_ name: String) { names.withLock { $0.append(name) } }
  }

  init() throws {
    server = try FaultServer()
    // No cache: what is requested twice is seen twice.
    loader = FileLoader(configuration: .ephemeral) { data, _ in
      String(decoding: data, as: UTF8.self)
    }
  }

  /// Files of which each is its own name; the first `failures` requests fail.
  ///
  /// - Parameter gate: what each request passes before it is answered.
  private func files(
    _ names: String, failures: Int = 0, gate: DispatchSemaphore? = nil
  ) -> [ImageFile] {
    names.map { letter in
      let (path, log) = ("/\(letter)", log)
      server.route(path) { request, connection in
        log.add("\(letter)")
        gate?.wait()
        if request.before < failures { return connection.respond("503 Service Unavailable") }
        connection.respond("200 OK", [:], Array("\(letter)".utf8))
      }
      return ImageFile(
        url: server.url(path), reference: path, type: "image/webp", width: 8, height: 8, bytes: 1)
    }
  }

  /// Waits until the server has seen so many requests.
  private func requests(_ count: Int) async throws {
    while log.all.count < count { try await Task.sleep(for: .milliseconds(5)) }
  }

  private static func text(_ state: FileState<String>) -> String {
    switch state {
    case .loading: "loading"
    case .loaded(let text): text
    case .failed: "failed"
    }
  }

  /// The states of a place until its file has loaded.
  private func show(_ file: ImageFile) async -> [String] {
    var seen: [String] = []
    for await state in loader.states(of: file) {
      seen.append(Self.text(state))
      if case .loaded = state { break }
    }
    return seen
  }

  @Test func aPlaceIsLoadingAndThenLoaded() async {
    let file = files("a")[0]
    #expect(await show(file) == ["loading", "a"])
    // Now it is in memory.
    #expect(await show(file) == ["a"] && log.all == "a")
  }

  /// A server that fails twice, and no tap: the file is there after three seconds.
  @Test func aServerThatFailsTwice() async {
    let file = files("a", failures: 2)[0]
    let clock = ContinuousClock()
    let time = await clock.measure {
      #expect(await show(file) == ["loading", "failed", "loading", "failed", "loading", "a"])
    }
    #expect(time > .seconds(2.9) && time < .seconds(30) && log.all == "aaa")
  }

  /// A tap, and the network's return, need not wait.
  @Test func aRetryIsAtOnce() async {
    let file = files("a", failures: 5)[0]
    var seen: [String] = []
    let start = ContinuousClock.now
    for await state in loader.states(of: file) {
      seen.append(Self.text(state))
      if case .loaded = state { break }
      guard case .failed = state else { continue }
      if seen.count % 4 == 0 { loader.retry(file) } else { loader.reconnect() }
    }
    #expect(seen.filter { $0 == "failed" }.count == 5 && seen.last == "a" && log.all.count == 6)
    #expect(start.duration(to: .now) < .seconds(25))
  }

  /// Places of one file share its request, also with what is prefetched; 6 visible and 3 upcoming files are in flight at a time.
  @Test func theFirstScreenIsRequestedOnce() async throws {
    let gate = DispatchSemaphore(value: 0)
    let visible = files("abcdefgh", gate: gate)
    let upcoming = files("uvwxyz", gate: gate)
    loader.upcoming = visible + upcoming
    let tasks = (visible + visible).map { file in Task { await show(file) } }
    try await requests(9)
    try await Task.sleep(for: .milliseconds(100))
    #expect(Set(log.all) == Set("abcdefuvw") && log.all.count == 9 && server.mostOpen == 9)
    for _ in 0..<14 { gate.signal() }
    for task in tasks { #expect(await task.value.count > 1) }
    try await requests(14)
    #expect(log.all.sorted() == Array("abcdefghuvwxyz"))
  }

  /// What left the screen is cancelled, and what appeared last comes first.
  @Test func theLastPlaceIsFirst() async throws {
    let gate = DispatchSemaphore(value: 0)
    let first = files("abcdefgh", gate: gate)
    let tasks = first.map { file in Task { await show(file) } }
    try await requests(6)
    let file = files("z", gate: gate)[0]
    let last = Task { await show(file) }
    try await Task.sleep(for: .milliseconds(100))
    tasks[6].cancel()
    #expect(await tasks[6].value == ["loading"])
    try await Task.sleep(for: .milliseconds(100))
    for (count, name) in [(7, "z"), (8, "h")] {
      gate.signal()
      try await requests(count)
      #expect(log.all.hasSuffix(name))
    }
    for _ in 0..<6 { gate.signal() }
    #expect(await last.value == ["loading", "z"])
    for (place, task) in tasks.enumerated() where place != 6 { _ = await task.value }
    #expect(Set(log.all) == Set("abcdefzh") && Self.text(loader.state(of: first[6])) == "loading")
  }

  @Test func whatIsNoImageFails() async throws {
    let strict = FileLoader<Int>(configuration: .ephemeral) { data, _ in
      guard let number = Int(String(decoding: data, as: UTF8.self)) else {
        throw CancellationError()
      }
      return number
    }
    let relative = ImageFile(
      url: "a/b", reference: "a/b", type: "image/webp", width: 1, height: 1, bytes: 1)
    for file in [files("a")[0], relative] {
      var states = 0
      for await state in strict.states(of: file) {
        states += 1
        if case .failed = state { break }
      }
      #expect(states == 2)
    }
  }
}
