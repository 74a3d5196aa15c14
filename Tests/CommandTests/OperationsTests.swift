import Foundation
import TesseraOutput
import TesseraTestSupport
import Testing

/// The files of the operations guide, checked by the programs that read them. `ServiceTests` has the
/// systemd units.
@Suite struct OperationsTests {
  private static let folder = "Examples/operations"

  private static func path(_ name: String) -> String {
    Places.root.appending(path: "\(folder)/\(name)").path
  }

  private static func promtool(_ words: String...) async throws {
    let result = try await Tool.run("/usr/bin/promtool", words)
    #expect(result.status == 0, "\(result.output)\(result.errors)")
  }

  /// What `run --metrics` calls its metrics, after a run with a failure.
  private static func metricNames() async throws -> Set<String> {
    let nginx = try await Nginx(serving: Places.fixtures)
    let fixture = try RunFixture(
      manifest: "\(nginx.url("/plain.jpg"))\n\(nginx.url("/missing.jpg"))\n")
    let run = try await fixture.run("--metrics", fixture.folder.path("feed.prom"))
    await nginx.stop()
    #expect(run.status == 1, "\(run.errors)")
    let text = try fixture.folder.text("feed.prom")
    let names = Set(text.matches(of: /TYPE (\w+) gauge/).map { String($0.1) })
    #expect(names.contains("tessera_output_files"))
    // Not each output has all of these.
    return names.union(OutputFigures.all.map(\.metric))
  }

  private static func names(in text: String) -> Set<String> {
    Set(text.matches(of: /\btessera_\w+/).map { String($0.0) })
  }

  @Test func theAlertsFireWhenTheyShould() async throws {
    try await Self.promtool("check", "rules", Self.path("alerts.yaml"))
    let tests = Places.root.appending(path: "Tests/Operations/alerts.yaml").path
    try await Self.promtool("test", "rules", tests)
  }

  @Test func alertsAndDashboardUseMetricsThatExist() async throws {
    let metrics = try await Self.metricNames()
    #expect(metrics.count >= 18)
    for name in ["alerts.yaml", "grafana-dashboard.json"] {
      let used = Self.names(in: try Document("\(Self.folder)/\(name)").text)
      #expect(used.subtracting(metrics).isEmpty, "\(name)")
    }
    // The dashboard shows all of them but the version.
    let shown = Self.names(in: try Document("\(Self.folder)/grafana-dashboard.json").text)
    #expect(metrics.subtracting(shown) == ["tessera_build_info"])
    // And the guide explains all.
    let explained = Self.names(in: try Document("Pipelines/REPORTS.md").text)
    #expect(explained == metrics)
  }

  /// Grafana is not a package of Debian: what can be checked is the form, and Prometheus' own queries.
  @Test func theDashboardIsWellFormed() async throws {
    struct Dashboard: Decodable {
      struct Place: Decodable { var x, y, w, h: Int }
      struct Target: Decodable { var refId, expr: String }
      struct Panel: Decodable {
        var id: Int
        var type, title: String
        var gridPos: Place
        var targets: [Target]
      }
      struct Annotation: Decodable { var expr: String }
      struct Annotations: Decodable { var list: [Annotation] }
      var title: String
      var annotations: Annotations
      var panels: [Panel]
    }
    let data = try Data(contentsOf: URL(filePath: Self.path("grafana-dashboard.json")))
    let dashboard = try JSONDecoder().decode(Dashboard.self, from: data)
    #expect(Set(dashboard.panels.map(\.id)).count == dashboard.panels.count)
    for (index, panel) in dashboard.panels.enumerated() {
      let place = panel.gridPos
      #expect(place.x + place.w <= 24, "\(panel.title)")
      for other in dashboard.panels[..<index].map(\.gridPos) {
        let isApart =
          other.x + other.w <= place.x || place.x + place.w <= other.x
          || other.y + other.h <= place.y || place.y + place.h <= other.y
        #expect(isApart, "\(panel.title)")
      }
    }
    let queries = dashboard.panels.flatMap { $0.targets.map(\.expr) }
    let rules = (queries + dashboard.annotations.list.map(\.expr)).enumerated().map {
      "      - record: query_\($0)\n        expr: '\($1)'\n"
    }
    let folder = try TemporaryFolder()
    let file = try folder.write(
      "groups:\n  - name: dashboard\n    rules:\n" + rules.joined(), to: "rules.yaml")
    try await Self.promtool("check", "rules", file)
  }

