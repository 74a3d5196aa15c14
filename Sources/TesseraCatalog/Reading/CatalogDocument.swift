/// The form of a catalog's document, `catalog.json`, and of the documents of a screen: one image a line.
///
///     {"digest":"<64 hexadecimal digits>","schema":"tessera-catalog/1", … ,"count":2,"images":[
///     {"id":"p1", … },
///     {"id":"p2", … }
///     ]}
///
/// It is one valid JSON document. ``Catalog/digest`` is the SHA-256 of all bytes after its own comma, to the end of the document.
package enum CatalogDocument {
  /// Where the digits of the digest are.
  package static let digest = start.count..<start.count + 64
  /// Where the bytes begin that the digest is of.
  package static let digested = digest.upperBound + endOfDigest.count
  package static let end = Array("]}\n".utf8)

  static let start = Array("{\"digest\":\"".utf8)
  private static let endOfDigest = Array("\",".utf8)
  private static let images = Array("\"images\":[".utf8)

  /// The first line, without a line break.
  ///
  /// - Parameters:
  ///   - head: the other members of the head: a JSON object without a line break.
  ///   - digest: zeros until it is known.
  package static func head(
    _ head: [UInt8], count: Int, digest: String = String(repeating: "0", count: 64)
  ) -> [UInt8] {
    start + Array(digest.utf8) + endOfDigest + head.dropFirst().dropLast()
      + Array(",\"count\":\(count),".utf8) + images
  }

  /// A whole document.
  ///
  /// - Parameters:
  ///   - head: as for ``head(_:count:digest:)``.
  ///   - lines: the images.
  ///   - sha256: of bytes, in hexadecimal.
  package static func document(
    _ head: [UInt8], _ lines: [[UInt8]], sha256: (ArraySlice<UInt8>) -> String
  ) -> [UInt8] {
    var bytes = document(head: Self.head(head, count: lines.count), lines)
    bytes.replaceSubrange(digest, with: Array(sha256(bytes[digested...]).utf8))
    return bytes
  }

  /// - Parameter head: the first line.
  static func document(head: [UInt8], _ lines: some Collection<some Collection<UInt8>>) -> [UInt8] {
    var bytes = head
    bytes.reserveCapacity(head.count + end.count + 1 + lines.reduce(0) { $0 + $1.count + 2 })
    var isFirst = true
    for line in lines {
      if !isFirst { bytes.append(UInt8(ascii: ",")) }
      isFirst = false
      bytes.append(UInt8(ascii: "\n"))
      bytes += line
    }
    return bytes + [UInt8(ascii: "\n")] + end
  }

  /// The images of a part of a document that begins and ends with one.
  package static func lines(_ part: [UInt8]) -> [ArraySlice<UInt8>] {
    part.split(separator: UInt8(ascii: "\n")).map {
      $0.last == UInt8(ascii: ",") ? $0.dropLast() : $0
    }
  }

  /// The digest that a document states; nil if it begins in another way.
  package static func statedDigest(of document: [UInt8]) -> String? {
    guard document.count >= digested, document.starts(with: start),
      document[digest].allSatisfy({ (0x30...0x39).contains($0) || (0x61...0x66).contains($0) }),
      document[digest.upperBound..<digested].elementsEqual(endOfDigest)
    else { return nil }
    return String(decoding: document[digest], as: UTF8.self)
  }

  /// The first line, from the head as a JSON object with its digest and its number of images.
  package static func firstLine(of object: [UInt8]) -> [UInt8] {
    object.dropLast() + [UInt8(ascii: ",")] + images
  }

  /// The head as a JSON object; nil if this is not the first line of a catalog.
  static func object(ofFirstLine line: ArraySlice<UInt8>) -> [UInt8]? {
    guard statedDigest(of: Array(line.prefix(digested))) != nil,
      line.count > digested + images.count,
      line.suffix(images.count).elementsEqual(images)
    else { return nil }
    let members = line.dropLast(images.count)
    guard members.last == UInt8(ascii: ",") else { return nil }
    return members.dropLast() + [UInt8(ascii: "}")]
  }

  /// What an error says of a document of another form.
  static let otherForm =
    "expected {\"digest\":\"…\", … ,\"images\":[ on the first line, and an image on each line below; a catalog that was "
    + "re-indented, minified or edited is another document: use the file as Tessera wrote it"
}
