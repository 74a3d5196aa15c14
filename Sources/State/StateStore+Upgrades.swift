/// Images of which no files in a better format could be made. They are stored with the rejections, under keys of their own.
extension StateStore {
  /// - Parameter key: of the upgrade.
  package func failedUpgrade(_ key: String) throws(StateError) -> RejectionRecord? {
    try rejections.find(key)
  }

  package func noteFailedUpgrade(_ key: String, _ record: RejectionRecord) throws(StateError) {
    try begin()
    try rejections.save([(key, record)])
  }
}
