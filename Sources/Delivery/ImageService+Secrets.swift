internal import TesseraBytes

extension ImageService {
  /// Change with the key and the salt, and show neither.
  package var secretDigests: [String] { [key ?? [], salt].map { SHA256.of($0) } }
}
