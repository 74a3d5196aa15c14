/// Simulates a name server whose answers change, and a network that is unreachable, with a preloaded
/// library, `Tests/Shims/resolver.c`. No packet leaves this machine.
public struct ResolverShim: Sendable {
  /// The name that it resolves, and a public address. Connections to the address arrive at
  /// 127.0.0.1.
  public static let name = "rebind.test"
  public static let publicAddress = "93.184.216.34"

  private let library: String

  public init(in folder: TemporaryFolder) async throws {
    library = try await Shim.build("resolver", in: folder)
  }

  /// - Parameters:
  ///   - answers: one after the other; an answer with several addresses joins them with "+".
  ///   - connectError: the errno with which connections to the public address fail.
  public func environment(answers: [String], connectError: Int32? = nil) -> [String: String] {
    var variables = [
      "LD_PRELOAD": library, "SHIM_NAME": Self.name, "SHIM_ADDRESS": Self.publicAddress,
      "SHIM_ANSWERS": answers.joined(separator: ","),
    ]
    variables["SHIM_CONNECT"] = connectError.map(String.init)
    return variables
  }
}
