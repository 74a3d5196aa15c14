/// Why a format's reader cannot go on.
enum HeaderStop: Error, Equatable {
  /// These bytes of the file are needed and not known yet.
  case needs(Range<Int>)
  /// The file ends before the bytes that are needed.
  case ended
  /// A clause that completes "a PNG image, but …": "it has no header chunk".
  case malformed(String)
}
