import Foundation

/// A real nginx on a free port of 127.0.0.1 that serves one folder, with a configuration of its own
/// in a folder of its own. Ends with ``stop()``, by SIGKILL: Foundation starts children with SIGTERM
/// blocked, and nginx has nothing to lose.
public final class Nginx: Sendable {
  public let port: Int
  private let running: Tool.Running
  private let folder: TemporaryFolder

  /// - Parameters:
  ///   - root: the folder to serve.
  ///   - listen: what stands behind the port: `ssl http2`.
  ///   - server: further lines of its configuration; PORT in it is the port.
  public init(serving root: URL, listen: String = "", server: String = "") async throws {
    folder = try TemporaryFolder()
    // A port that is free now; another process may be quicker, so a few are tried.
    for _ in 0..<10 {
      let port = Int.random(in: 20_000..<60_000)
      let configuration = Self.configuration(
        root: root.path, port: port, home: folder.url.path, listen: listen, server: server)
      let path = try folder.write(configuration, to: "nginx.conf")
      let running = try Tool.start(
        "/usr/sbin/nginx", ["-c", path, "-e", folder.path("error.log")])
      if await Self.answers(port, pid: running.pid) {
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

  /// How many connections have brought requests.
  public func connections() throws -> Int {
    Set(try folder.text("access.log").split(separator: "\n")).count
  }

  /// The protocols of all requests so far: `HTTP/1.1`, `HTTP/2.0`.
  public func protocols() throws -> [String] {
    try folder.text("protocol.log").split(separator: "\n").map(String.init)
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

  private static func answers(_ port: Int, pid: Int32) async -> Bool {
    for _ in 0..<100 {
      guard kill(pid, 0) == 0 else { return false }
      let client = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
      defer { close(client) }
      var address = sockaddr_in()
      address.sin_family = sa_family_t(AF_INET)
      address.sin_port = UInt16(port).bigEndian
      address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
      let isConnected = withUnsafePointer(to: &address) { pointer in
        pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
          connect(client, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
        }
      }
      if isConnected { return true }
      try? await Task.sleep(for: .milliseconds(30))
    }
    return false
  }
}
