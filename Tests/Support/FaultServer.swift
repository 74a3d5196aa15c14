import Foundation
import Synchronization

/// A small HTTP server on a free port of 127.0.0.1 that misbehaves on request.
///
/// A route receives the request and the raw connection, so it can send any bytes, or none. A path
/// without a route is a 404. The server counts requests, and ends with the test.
public final class FaultServer: Sendable {
  public struct Request: Sendable {
    public var method: String
    public var path: String
    /// Names in lower case.
    public var headers: [String: String]
    /// The number of earlier requests for this path.
    public var before: Int
  }

  /// The raw connection of a request. It is closed when the route returns.
  public struct Connection: Sendable {
    fileprivate let descriptor: Int32
    fileprivate let isOpen: @Sendable () -> Bool

    /// Bytes of the request that follow its head; fewer if the client ends before.
    public func body(_ count: Int) -> [UInt8] {
      guard count > 0 else { return [] }
      var bytes = [UInt8](repeating: 0, count: count)
      let received = recv(descriptor, &bytes, count, Int32(MSG_WAITALL))
      return Array(bytes.prefix(max(0, received)))
    }

    /// Sends bytes. Returns false if the client has closed the connection.
    @discardableResult
    public func send(_ bytes: some Collection<UInt8>) -> Bool {
      var rest = Array(bytes)[...]
      while !rest.isEmpty {
        let sent = rest.withUnsafeBytes {
          Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
        }
        guard sent > 0 else { return false }
        rest = rest.dropFirst(sent)
      }
      return true
    }

    @discardableResult
    public func send(_ text: String) -> Bool { send(Array(text.utf8)) }

    /// Sends a complete response.
    public func respond(
      _ status: String = "200 OK", _ headers: [String: String] = [:], _ body: [UInt8] = []
    ) {
      var head = "HTTP/1.1 \(status)\r\nConnection: close\r\nContent-Length: \(body.count)\r\n"
      for (name, value) in headers { head += "\(name): \(value)\r\n" }
      send(Array((head + "\r\n").utf8) + body)
    }

    /// Waits for another request on this connection, and drops it. Returns false if none comes.
    public func nextRequest() -> Bool {
      var last: [UInt8] = []
      while !last.elementsEqual("\r\n\r\n".utf8) {
        var byte: UInt8 = 0
        guard recv(descriptor, &byte, 1, 0) == 1 else { return false }
        last = (last + [byte]).suffix(4)
      }
      return true
    }

    /// Does nothing until the client closes the connection or the server ends.
    public func hang() {
      while isOpen() {
        var poll = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        if Glibc.poll(&poll, 1, 50) > 0 {
          var byte: UInt8 = 0
          if recv(descriptor, &byte, 1, Int32(MSG_DONTWAIT)) <= 0 { return }
        }
      }
    }

    /// Waits until the time has passed or the server ends.
    public func pause(_ seconds: Double) {
      let end = Date().addingTimeInterval(seconds)
      while isOpen(), Date() < end { usleep(10_000) }
    }

    /// Makes the connection end with a reset (RST) instead of an orderly close.
    public func reset() {
      var linger = linger(l_onoff: 1, l_linger: 0)
      setsockopt(
        descriptor, SOL_SOCKET, SO_LINGER, &linger, socklen_t(MemoryLayout.size(ofValue: linger)))
    }
  }

  public typealias Route = @Sendable (Request, Connection) -> Void

  private struct State {
    var routes: [String: Route] = [:]
    var counts: [String: Int] = [:]
    var open = 0
    var connections = 0
    var mostOpen = 0
    var isRunning = true
  }

  public let port: UInt16
  private let listener: Int32
  private let state = Mutex(State())

  public init(_ routes: [String: Route] = [:]) throws {
    (listener, port) = try Self.listener()
    state.withLock { $0.routes = routes }
    Thread.detachNewThread { [self] in accept() }
  }

  deinit { close(listener) }

