import TesseraCVips

/// What depends on the version of libvips and of its libraries: Debian 12 has 8.14, Debian 13 has 8.16.
public enum Libvips {
  private static let numbers = (0..<3).map { Int(vips_version(Int32($0))) }

  /// As the catalog has it: `8.14.1`.
  public static let version = numbers.map(String.init).joined(separator: ".")

  /// What it says of a truncated JPEG.
  public static let truncatedJPEG =
    numbers[1] < 15
    ? "VipsJpeg: Premature end of input file" : "VipsJpeg: premature end of JPEG image"

  /// Whether it decodes a file, with options of its loader such as `[fail_on=none]`.
  public static func decodes(_ path: String, _ options: String = "") async throws -> Bool {
    try await Tool.run("/usr/bin/vips", ["avg", path + options]).status == 0
  }
}
