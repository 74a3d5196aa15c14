internal import TesseraConsole
internal import TesseraOutputTools

/// Options of the commands that request files from an image service.
enum DeliveryOptions {
  private static let timeout = Option.duration(
    "--timeout", "to connect, and to the first byte; default 30s")
  private static let concurrency = Option.number(
    "--concurrency", "files requested at a time; default 4", in: 1...256)

  static let all: [any OptionSyntax] = [NetworkOptions.allow, timeout, concurrency]

  static func access(_ arguments: Arguments) throws -> DeliveryAccess {
    DeliveryAccess(
      concurrency: try arguments.value(concurrency) ?? 4,
      timeout: try arguments.value(timeout) ?? .seconds(30),
      allow: try arguments.all(NetworkOptions.allow))
  }
}