  /// A listening socket on a port that the system does not assign by itself: see ``Ports``.
  private static func listener() throws -> (Int32, UInt16) {
    let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    for _ in 0..<100 {
      let port = UInt16(Ports.random())
      var address = sockaddr_in()
      address.sin_family = sa_family_t(AF_INET)
      address.sin_port = port.bigEndian
      address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
      let isBound = withUnsafePointer(to: &address) { pointer in
        pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
          bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
        }
      }
      if isBound, listen(descriptor, 1024) == 0 { return (descriptor, port) }
    }
    close(descriptor)
    throw POSIXError(.EADDRNOTAVAIL)
  }

  /// Ends the server. From now on connections are rejected; the port stays reserved while this
  /// object exists.
  public func stop() {
    state.withLock { state in
      guard state.isRunning else { return }
      state.isRunning = false
      // Only shut down here: deinit closes the descriptor, when no thread can use its number any
      // more.
      shutdown(listener, Int32(SHUT_RDWR))
    }
  }

  public func url(_ path: String) -> String { "http://127.0.0.1:\(port)\(path)" }

  /// The number of requests for a path so far.
  public func count(_ path: String) -> Int { state.withLock { $0.counts[path, default: 0] } }

  /// The number of requests for all paths so far.
  public var total: Int { state.withLock { $0.counts.values.reduce(0, +) } }

  /// The number of connections so far, whatever they sent.
  public var connections: Int { state.withLock { $0.connections } }

  /// The largest number of connections that were open at the same time.
  public var mostOpen: Int { state.withLock { $0.mostOpen } }

  public func route(_ path: String, _ route: @escaping Route) {
    state.withLock { $0.routes[path] = route }
  }

  private func accept() {
    while state.withLock({ $0.isRunning }) {
      let descriptor = Glibc.accept(listener, nil, nil)
      guard descriptor >= 0 else {
        // The connection is already closed, or too many files are open: try the next one.
        usleep(1_000)
        continue
      }
      Thread.detachNewThread { [self] in
        state.withLock { state in
          state.connections += 1
          state.open += 1
          state.mostOpen = max(state.mostOpen, state.open)
        }
        serve(descriptor)
        close(descriptor)
        state.withLock { $0.open -= 1 }
      }
    }
  }

  private func serve(_ descriptor: Int32) {
    var head: [UInt8] = []
    let end = Array("\r\n\r\n".utf8)
    while !head.suffix(4).elementsEqual(end) {
      var byte: UInt8 = 0
      guard recv(descriptor, &byte, 1, 0) == 1, head.count < 65_536 else { return }
      head.append(byte)
    }
    let lines = String(decoding: head, as: UTF8.self).components(separatedBy: "\r\n")
    let words = lines[0].split(separator: " ")
    guard words.count == 3 else { return }
    var headers: [String: String] = [:]
    for line in lines.dropFirst() {
      guard let colon = line.firstIndex(of: ":") else { continue }
      headers[line[..<colon].lowercased()] =
        line[line.index(after: colon)...].trimmingCharacters(in: .whitespaces)
    }
    let path = String(words[1])
    let connection = Connection(
      descriptor: descriptor, isOpen: { self.state.withLock { $0.isRunning } })
    let (route, before) = state.withLock { state in
      let before = state.counts[path, default: 0]
      state.counts[path] = before + 1
      // A route without a query applies to all queries that have no route of their own.
      let plain = path.prefix { $0 != "?" }
      return (state.routes[path] ?? state.routes[String(plain)], before)
    }
    guard let route else { return connection.respond("404 Not Found") }
    route(
      Request(method: String(words[0]), path: path, headers: headers, before: before), connection)
  }
}

extension FaultServer.Connection {
  /// Sends a complete response with a fixture as its body.
  public func fixture(_ name: String, _ headers: [String: String] = [:]) {
    guard let bytes = try? Places.bytes(name) else { return respond("500 Internal Server Error") }
    respond("200 OK", headers, bytes)
  }
}

extension FaultServer.Request {
  /// The requested range, if the request has exactly one.
  public var range: Range<Int>? {
    guard let text = headers["range"], text.hasPrefix("bytes=") else { return nil }
    let ends = text.dropFirst(6).split(separator: "-").compactMap { Int($0) }
    return ends.count == 2 && ends[0] <= ends[1] ? ends[0]..<ends[1] + 1 : nil
  }
}

extension FaultServer.Connection {
  /// Sends a file as a correct server does: only the requested range, if `If-Range` matches.
  public func file(
    _ bytes: [UInt8], for request: FaultServer.Request, etag: String? = nil,
    _ headers: [String: String] = [:]
  ) {
    var headers = headers
    headers["ETag"] = etag
    guard let range = request.range, request.headers["if-range"] ?? etag == etag else {
      return respond("200 OK", headers, bytes)
    }
    guard range.lowerBound < bytes.count else {
      headers["Content-Range"] = "bytes */\(bytes.count)"
      return respond("416 Range Not Satisfiable", headers)
    }
    let part = range.clamped(to: 0..<bytes.count)
    headers["Content-Range"] = "bytes \(part.lowerBound)-\(part.upperBound - 1)/\(bytes.count)"
    respond("206 Partial Content", headers, Array(bytes[part]))
  }
}
