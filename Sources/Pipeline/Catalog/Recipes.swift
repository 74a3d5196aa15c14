internal import TesseraPlan

/// Numbers that are raised whenever the same recipe, content and libraries would give other bytes than before: they change the
/// names of these files, and only of these (``FileNames``). Each is for
/// the sources of one decoder or the files of one encoder, so that a correction has only those made again.
enum Recipes {
  /// Of all files.
  static let common = 4

  /// By format of the source. One that is missing has not changed since there are these numbers, and is in no key.
  static let decoders = [
    "avif": 1, "bmp": 1, "gif": 1, "heic": 1, "jpeg in inks": 1, "jxl": 1, "png": 2, "svg": 1,
    "tiff": 2, "webp": 1,
  ]

  /// By format of the file.
  static let encoders: [OutputFormat: Int] = [:]

  static func decoder(of format: String, _ facts: SourceFacts) -> String {
    let name = facts.isInks ? "\(format) in inks" : format
    return decoders[name].map { "decoder \(name) \($0)\n" } ?? ""
  }

  static func encoder(of format: OutputFormat) -> String {
    encoders[format].map { "encoder \(format.rawValue) \($0)\n" } ?? ""
  }

  /// All of them.
  static var text: String {
    let own =
      decoders.map { "decoder \($0.key) \($0.value)" }
      + encoders.map { "encoder \($0.key.rawValue) \($0.value)" }
    return "recipes \(common) \(own.sorted().joined(separator: ", "))"
  }
}
