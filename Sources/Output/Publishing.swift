package import TesseraSystem

/// Where variants and catalogs are published. A directory today; an object store would be another
/// conformer, and nothing else would know.
package protocol Publishing: Sendable {
  /// Makes the bytes of a staged file visible under a path that is made of their digest. Publishing
  /// the same path twice is no error: equal names have equal content.
  func publish(staged: String, as path: String) throws(SystemError)

  /// Whether a published file is there with this size.
  func has(_ path: String, bytes: Int) -> Bool

  /// Replaces a document (the catalog, the run's report) as a whole, after everything that was
  /// published before is safe. Readers see the old one or the new one.
  func replace(_ name: String, with staged: String) throws(SystemError)
}
