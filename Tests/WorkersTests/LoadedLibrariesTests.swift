import Foundation
import TesseraTestSupport
import Testing

@Suite struct LoadedLibrariesTests {
  /// What reads formats that are never opened is not even loaded: ImageMagick, Poppler (PDF) and OpenSlide, which
  /// libvips' modules bring where it has modules.
  @Test func theWorkerLoadsNoDecoderThatItNeverCalls() async throws {
    // The dynamic linker's report (ld.so(8)). Without a channel the worker ends once it has started.
    let result = try await Tool.run(
      Places.worker, ["8000000000", "10", "\(ProcessInfo.processInfo.processIdentifier)"],
      environment: ["LD_DEBUG": "files"])
    #expect(result.status == 0, "\(result.errors.suffix(300))")
    let loaded = result.errors.split(separator: "\n").filter { $0.contains("calling init: ") }
      .compactMap { $0.split(separator: "/").last.map(String.init) }
    for needed in ["libvips.so", "libheif.so", "libjxl.so"] {
      #expect(loaded.contains { $0.hasPrefix(needed) }, "\(needed)")
    }
    let unused = /vips-(magick|poppler|openslide)|Magick|poppler|openslide/
    #expect(loaded.filter { $0.contains(unused) } == [])
  }
}
