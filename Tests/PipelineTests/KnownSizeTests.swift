import TesseraImageHeader
import TesseraState
import Testing

@testable import TesseraNet
@testable import TesseraPipeline

/// Whether a full answer has the image that is known already.
@Suite struct KnownSizeTests {
  private static let here = "https://img.example/a.jpg"

  private static func confirmation(_ etag: String?, _ lastModified: String?)
    -> TesseraState.Confirmation
  {
    var confirmation = Confirmation.stale()
    (confirmation.etag, confirmation.lastModified) = (etag, lastModified)
    return confirmation
  }

  private static func bytes(
    _ etag: String?, _ lastModified: String?, place: String
  ) throws -> KnownSize {
    var source = KnownSource.ready(confirmation(etag, lastModified))
    source.record?.url = place
    return try #require(KnownSize(source))
  }

  /// Validators as they are known, and as they come; nil if they say nothing. Those of another place
  /// say nothing either.
  @Test(
    arguments: [
      ("\"1\"", nil, "\"1\"", nil, true), ("\"1\"", nil, "\"2\"", nil, false),
      ("\"1\"", nil, "W/\"1\"", nil, true), ("W/\"1\"", nil, "\"1\"", nil, true),
      ("W/\"1\"", nil, "W/\"2\"", nil, false),
      // The ETag says more than the date.
      ("\"1\"", "Mon", "\"2\"", "Mon", false), ("\"1\"", "Mon", "\"1\"", "Tue", true),
      ("\"1\"", "Mon", nil, "Mon", true), (nil, "Mon", "\"1\"", "Tue", false),
      ("\"1\"", nil, nil, "Mon", nil), (nil, nil, "\"1\"", "Mon", nil),
    ] as [(String?, String?, String?, String?, Bool?)])
  func versionsAreComparedByTheirValidators(
    _ etag: String?, _ date: String?, _ newTag: String?, _ newDate: String?, _ isSame: Bool?
  ) throws {
    for place in [Self.here, "https://cdn.example/a.jpg"] {
      let known = try Self.bytes(etag, date, place: place)
      let response = FetchResponse.example(etag: newTag, lastModified: newDate, url: Self.here)
      let expected = place == Self.here ? isSame : nil
      #expect(known.isSameVersion(as: response) == expected ?? false, "\(place)")
      // Where they say nothing, the format and the size decide.
      #expect(known.isSame(as: .example(), response) == expected ?? true, "\(place)")
      #expect(known.isSame(as: .example(.jpeg, 401, 300), response) == expected ?? false)
      #expect(known.isSame(as: .example(.png), response) == expected ?? false)
    }
  }

  /// A header that is read again without a validator may be that of another image.
  @Test func aHeaderAloneIsComparedByItsValidatorsOnly() {
    var record = HeaderRecord.example(width: 400, height: 300)
    record.place = Self.here
    let known = KnownSize.header(record)
    #expect(!known.isSame(as: .example(.png), .example(url: Self.here)))
    #expect(known.isSame(as: .example(.png), .example(etag: "\"old\"", url: Self.here)))
  }
}
