import Foundation

/// A real nginx on a free port of 127.0.0.1 that serves one folder. Its configuration is in a
/// temporary folder.
///
/// ``stop()`` ends it with SIGKILL, because Foundation starts children with SIGTERM blocked.
public final class Nginx: Sendable {
  public let port: Int
  private let running: Tool.Running
  private let folder: TemporaryFolder

  /// - Parameters:
  ///   - root: the folder to serve.
  ///   - listen: parameters of the `listen` directive after the port: `ssl http2`.
  ///   - server: further lines of its configuration. PORT is replaced with the port.
  ///   - modules: the paths of modules to load.
  public init(
    serving root: URL, listen: String = "", server: String = "", modules: [String] = []
  ) async throws {
    folder = try TemporaryFolder()
    // Another process may take the port first, so try several.
    for _ in 0..<10 {
      let port = Ports.random()
      let configuration =
        modules.map { "load_module \($0);\n" }.joined()
        + Self.configuration(
          root: root.path, port: port, home: folder.url.path, listen: listen, server: server)
      let path = try folder.write(configuration, to: "nginx.conf")
      let running = try Tool.start(
        "/usr/sbin/nginx", ["-c", path, "-e", folder.path("error.log")])
      if await Self.isListening(pid: running.pid, record: folder.path("nginx.pid")) {
        self.port = port
        self.running = running
        return
      }
      running.signal(SIGKILL)
      _ = await running.end()
    }
    throw POSIXError(.EADDRINUSE)
  }

  public func url(_ path: String) -> String { "http://127.0.0.1:\(port)\(path)" }

  /// The number of connections that have sent this many requests.
  public func connections(after requests: Int) async throws -> Int {
    Set(try await lines("access.log", requests)).count
  }

  /// The protocols of this many requests: `HTTP/1.1`, `HTTP/2.0`.
  public func protocols(of requests: Int) async throws -> [String] {
    try await lines("protocol.log", requests)
  }

  /// The lines of a log. nginx writes a line after the response, so a client may be earlier: waits for
  /// as many lines as there were requests, at most ten seconds.
  private func lines(_ log: String, _ count: Int) async throws -> [String] {
    for _ in 0..<1_000 where try folder.text(log).count(where: \.isNewline) < count {
      try await Task.sleep(for: .milliseconds(10))
    }
    return try folder.text(log).split(separator: "\n").map(String.init)
  }

  public func stop() async {
    running.signal(SIGKILL)
    _ = await running.end()
  }

  private static func configuration(
    root: String, port: Int, home: String, listen: String, server: String
  ) -> String {
    """
    daemon off;
    master_process off;
    pid \(home)/nginx.pid;
    events { worker_connections 256; }
    http {
      log_format connection $connection;
      log_format protocol $server_protocol;
      access_log \(home)/access.log connection;
      access_log \(home)/protocol.log protocol;
      client_body_temp_path \(home)/body;
      proxy_temp_path \(home)/proxy;
      fastcgi_temp_path \(home)/fastcgi;
      uwsgi_temp_path \(home)/uwsgi;
      scgi_temp_path \(home)/scgi;
      server { listen 127.0.0.1:\(port) \(listen); root "\(root)"; \(server.replacing("PORT", with: "\(port)")) }
    }
    """
  }

  /// Whether nginx has its port. It writes its process id once it listens, and ends if it cannot. A
  /// connection alone would prove nothing: another server may have the port.
  private static func isListening(pid: Int32, record: String) async -> Bool {
    for _ in 0..<300 {
      if let text = try? String(contentsOfFile: record, encoding: .utf8), text == "\(pid)\n" {
        return true
      }
      guard kill(pid, 0) == 0 else { return false }
      try? await Task.sleep(for: .milliseconds(10))
    }
    return false
  }
}