  /// cron's script runs, stays quiet when all is well, and prints the log's end when it is not.
  @Test func theHourlyJobRuns() async throws {
    let nginx = try await Nginx(serving: Places.fixtures)
    let fixture = try RunFixture(manifest: nginx.url("/plain.jpg") + "\n")
    let path = ProcessInfo.processInfo.environment["PATH"] ?? ""
    func hourly() async throws -> Tool.Result {
      try await Tool.run(
        Self.path("hourly"), ["feed.yaml", "out", "log", "feed.prom"].map(fixture.folder.path),
        environment: ["PATH": "\(Places.products.path):\(path)"])
    }
    let good = try await hourly()
    await nginx.stop()
    #expect(good.status == 0 && good.output.isEmpty && good.errors.isEmpty, "\(good)")
    try await fixture.expectWhole()
    #expect(try fixture.folder.text("log").hasSuffix("exit status 0\n"))
    #expect(try fixture.folder.text("feed.prom").contains("tessera_last_run_success"))

    try FileManager.default.removeItem(atPath: fixture.folder.path("manifest"))
    let bad = try await hourly()
    #expect(bad.status == 2 && bad.errors.isEmpty)
    #expect(bad.output.contains("ended with status 2. The last good catalog is unchanged."))
    #expect(bad.output.contains("No such file or directory"))
    // Only what this run logged.
    #expect(!bad.output.contains("exit status 0"))

    // The run was good: the mail must not say that the catalog is the old one.
    let stub = try fixture.folder.write("#!/bin/sh\n[ $1 != prune ] || exit 2\n", to: "bin/tessera")
    try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: stub)
    let unpruned = try await Tool.run(
      Self.path("hourly"), ["feed.yaml", "out", "log"].map(fixture.folder.path),
      environment: ["PATH": "\(fixture.folder.path("bin")):\(path)"])
    #expect(unpruned.status == 2)
    #expect(unpruned.output.hasPrefix("The run was good, but tessera prune "), "\(unpruned)")

