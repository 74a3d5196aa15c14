// A release build has the tests' support but not their library.
#if canImport(Testing)
  import Testing

  /// Checks a limit from both sides: below it and at it a value is accepted, above it no longer. Half of the errors in
  /// limits are errors by one, which a value far beyond the limit does not show.
  ///
  /// - Parameters:
  ///   - limit: the largest value that is accepted.
  ///   - accepts: whether a value is accepted.
  public func expectMost(
    _ limit: Int, sourceLocation: SourceLocation = #_sourceLocation,
    _ accepts: (Int) throws -> Bool
  ) rethrows {
    #expect(try accepts(limit - 1), "\(limit - 1) is below", sourceLocation: sourceLocation)
    #expect(try accepts(limit), "\(limit) is the most", sourceLocation: sourceLocation)
    #expect(try !accepts(limit + 1), "\(limit + 1) is more", sourceLocation: sourceLocation)
  }

  /// As ``expectMost(_:sourceLocation:_:)``, for the smallest value that is accepted.
  public func expectLeast(
    _ limit: Int, sourceLocation: SourceLocation = #_sourceLocation,
    _ accepts: (Int) throws -> Bool
  ) rethrows {
    #expect(try !accepts(limit - 1), "\(limit - 1) is less", sourceLocation: sourceLocation)
    #expect(try accepts(limit), "\(limit) is the least", sourceLocation: sourceLocation)
    #expect(try accepts(limit + 1), "\(limit + 1) is above", sourceLocation: sourceLocation)
  }
#endif
