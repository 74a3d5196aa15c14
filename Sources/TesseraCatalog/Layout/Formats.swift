extension Catalog {
  /// The media types of all files in their order of preference: the formats that the pipeline requests
  /// first, then those that take their place.
  public var types: [String] {
    var types: [String] = []
    for format in formats where format.dynamicRange == nil && !types.contains(format.type) {
      types.append(format.type)
    }
    return types
  }
}
