internal import TesseraManifest
internal import TesseraOutput

/// What a run asks before it goes on with its manifest. By default it may do anything.
struct RunGuards: Sendable {
  /// Decides whether the output is this pipeline's; nil for any output.
  var owner: OutputOwner?
  /// Decides on the number of items; nil for any number.
  var shrinking: ShrinkGuard?
  /// Images that are left out; nil for none.
  var forgotten: ForgottenItems?
  /// Whether any number of images may fail: then `fail-above` does not count.
  var allowsFailures = false
}