    // While another one runs, nothing happens, and no mail is sent.
    let holder = try Tool.start(
      "/usr/bin/flock", ["--no-fork", fixture.folder.path("log.lock"), "/bin/sleep", "600"])
    defer { holder.signal(SIGKILL) }
    try await Task.sleep(for: .milliseconds(300))
    let log = try fixture.folder.text("log")
    let held = try await hourly()
    #expect(held.status == 0 && held.output.isEmpty)
    #expect(try fixture.folder.text("log") == log)
  }

  /// A mail is due for what is new: a first run with failures, a shorter list; not for what fails as before.
  @Test func theHourlyJobMailsWhatIsNew() async throws {
    let nginx = try await Nginx(serving: Places.fixtures)
    func manifest(_ count: Int) -> String {
      (0..<count).map { nginx.url("/one-pixel.png?\($0)") + "\n" }.joined()
        + nginx.url("/gone.jpg") + "\n"
    }
    let fixture = try RunFixture(manifest: manifest(20))
    let path = ProcessInfo.processInfo.environment["PATH"] ?? ""
    func hourly() async throws -> String {
      let result = try await Tool.run(
        Self.path("hourly"), ["feed.yaml", "out", "log"].map(fixture.folder.path),
        environment: ["PATH": "\(Places.products.path):\(path)"])
      #expect(result.status == 0 && result.errors.isEmpty, "\(result)")
      return result.output
    }
    #expect(try await hourly().hasPrefix("Images fail in "))
    #expect(try await hourly().isEmpty)
    try fixture.folder.write(manifest(15), to: "manifest")
    let shorter = try await hourly()
    #expect(shorter.hasPrefix("The list of ") && shorter.contains("5 fewer\n"), "\(shorter)")
    #expect(try await hourly().isEmpty)
    await nginx.stop()
  }

  /// The cron line names the script's arguments in their order.
  @Test func theCronLineCallsTheScript() throws {
    let text = try Document("\(Self.folder)/tessera.cron").text
    let lines = text.split(separator: "\n").filter { $0.contains(/^\d/) }
    let words = try #require(lines.first).split(separator: " ").map(String.init)
    #expect(lines.count == 1 && words.count == 11)
    #expect(words[5] == "tessera" && words[6].hasSuffix("tessera-hourly"))
    #expect(
      ["feed.yaml", "feed", "feed.log", "feed.prom"]
        == words[7...].map {
          URL(filePath: $0).lastPathComponent
        })
    #expect(!text.contains("%"), "cron takes a per cent sign for the end of the line")
  }

  /// The CronJob's command line is one that the command accepts, and its pod may write its volumes only.
  @Test func theCronJobIsComplete() async throws {
    let folder = try TemporaryFolder()
    let script = try folder.write(
      "import json, sys, yaml\njson.dump(yaml.safe_load(open(sys.argv[1])), sys.stdout)\n",
      to: "show.py")
    let file = Places.root.appending(path: "Examples/kubernetes/cronjob.yaml").path
    let shown = try await Tool.run("/usr/bin/python3", [script, file])
    #expect(shown.status == 0, "\(shown.errors)")
    let job = try JSONDecoder().decode(CronJob.self, from: Data(shown.output.utf8))
    #expect(job.apiVersion == "batch/v1" && job.kind == "CronJob")
    #expect(job.spec.concurrencyPolicy == "Forbid")
    let pod = job.spec.jobTemplate.spec.template.spec
    #expect(pod.restartPolicy == "Never" && pod.securityContext.runAsNonRoot)
    // First the run, which its name in the policy of failures means, then prune.
    let containers = pod.initContainers + pod.containers
    #expect(containers.map { $0.args[0] } == ["run", "prune"])
    let fixture = try RunFixture(manifest: "")
    let places = [
      "/pipeline/feed.yaml": fixture.folder.path("feed.yaml"), "/output": fixture.folder.path("o"),
    ]
    for container in containers {
      #expect(container.securityContext.readOnlyRootFilesystem)
      #expect(!container.securityContext.allowPrivilegeEscalation)
      #expect(Set(container.volumeMounts.map(\.name)).isSubset(of: pod.volumes.map(\.name)))
      let result = try await Tool.run(Places.tessera, container.args.map { places[$0] ?? $0 })
      #expect(result.status == 0, "\(result.errors)")
    }
  }

  /// The members of the CronJob that the test looks at.
  private struct CronJob: Decodable {
    struct Mount: Decodable { var name: String }
    struct ContainerContext: Decodable {
      var allowPrivilegeEscalation, readOnlyRootFilesystem: Bool
    }
    struct Container: Decodable {
      var args: [String]
      var securityContext: ContainerContext
      var volumeMounts: [Mount]
    }
    struct PodContext: Decodable { var runAsNonRoot: Bool }
    struct Pod: Decodable {
      var restartPolicy: String
      var securityContext: PodContext
      var initContainers, containers: [Container]
      var volumes: [Mount]
    }
    struct PodTemplate: Decodable { var spec: Pod }
    struct JobSpec: Decodable { var template: PodTemplate }
    struct JobTemplate: Decodable { var spec: JobSpec }
    struct Spec: Decodable {
      var concurrencyPolicy: String
      var jobTemplate: JobTemplate
    }
    var apiVersion, kind: String
    var spec: Spec
  }
}
