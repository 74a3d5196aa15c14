// Programs that measure are built without it, in a build for release.
#if canImport(Testing)
  import Foundation
  public import Testing

  extension Trait where Self == ConditionTrait {
    /// Of a test that takes more than two seconds of a processor: `Tests/run --quick` leaves it out.
    public static var takesSeconds: Self {
      .enabled(
        if: ProcessInfo.processInfo.environment["TESSERA_QUICK"] == nil, "it takes seconds")
    }
  }
#endif
