import TesseraBytes
import TesseraCatalog
import TesseraTestSupport
import Testing

@testable import tessera

/// `Testing` has an `ExitStatus`, too.
typealias CommandStatus = tessera.ExitStatus

extension StreamTests {
  struct End: Equatable {
    var status: Int32
    var output: String
    var errors = ""
  }

  /// What a command of `tessera` prints, and its status, without a process.
  static func tessera(_ words: [String]) async throws -> End {
    let command = try #require(Commands.help.commands.first { $0.name == words.first })
    var status = CommandStatus.done
    var message = ""
    let texts = try await Streams.written {
      do {
        let arguments = try Arguments(
          Array(words.dropFirst()), syntax: command.syntax, command: command.name)
        status = try await command.run(arguments)
      } catch let error as UsageError {
        (status, message) = (.usage, error.description)
      } catch {
        let report = ErrorReport((error as? AlreadyPrintedError)?.error ?? error)
        (status, message) = (report.status, report.text)
      }
    }
    return End(status: status.rawValue, output: texts.output, errors: texts.errors + message)
  }
}

extension TemporaryFolder {
  /// A file of an output, by a letter.
  static func file(_ letter: Character) -> String {
    FileName.path(
      source: source(letter), width: 8, height: 8, crop: nil, recipe: recipe, fileExtension: "webp")
  }

  private static func source(_ letter: Character) -> String { String(repeating: letter, count: 32) }

  private static let recipe = "00000000000000aa"

  /// Writes an output with an image for each letter, and with its file.
  @discardableResult
  func writeOutput(
    _ letters: String, failed: Int = 0, scale: Int = 1,
    host: (Character) -> String = { _ in "example.com" }
  ) throws -> String {
    var images = letters.map { letter in
      """
      {"id":"\(letter)","url":"https://\(host(letter))/\(letter)","status":"ok","width":8,"height":8,\
      "format":"webp","alpha":false,"animated":false,"frames":1,\
      "source":"\(Self.source(letter))","variants":[{"width":8,"height":8,"bytes":[5]}],\
      "slots":{"card":{"width":8,"height":8,"variants":[0]}}}
      """
    }
    for number in 0..<failed {
      images.append(
        #"{"id":"f\#(number)","url":"u","status":"failed","#
          + #""error":{"code":"dns","message":"m","retryable":true}}"#)
    }
    for letter in letters { try write("image", to: "out/\(Self.file(letter))") }
    let head = """
      {"schema":"tessera-catalog/1",\
      "generator":{"name":"tessera","version":"0.1.0","libvips":"8"},\
      "pipeline":{"name":"feed","fingerprint":"00"},\
      "formats":[{"type":"image/webp","extension":"webp","recipe":"\(Self.recipe)"}],\
      "slots":{"card":{"width":8,"mode":"fit"}},"scales":[\(scale)]}
      """
    let document = CatalogDocument.document(Array(head.utf8), images.map { Array($0.utf8) }) {
      SHA256.of(Array($0))
    }
    try write(String(decoding: document, as: UTF8.self), to: "out/catalog.json")
    return path("out")
  }
}
