internal import TesseraText

/// Prometheus' text format, as the node exporter's textfile collector reads it.
///
/// Without timestamps, which that collector rejects. The format is described in Prometheus'
/// "Exposition formats".
struct PrometheusText {
  typealias Label = (name: String, value: String)

  /// One line of a metric: its own labels beside those of all lines, and its value.
  typealias Sample = (labels: [Label], value: String)

  /// The labels that every line has.
  let labels: [Label]
  private(set) var text = ""

  init(labels: [Label]) { self.labels = labels }

  /// Adds a gauge with its lines; nothing if it has none.
  mutating func gauge(_ name: String, _ help: String, _ samples: [Sample]) {
    guard !samples.isEmpty else { return }
    text += "# HELP \(name) \(Self.escaped(help))\n# TYPE \(name) gauge\n"
    for sample in samples { text += "\(series(name, sample.labels)) \(sample.value)\n" }
  }

  mutating func gauge(_ name: String, _ help: String, _ value: Int) {
    gauge(name, help, [([], "\(value)")])
  }

  /// Adds a gauge in seconds, to the millisecond; nothing if it is nil.
  mutating func gauge(_ name: String, _ help: String, seconds: Double?) {
    guard let seconds else { return }
    gauge(name, help, [([], "\((seconds * 1_000).rounded() / 1_000)")])
  }

  /// The name and labels of a line.
  func series(_ name: String, _ own: [Label] = []) -> String {
    let pairs = (labels + own).map { "\($0.name)=\"\(Self.escaped($0.value, quotes: true))\"" }
    return "\(name){\(pairs.joined(separator: ","))}"
  }

  /// The value of a line in a text of this format; nil if no line has this name and these labels.
  func value(of name: String, in text: String) -> Double? {
    let start = series(name) + " "
    let line = text.split(separator: "\n").last { $0.begins(with: start) }
    return line.flatMap { Double($0.dropFirst(start.count)) }.flatMap { $0.isFinite ? $0 : nil }
  }

  /// Quotation marks are escaped in the values of labels only.
  private static func escaped(_ text: String, quotes: Bool = false) -> String {
    var result = ""
    // Scalars: "\r\n" is one character, and its line feed has to be found.
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\\": result += "\\\\"
      case "\n": result += "\\n"
      case "\"" where quotes: result += "\\\""
      default: result.unicodeScalars.append(scalar)
      }
    }
    return result
  }
}
