import TesseraTestSupport
import TesseraText
import Testing

@testable import tessera

/// Places that a person names.
@Suite struct PlaceTests {
  @Test(
    .faults(.s7),
    arguments: [
      ("feed", .path), ("./s3:/feed", .path), ("/a/b", .path), ("", .path), ("a:b", .path),
      ("s3:/feed/x", .path), ("a/b://c", .path), ("://x", .path), ("-", .stream), ("--", .path),
      ("s3://feed/x", .store), ("s3://feed", .store), ("s3://", .url), ("S3://feed/x", .url),
      ("https://example.com/x", .url), ("ftp://x", .url), ("gs://feed/x", .url),
      ("file:///a", .url),
    ] as [(String, Place)])
  func aTextIsOnePlace(_ text: String, _ place: Place) {
    #expect(Place(text) == place)
  }

  @Test(.faults(.s7)) func onlyOutputsAreInStores() {
    let (file, stream, output) = (
      Option.path("--to", "PATH", ""), Option.path("--events", "FILE", "", orStream: true),
      Option.output("--into", "")
    )
    for (text, isFile, isStream, isOutput) in [
      ("a/b", true, true, true), ("-", false, true, false), ("s3://feed/x", false, false, true),
      ("S3://feed/x", false, false, false), ("http://x", false, false, false),
    ] {
      #expect((file.parse(text) != nil) == isFile, "\(text)")
      #expect((stream.parse(text) != nil) == isStream, "\(text)")
      #expect((output.parse(text) != nil) == isOutput, "\(text)")
      #expect(((try? LocalPath.operand(text, "DIR")) != nil) == (isFile || text == "-"), "\(text)")
    }
    #expect(
      UsageError(stream, found: "s3://feed/e").description
        == "--events must be a path of this machine, or -, and no URL (copy what is written there "
        + "to a store), found \"s3://feed/e\"")
  }
}
