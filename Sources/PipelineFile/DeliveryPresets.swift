/// Image services that are known by name: `Presets.yaml`, which is built in.
enum DeliveryPresets {
  static let names = presets.map(\.name)

  /// The keys of a service; nil for an unknown one.
  static func node(of name: String) -> YAMLNode? { presets.first { $0.name == name }?.node }

  private static let presets: [(name: String, node: YAMLNode)] = {
    // A test reads them all.
    guard let root = try? YAMLParser.parse(PackageResources.Presets_yaml),
      case .mapping(let pairs) = root.content
    else { return [] }
    return pairs.compactMap { pair in
      guard case .scalar(let name, isQuoted: _) = pair.key.content else { return nil }
      return (name, pair.value)
    }
  }()
}
