package import TesseraPlan

/// A better format that a run makes files in when its images are published, as long as its budget lasts.
package struct Upgrade: Sendable, Equatable {
  package var format: OutputFormat
  /// The time of workers in one run.
  package var budget: Duration

  package init(format: OutputFormat, budget: Duration = .seconds(20 * 60)) {
    self.format = format
    self.budget = budget
  }
}
