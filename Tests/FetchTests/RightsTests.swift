import Foundation
import Synchronization
import TesseraTestSupport
import Testing

@testable import TesseraNet

/// Whose word lets a request reach an address (X1). An open connection does not lend the right of the request that opened it.
@Suite(.timeLimit(.minutes(2))) struct RightsTests {
  private final class Sink: BodyReceiving {
    func receive(_ bytes: RawSpan) -> BodyVerdict { .more }
  }

  /// A server that keeps its connections, and counts their requests. It is an object store, a proxy and a web server.
  private final class KeepingServer: Sendable {
    let server: FaultServer
    private let state = Mutex((requests: 0, target: String?.none))

    init() throws {
      server = try FaultServer()
      for path in ["/b/k", "/a", "http://images.example/a"] {
        server.route(path) { [self] _, connection in
          repeat {
            let target = state.withLock { state in
              state.requests += 1
              return state.target
            }
            connection.send(
              target.map { "HTTP/1.1 302 X\r\nContent-Length: 0\r\nLocation: \($0)\r\n\r\n" }
                ?? "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello")
          } while connection.nextRequest()
        }
      }
    }

    var count: Int { state.withLock(\.requests) }

    /// Has all requests redirected to a URL; nil answers them again.
    func redirect(to url: String?) { state.withLock { $0.target = url } }
  }

  private static func fetcher(
    store: String, proxy: String, allow: [String] = [], certificates: String? = nil
  ) throws -> Fetcher {
    let keys = ["AWS_ACCESS_KEY_ID": "key", "AWS_SECRET_ACCESS_KEY": "secret"]
    var settings = FetchSettings(
      concurrency: 4, timeout: .seconds(10), addresses: AddressPolicy(allow: allow))
    settings.certificates = certificates
    settings.buckets = ["b"]
    settings.store = StoreClient(
      StoreSettings(endpoint: store, region: "eu-1", environment: { _ in nil }),
      environment: { keys[$0] })
    settings.proxies = ProxySettings { ["http_proxy": proxy, "no_proxy": "127.0.0.1"][$0] }
    return try Fetcher(settings)
  }

  /// The ways in which a URL can be requested.
  private enum Way: String, CaseIterable {
    case image = "a line"
    case header = "a probe"
    case rest = "the rest of a download"
    case list = "a list at a URL"
    case redirect = "a redirect"
    case spelling = "another spelling"
  }

  /// What comes of a request: `ok`, or the error's code.
  private static func outcome(
    _ fetcher: Fetcher, _ url: String, _ way: Way = .image
  ) async -> String {
    var request = FetchRequest(url: url, deadline: .seconds(20))
    if way == .header { request.isForBeginning = true }
    if way == .rest { (request.range, request.end) = (1..<5, .now.advanced(by: .seconds(20))) }
    if way == .list { request.turn = 0 }
    let answer = await fetcher.fetch(request, host: SourceHost.name(of: url), into: Sink())
    return switch answer.result {
    case .success: "ok"
    case .failure(let error): error.code.rawValue
    }
  }

  /// Nothing reaches what `allow` does not name, whatever connection there is, and the store and the proxy stay in reach.
  @Test(.faults(.x1)) func theMatrixOfRights() async throws {
    let (store, proxy) = (try KeepingServer(), try KeepingServer())
    let certificates = try await TLSTests.Certificates()
    try certificates.folder.write("hello", to: "b/k")
    let secure = try await certificates.nginx("good")
    defer {
      store.server.stop()
      proxy.server.stop()
    }
    let secureURL = secure.url("").replacing("http:", with: "https:")
    var table = [["", "none", "the store's", "the store's, HTTP/2", "the proxy's"]]
    for way in Way.allCases {
      var row = [way.rawValue]
      for (column, target) in [
        ("none", store.server.url("/a")), ("store", store.server.url("/a")),
        ("secure", secureURL + "/b/k"), ("proxy", proxy.server.url("/a")),
      ] {
        let fetcher = try Self.fetcher(
          store: column == "secure" ? secureURL : store.server.url(""),
          proxy: proxy.server.url(""), certificates: certificates.folder.path("ca.pem"))
        defer { fetcher.close() }
        if column == "store" || column == "secure" {
          #expect(await Self.outcome(fetcher, "s3://b/k") == "ok")
        }
        if column == "proxy" || way == .redirect {
          #expect(await Self.outcome(fetcher, "http://images.example/a") == "ok")
        }
        var url = target
        if way == .spelling { url = target.replacing("127.0.0.1", with: "①②⑦。0。0。1") }
        if way == .redirect {
          url = "http://images.example/a"
          proxy.redirect(to: target)
        }
        let before = (store.count, proxy.count)
        row.append(await Self.outcome(fetcher, url, way))
        proxy.redirect(to: nil)
        // A redirect takes one request, that of the proxy.
        #expect(store.count == before.0)
        #expect(proxy.count <= before.1 + (way == .redirect ? 1 : 0))
        // The store and the proxy still answer, also on the connections that there are.
        if column == "store" || column == "secure" {
          #expect(await Self.outcome(fetcher, "s3://b/k") == "ok")
        }
        #expect(await Self.outcome(fetcher, "http://images.example/a") == "ok")
      }
      table.append(row)
    }
    await secure.stop()
    let rejected = Array(repeating: "address-rejected", count: 4)
    print(
      table.map { row in
        row.map { $0.padding(toLength: 24, withPad: " ", startingAt: 0) }
          .joined()
      }.joined(separator: "\n"))
    for row in table.dropFirst() { #expect(Array(row.dropFirst()) == rejected, "\(row[0])") }
  }

  /// Requests of one right share connections, those of different rights do not, also where both are permitted.
  @Test(.faults(.x1)) func connectionsBelongToTheirRight() async throws {
    let server = try KeepingServer()
    defer { server.server.stop() }
    let fetcher = try Self.fetcher(
      store: server.server.url(""), proxy: server.server.url(""), allow: ["loopback"])
    defer { fetcher.close() }
    for round in 0..<3 {
      #expect(await Self.outcome(fetcher, "s3://b/k") == "ok")
      #expect(await Self.outcome(fetcher, server.server.url("/a")) == "ok")
      #expect(await Self.outcome(fetcher, "http://images.example/a") == "ok")
      #expect(server.server.connections == 3, "\(round)")
    }
    #expect(server.count == 9)
  }
}
