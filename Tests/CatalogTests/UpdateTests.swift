import Foundation
import TesseraBytes
import TesseraTestSupport
import Testing

@testable import TesseraCatalog
@testable import TesseraCatalogFoundation

/// How an app keeps its catalog up to date: by a patch that it can verify, or else by the whole catalog.
@Suite struct UpdateTests {
  private static func sha256(_ bytes: [UInt8]) -> [UInt8] {
    MessageDigest.sha256.digest(of: bytes)
  }

  private static func catalog(_ ids: [String]) -> Catalog {
    var catalog = CatalogFixture.catalog(ids.map { CatalogImage(id: $0, status: .pending) })
    catalog.digest = catalog.contentDigest(sha256)
    return catalog
  }

  private let old = Self.catalog(["a", "b"])
  private let new = Self.catalog(["a", "b", "c"])

  /// The patch from `old` to `new`; without arguments it is a good one.
  private func patch(
    from: String? = nil, to: String? = nil, images: String? = nil, digest: String? = nil
  ) -> String {
    let to = to ?? new.digest ?? ""
    let images = images ?? #"{"b":{"next":"c"},"c":{"status":"pending"}}"#
    return #"{"from":"\#(from ?? old.digest ?? "")","to":"\#(to)","digest":"\#(digest ?? to)","#
      + #""count":3,"images":\#(images)}"#
  }

  // MARK: The pure part

  @Test func aPatchIsVerified() throws {
    func patched(_ text: String) -> Catalog? { old.patched(by: text.utf8, sha256: Self.sha256) }
    #expect(patched(patch()) == new)
    let digest = try #require(old.digest)
    let other = String(repeating: "0", count: 64)
    for bad in [
      patch(from: other), patch(to: other), patch(digest: other), "<!doctype html>", "",
      patch(images: #"{"b":{"next":"c"},"c":{"status":"ok"}}"#), patch(images: #"{"b":null}"#),
      patch().replacing("\"from\"", with: "\"x\""), patch().replacing("\"to\"", with: "\"x\""),
    ] {
      #expect(patched(bad) == nil, "\(bad)")
    }
    // Without work: no digest is computed, and no catalog is composed.
    let current = #"{"from":"\#(digest)","to":"\#(digest)","images":{}}"#
    let same = old.patched(by: current.utf8) { bytes -> [UInt8] in
      Issue.record("\(bytes.count) bytes are hashed")
      return []
    }
    #expect(same == old)
    var unnamed = old
    unnamed.digest = nil
    #expect(unnamed.patched(by: patch().utf8, sha256: Self.sha256) == nil)
  }

  @Test func readingVerifies() throws {
    // Members that this version does not know take part in the digest.
    let text = String(decoding: new.json(), as: UTF8.self)
    #expect(try Catalog(reading: Array(text.utf8), verifiedBy: Self.sha256) == new)
    let altered = text.replacing("\"c\"", with: "\"d\"")
    let error = #expect(throws: CatalogError.self) {
      try Catalog(reading: Array(altered.utf8), verifiedBy: Self.sha256)
    }
    #expect(error?.description.hasPrefix("line 1, column 1: digest: the catalog was alt") == true)
    let later = Self.later(new)
    #expect(try Catalog(reading: later, verifiedBy: Self.sha256).images == new.images)
    #expect(throws: CatalogError.self) {
      try Catalog(reading: later.dropLast(2), verifiedBy: Self.sha256)
    }
    var unnamed = new
    unnamed.digest = nil
    #expect(try Catalog(reading: unnamed.json(), verifiedBy: Self.sha256) == unnamed)
  }

  /// The catalog as a later version writes it, with a member that this one does not know.
  private static func later(_ catalog: Catalog) -> [UInt8] {
    let member = #""later":[1],"#
    func text(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }
    // In the canonical form it comes after the images.
    let form = text(catalog.canonicalJSON()).replacing(
      #""pipeline""#, with: member + #""pipeline""#)
    var later = catalog
    later.digest = Catalog.hexadecimal(sha256(Array(form.utf8)))
    return Array(text(later.json()).replacing(#""pipeline""#, with: member + #""pipeline""#).utf8)
  }

  /// What only a program can make: `extra` nested deeper than a reader accepts.
  @Test func theCanonicalFormOfADeepTree() {
    var image = CatalogImage(id: "a", status: .pending)
    image.extra = (0..<100).reduce(.null) { value, _ in .array([value]) }
    let text = String(decoding: CatalogFixture.catalog([image]).canonicalJSON(), as: UTF8.self)
    let nested = String(repeating: "[", count: 100) + "null" + String(repeating: "]", count: 100)
    #expect(text.contains(#"[{"extra":\#(nested),"id":"a","slots":{},"status":"pending","#))
  }
}
