/// What the bytes that are known of a file say about its header.
public enum HeaderReading: Sendable, Equatable {
  case header(ImageHeader)
  /// More bytes are needed: this range of the file, which may be far ahead. Read again with them.
  case needs(Range<Int>)
  case rejected(HeaderRejection)
}

/// Why bytes are not an image whose header Tessera can read.
public struct HeaderRejection: Error, Sendable, Equatable {
  public enum Kind: String, Sendable, CaseIterable {
    /// Not a recognized image: a web page, JSON, text, an empty file.
    case notImage = "not-image"
    /// The file has the signature of an image format and then contradicts that format.
    case malformed
    /// The file ends before the image size.
    case truncated
  }

  public var kind: Kind
  /// A clause that completes "the file is …": "an HTML page, not an image".
  public var reason: String

  public init(_ kind: Kind, _ reason: String) {
    self.kind = kind
    self.reason = reason
  }
}
