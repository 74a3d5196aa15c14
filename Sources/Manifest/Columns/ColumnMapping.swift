package import TesseraJSON
internal import TesseraText

/// Where the lines of a list have what Tessera needs of an image: the names of a table's columns, or the paths of members of
/// JSON (`images[0].src`).
///
/// With a mapping, several images of one row, and rows with one id, are items of their own: see ``ManifestEntry/sharesID``.
package struct ColumnMapping: Sendable, Equatable {
  /// What a list may say of an image. The names are those of members of JSON Lines and of columns.
  package enum Member: String, Sendable, CaseIterable {
    case url, id, alt, slots, focus, views
    /// Whether the image may be shown at all. Only a mapping can name it: in other lists the word may mean anything.
    case published
  }

  /// Columns or paths. Of `url` and `published` all count, and of the others the first that is not empty. An empty list of
  /// `published` says that all images may be shown.
  package var columns: [Member: [String]]
  /// What is between several URLs in one field; nil for one URL in a field. After a backslash it is a part of a URL.
  package var separator: String?
  /// What is put before a URL without a scheme, as it is; nil for nothing.
  package var prefix: String?

  package init(
    _ columns: [Member: [String]] = [:], separator: String? = nil, prefix: String? = nil
  ) {
    (self.columns, self.separator, self.prefix) = (columns, separator, prefix)
  }

  /// For paths of which it is not known where the files are.
  package static let examplePrefix = "https://images.example.com/"

  /// Whether ``prefix`` is an example, which a person has to replace.
  package var hasExamplePrefix: Bool {
    prefix.map { SourceURL.isExample(host: SourceURL.hostAsWritten(of: $0)) } == true
  }

  /// Where a member is; by its own name if the mapping does not say.
  func places(of member: Member) -> [String] {
    columns[member] ?? (member == .published ? [] : [member.rawValue])
  }

  /// Whether a row may depend on what is in the row before.
  var joinsRows: Bool { !places(of: .published).isEmpty }

  /// The columns that the mapping names and a header row does not have, in any case; `url` if it has no column of URLs.
  func missing(in names: [String]) -> [String] {
    let there = Set(names.map { $0.lowercased() })
    let named = Member.allCases.flatMap { columns[$0] ?? ($0 == .url ? [$0.rawValue] : []) }
    return named.filter { !there.contains($0.lowercased()) }
  }

  /// The URLs that a field has.
  ///
  /// - Parameter place: the column or the path. Some have one URL by their definition.
  func urls(in field: String, of place: String = "") -> [String] {
    let separator = ShopExport.hasOneURL(place) ? nil : separator
    return URLSeparator.pieces(of: field.trimmed, separator).map { piece in
      guard let prefix, !piece.contains("://") else { return piece }
      // A name of a file may have any character; that of a file: URL has to be encoded.
      let isFile = prefix.hasPrefix("file:")
      return prefix + (isFile ? PercentEncoding.encode(piece, keeping: "/") : piece)
    }
  }

  /// The mapping as a pipeline file has it.
  package var json: JSONValue {
    var members = Member.allCases.compactMap { member in
      columns[member].map { places in
        JSONValue.Member(
          member.rawValue,
          places.count == 1 ? .string(places[0]) : .array(places.map { .string($0) }))
      }
    }
    if let separator { members.append(.init("separator", .string(separator))) }
    if let prefix { members.append(.init("prefix", .string(prefix))) }
    return .object(members)
  }
}
