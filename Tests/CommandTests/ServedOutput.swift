import Foundation
import TesseraCatalog
import TesseraTestSupport
import Testing

/// The output of a run, and a web server that serves it, started with the commands of the serving guide.
final class ServedOutput: Sendable {
  enum Server: String, CaseIterable { case nginx, caddy }

  struct Response {
    var status: Int
    /// Names in lower case.
    var headers: [String: String]
    var body: Data
  }

  static let guide = "Pipelines/SERVING.md"

  let fixture: RunFixture
  private let files: TemporaryFolder
  private let address: String
  private let running: Tool.Running

  /// A run over two images, one of them with alpha and one of them twice, in five formats each, whole and cropped.
  static func make() async throws -> RunFixture {
    let origin = try await Nginx(serving: Places.fixtures)
    let items = [("photo", "plain.jpg"), ("again", "plain.jpg"), ("logo", "transparent.png")]
    let fixture = try RunFixture(
      manifest: items.map { #"{"id":"\#($0)","url":"\#(origin.url("/\($1)"))"}"# + "\n" }.joined(),
      keys: """
        scales: [1]
        variants: {format: [avif, webp, jxl, heic, compatible], effort: 0}
        catalog: {profile: full}
        """,
      slots: "slots: {card: {size: 60x}, square: {size: 40x40, mode: clip}}")
    let run = try await fixture.run()
    await origin.stop()
    try #require(run.status == 0, "\(run.errors)")
    return fixture
  }

  /// Runs a script of `Examples/serving`.
  @discardableResult
  static func script(_ name: String, _ arguments: String...) async throws -> Tool.Result {
    try await Tool.run(Places.root.appending(path: "Examples/serving/\(name)").path, arguments)
  }

  /// Prints the lines by which a server negotiates.
  static func negotiation(_ catalog: String, for server: Server) async throws -> Tool.Result {
    try await Tool.run(
      Places.root.appending(path: "Examples/serving/negotiation").path,
      (server == .caddy ? ["--caddy"] : []) + [catalog])
  }

  /// Starts a server.
  ///
  /// - Parameters:
  ///   - negotiates: whether the folder of the server's configuration has the lines for negotiation.
  init(_ fixture: RunFixture, by server: Server, negotiates: Bool = false) async throws {
    self.fixture = fixture
    files = try TemporaryFolder()
    if negotiates {
      let lines = try await Self.negotiation(fixture.folder.path("out/catalog.json"), for: server)
      try #require(lines.status == 0, "\(lines.errors)")
      try files.write(lines.output, to: "negotiation.\(server == .nginx ? "map" : "caddy")")
    }
    let blocks = try Document(Self.guide).blocks("sh")
    let commands = try #require(blocks.first { $0.contains("\n\(server) ") })
      .split(separator: "\n")
    try #require(commands.count == 2)
    // Another process may take the port first, so try several.
    for _ in 0..<10 {
      let address = "127.0.0.1:\(Int.random(in: 10_000..<32_000))"
      let running = try Self.start(commands, address, fixture.folder.path("out"), files)
      if try await Self.serves(running, address, fixture) {
        (self.address, self.running) = (address, running)
        return
      }
      running.signal(SIGKILL)
      print(await running.end().errors)
    }
    throw POSIXError(.EADDRINUSE)
  }

  private static func start(
    _ commands: [Substring], _ address: String, _ output: String, _ files: TemporaryFolder
  ) throws -> Tool.Running {
    let path = ProcessInfo.processInfo.environment["PATH"] ?? ""
    // `exec`: the server itself is the process that the test stops. Caddy keeps its own files and its
    // control socket where these variables say.
    return try Tool.start(
      "/bin/sh", ["-ec", "cd \"$ROOT\"\n\(commands[0])\nexec \(commands[1])"],
      environment: [
        "PATH": "\(path):/usr/sbin", "ROOT": Places.root.path, "OUTPUT": output,
        "ADDRESS": address, "FOLDER": files.url.path, "XDG_DATA_HOME": files.url.path,
        "XDG_CONFIG_HOME": files.url.path, "CADDY_ADMIN": "unix/\(files.path("admin"))",
      ])
  }

  /// Whether this server serves this output: another one may have the port.
  private static func serves(
    _ running: Tool.Running, _ address: String, _ fixture: RunFixture
  ) async throws -> Bool {
    let catalog = try fixture.folder.read("out/catalog.json")
    for _ in 0..<300 {
      let answer = try await request("http://\(address)/catalog.json", [:], [])
      guard kill(running.pid, 0) == 0 else { return false }
      if answer.body == catalog { return true }
      if answer.status != 0 { return false }
      try await Task.sleep(for: .milliseconds(20))
    }
    return false
  }

  // A test that throws does not stop its server.
  deinit { running.signal(SIGKILL) }

  func stop() async {
    running.signal(SIGKILL)
    _ = await running.end()
  }

  /// Sends a request with a path as it is, below the root.
  func get(
    _ path: String, _ headers: [String: String] = [:], options: String...
  ) async throws -> Response {
    try await Self.request(url(path), headers, options)
  }

  /// The status is 0 if there is no response.
  private static func request(
    _ url: String, _ headers: [String: String], _ options: [String]
  ) async throws -> Response {
    let folder = try TemporaryFolder()
    // curl sends `Accept: */*` unless there is another value; an empty one removes the header.
    let fields = headers.flatMap { ["-H", "\($0.key): \($0.value)"] }
    let result = try await Tool.run(
      "/usr/bin/curl",
      [
        "--silent", "--path-as-is", "--max-time", "20", "--dump-header", folder.path("head"),
        "--output", folder.path("body"),
      ] + options + fields + [url])
    guard result.status == 0 else { return Response(status: 0, headers: [:], body: Data()) }
    let lines = try folder.text("head").split(separator: "\r\n")
    var response = Response(
      status: Int(lines[0].split(separator: " ")[1]) ?? 0, headers: [:],
      body: (try? folder.read("body")) ?? Data())
    for line in lines.dropFirst() {
      let parts = line.split(separator: ":", maxSplits: 1)
      let name = parts[0].lowercased()
      let value = parts.count > 1 ? parts[1].trimmingCharacters(in: .whitespaces) : ""
      response.headers[name] = response.headers[name].map { "\($0), \(value)" } ?? value
    }
    return response
  }

  /// The URL of a path below the root.
  func url(_ path: String) -> String { "http://\(address)/\(path)" }
}
