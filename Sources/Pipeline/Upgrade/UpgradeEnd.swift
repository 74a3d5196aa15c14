/// What came of adding files of a better format to an image.
enum UpgradeEnd {
  case upgraded
  case failed
  /// Its bytes could not be had.
  case unreached
}
