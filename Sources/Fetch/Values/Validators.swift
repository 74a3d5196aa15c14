/// What identifies a version of a source (RFC 9110, section 8.8). At least one of both is set.
package struct Validators: Sendable, Equatable {
  package var etag: String?
  package var lastModified: String?

  package init?(etag: String?, lastModified: String?) {
    if etag == nil && lastModified == nil { return nil }
    self.etag = etag
    self.lastModified = lastModified
  }

  /// The validator that changes with every byte; nil if there is none. Last-Modified is not strong:
  /// its resolution is a second (RFC 9110, section 8.8.2.2). Neither is an ETag that begins with
  /// W/.
  package var strong: String? { etag.flatMap { $0.hasPrefix("\"") ? $0 : nil } }
}
