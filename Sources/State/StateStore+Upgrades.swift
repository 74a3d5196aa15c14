/// Images of which no files in a better format could be made. They are stored with the rejections, under keys of their own.
extension StateStore {
  /// - Parameter request: the key of the image's request URL.
  package func failedUpgrade(of request: String) throws(StateError) -> RejectionRecord? {
    try rejections.find(Self.upgradeKey(request))
  }

  package func noteFailedUpgrade(
    of request: String, _ record: RejectionRecord
  ) throws(StateError) {
    try begin()
    try rejections.save([(Self.upgradeKey(request), record)])
  }

  static func upgradeKey(_ request: String) -> String { "upgrade \(request)" }
}
