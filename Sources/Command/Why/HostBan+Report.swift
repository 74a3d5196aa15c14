internal import TesseraJSON
internal import TesseraNet
internal import TesseraOutput
internal import TesseraText

extension HostBan {
  /// The ban of the host that an image failed at, as the last run's report has it; nil if there is none.
  ///
  /// - Parameters:
  ///   - url: of the image; nil if it is not known.
  ///   - error: the member `error` of the image in the catalog.
  static func of(_ url: String?, _ error: JSONValue?, in output: OutputFolder) async -> HostBan? {
    guard let url, error?["code"]?.stringValue == FetchError.Code.httpStatus.rawValue else {
      return nil
    }
    let host = SourceHost.name(of: url)
    return await inReport(of: output).first { $0.host == host }
  }

  /// The bans that the last run with a result reports; none if its report can't be read: there are still the errors
  /// themselves.
  static func inReport(of output: OutputFolder) async -> [HostBan] {
    guard let bytes = try? await output.published.read("run.json", longestReport, at: 0),
      let report = try? JSONParser.parse(bytes)
    else { return [] }
    return report["bans"]?.arrayValue?.compactMap(HostBan.init) ?? []
  }

  private static let longestReport = 16 << 20

  /// Nil for an entry without the host, which a report may leave out.
  private init?(_ entry: JSONValue) {
    guard let host = entry["host"]?.stringValue, let answers = entry["answers"]?.intValue,
      let rejected = entry["rejected"]?.intValue
    else { return nil }
    self.init(host: host, answers: answers, rejected: rejected)
  }
}
