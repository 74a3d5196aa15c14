extension OutputFormat {
  /// What is missing where libheif can't encode the format, and where to get it: a clause without its full stop. Nil for
  /// formats that need no encoder of libheif. In Debian 12 libheif itself depends on both.
  package var missingEncoder: String? {
    switch self {
    case .avif:
      "this machine's libheif has no encoder of AV1, which Debian 13 has in the package libheif-plugin-aomenc"
    case .heic:
      "this machine's libheif has no encoder of HEVC, which Debian 13 has in the package libheif-plugin-x265; "
        + "Tessera's archive and its container image leave it out, because x265 is under the GPL"
    case .webp, .jpeg, .png, .jxl: nil
    }
  }
}
