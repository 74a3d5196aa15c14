import TesseraNet
import TesseraSystem
import TesseraWorkers
import Testing

@testable import tessera

/// What `doctor` says, with values of machines, outputs and servers that are given.
@Suite struct DoctorTests {
  private static func doctor(_ findings: [HealthCheck], _ checks: [ExaminationCheck] = []) -> Doctor
  {
    Doctor(
      libvips: "8.14.1", landlock: 4, hasSeccomp: true,
      checks: [
        ExaminationCheck(.read, "jpeg", problem: nil),
        ExaminationCheck(.write, "webp", problem: nil),
        ExaminationCheck(.turn, "1", problem: nil),
        ExaminationCheck(.colour, "profiles", problem: nil),
      ] + checks, processors: 4, findings: findings)
  }

  private static let machine = MachineFacts(
    openFiles: 1_048_576, processes: 31_000, processors: 4, memory: 8_000_000_000,
    now: 1_795_459_387,
    resolver: "# local\nsearch example.com\nnameserver 192.0.2.1\nnameserver ::1\n"
  )

  private static let output = OutputFacts(
    output: "/srv/feed", folder: "/srv/feed",
    room: .success(.init(freeBytes: 12_300_000_000, bytes: 50_000_000_000, freeInodes: 3_000_000)),
    holder: 4711)

  private static let route = RouteChecks(
    "https://example.com/a.jpg",
    RouteTrace(
      host: "example.com", addresses: ["198.51.100.7", "2001:db8::7"],
      hops: [
        .init(
          url: "https://example.com/a.jpg", address: "198.51.100.7", status: 302, seconds: 0.0124,
          tls: .init(version: "TLSv1.3", issuer: "C = US, CN = R11", end: 1_800_000_000),
          serverTime: 1_795_459_380),
        .init(
          url: "https://cdn.example.com/a.jpg", address: "198.51.100.9", status: 200,
          seconds: 1.5, tls: .init(version: "TLSv1.2", issuer: nil, end: nil),
          serverTime: 1_795_459_388),
      ]), now: 1_795_459_387.4)

  @Test func allIsWell() {
    let doctor = Self.doctor(
      Self.machine.findings + Self.output.findings + Self.route.findings)
    #expect(doctor.isWell)
    #expect(
      doctor.lines.joined(separator: "\n") == """
        tessera 0.1.0, libvips 8.14.1, 4 processors
        reads     jpeg
        writes    webp
        turns     orientations 1
        colours   profiles
        files     workers only reach libraries and fonts (Landlock 4)
        network   workers have none, and can't start processes (seccomp)
        limits    1048576 open files
                  31000 processes
        memory    8.0 GB of the control group: 4 workers with 1.9 GB each
        clock     2026-11-23T18:43:07Z
        names     192.0.2.1 ::1
        output    /srv/feed
          space   12.3 GB free of 50.0 GB
          inodes  3000000 free
          access  can be written
          lock    process 4711 is at work on it
        url       https://example.com/a.jpg
          names   example.com: 198.51.100.7 2001:db8::7
          tls     TLSv1.3, issued by C = US, CN = R11, valid until 2027-01-15T08:00:00Z
          request 302, 198.51.100.7, 12 ms: https://example.com/a.jpg
          tls     TLSv1.2
          request 200, 198.51.100.9, 1500 ms: https://cdn.example.com/a.jpg
          clock   as the server's
        """)
  }

  /// Every shortfall has its line at the end, with what repairs it.
  @Test func everyShortfallIsNamedWithWhatRepairsIt() {
    let machine = MachineFacts(
      openFiles: 64, processes: 20, addresses: 300_000_000, processors: 2, memory: 500_000_000,
      now: 3_600, resolver: nil)
    let output = OutputFacts(
      output: "/srv/feed", folder: "/srv/feed",
      room: .success(.init(freeBytes: 400_000, bytes: 50_000_000_000, freeInodes: 12)),
      obstacle: SystemError("write to", "/srv/feed", code: 30))
    let doctor = Self.doctor(
      machine.findings + output.findings,
      [ExaminationCheck(.read, "avif", problem: "no decoder")])
    #expect(!doctor.isWell)
    #expect(
      doctor.lines.drop { !$0.hasPrefix("limits") }.joined(separator: "\n") == """
        limits    64 open files
                  20 processes
                  300 MB of address space
        memory    500 MB of the control group: 1 worker with 512 MB each
        clock     1970-01-01T01:00:00Z
        names     /etc/resolv.conf can't be read
        output    /srv/feed
          space   400 kB free of 50.0 GB
          inodes  12 free
          access  no
          lock    no run on this machine is at work on it
        can't read avif: no decoder
        a run may open only 64 files; to repair it: ulimit -n 4096 before it, or LimitNOFILE=4096 in its systemd unit
        a run may have only 20 processes and threads; to repair it: ulimit -u 512 before it, TasksMax=512 in its systemd unit, or --pids-limit 512 of its container
        a run may have only 300 MB of address space; to repair it: ulimit -v unlimited before it, or LimitAS=infinity in its systemd unit
        500 MB are too little for one worker and the coordinator; to repair it: MemoryMax=1G in its systemd unit, or --memory 1g of its container
        the clock of this machine is wrong: it shows 1970-01-01T01:00:00Z; to repair it: timedatectl set-ntp true
        host names can't be resolved: /etc/resolv.conf can't be read; to repair it: write "nameserver ADDRESS" to it, or --dns ADDRESS of the container
        the file system of "/srv/feed" has only 400 kB left; to repair it: tessera prune /srv/feed, or a larger file system
        the file system of "/srv/feed" has only 12 inodes left: each file needs one; to repair it: tessera prune /srv/feed, or a larger file system
        "/srv/feed" can't be written: Read-only file system; to repair it: mount -o remount,rw "$(findmnt -no TARGET --target /srv/feed)"
        """)
  }

  /// A libvips without a format that no pipeline has by itself is not a shortfall.
  @Test(arguments: [("svg", true), ("jp2", true), ("avif", false)])
  func formatsOfFewPipelinesAreOptional(_ format: String, _ isWell: Bool) {
    let doctor = Self.doctor([], [ExaminationCheck(.read, format, problem: "no decoder")])
    #expect(doctor.isWell == isWell)
    let line = "can't read \(format): no decoder"
    #expect(
      doctor.lines.last == line
        + (isWell ? "; only a pipeline that names it (accept) needs it" : ""))
  }

  /// HEIC is for apps of one platform, and Tessera's archive can't write it.
  @Test(arguments: [("heic", true), ("avif", false)])
  func formatsForFewProgramsAreOptional(_ format: String, _ isWell: Bool) {
    let doctor = Self.doctor([], [ExaminationCheck(.write, format, problem: "no encoder")])
    #expect(doctor.isWell == isWell)
    let line = "can't write \(format): no encoder"
    #expect(
      doctor.lines.last == line
        + (isWell ? "; only a pipeline that names it (variants.format) needs it" : ""))
  }

  /// SQLite can't open the state without some space, so that `prune` can't free any.
  @Test(arguments: [(0, 1_000, true), (1_000_000, 1_000, false), (1_000_000, 3, true)])
  func aFullOutputNeedsAHand(_ bytes: Int, _ inodes: Int, _ isFull: Bool) {
    let output = OutputFacts(
      output: "o", folder: "o",
      room: .success(.init(freeBytes: bytes, bytes: 50_000_000_000, freeInodes: inodes)))
    let fixes = output.findings.compactMap(\.fix)
    #expect(fixes.contains { $0.contains("tessera prune o") })
    #expect(fixes.allSatisfy { $0.hasPrefix("delete a file by hand, and then ") == isFull })
  }

  @Test func theMachineMayHaveNoLimits() {
    let machine = MachineFacts(
      openFiles: nil, processes: nil, processors: 1, memory: nil, now: 1_795_459_387, resolver: "")
    #expect(
      machine.findings.map(\.value) == [
        "any number of open files", "any number of processes",
        "no limit by a control group: 1 worker with 2.0 GB each", "2026-11-23T18:43:07Z",
        "a server on this machine",
      ])
    #expect(machine.findings.allSatisfy { $0.problem == nil && $0.fix == nil })
  }

  @Test(
    arguments: [
      (
        OutputFacts(output: "/srv/new", folder: "/srv", exists: false, room: nil),
        [
          "does not exist yet; a run creates it in /srv", "no run on this machine is at work on it",
        ],
        nil
      ),
      (
        OutputFacts(output: "/srv/a", folder: "/srv/a", room: nil, holder: 0),
        ["can be written", "a run of another container is at work on it"], nil
      ),
      (
        OutputFacts(
          output: "/srv/a", folder: "/srv/a", room: nil,
          obstacle: SystemError("write to", "/srv/a", code: 13)),
        ["no", "only the user who runs the pipeline can see whether a run is at work on it"],
        "call it as the user who runs the pipeline: sudo -u \"$(stat -c %U /srv/a)\" tessera …; or, if the output is to be "
          + "yours from now on: sudo chown -R \"$(id -un)\" /srv/a"
      ),
      (
        OutputFacts(
          output: "a.txt", folder: "a.txt", room: nil,
          obstacle: SystemError("use", "a.txt", code: 20)),
        ["no", "no run on this machine is at work on it"], "name a folder (output)"
      ),
      (
        OutputFacts(
          output: "/srv/new", folder: "/", exists: false, room: nil,
          obstacle: SystemError("write to", "/", code: 13)),
        ["no", "no run on this machine is at work on it"],
        "sudo install -d -o \"$(id -un)\" /srv/new"
      ),
      (
        OutputFacts(output: "s3://feed", isStore: true, folder: "s3://feed", room: nil),
        ["the store answers"], nil
      ),
      (
        OutputFacts(
          output: "s3://feed", isStore: true, folder: "s3://feed", room: nil,
          obstacle: .store("s3://feed", "was rejected: 403", .other)),
        ["no"],
        "the keys under \"store\", and the credentials (AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY)"
      ),
    ] as [(OutputFacts, [String], String?)])
  func outputsAreToldApart(_ facts: OutputFacts, _ values: [String], _ fix: String?) {
    #expect(facts.findings.map(\.value) == values)
    #expect(facts.findings.first?.fix == fix)
    #expect(facts.findings.allSatisfy { ($0.problem == nil) == ($0.fix == nil) })
  }

  /// Why a request failed, and what repairs it.
  @Test(
    arguments: [
      (
        FetchError(
          .addressRejected, "a redirect led to b, which is not on the public internet; if …"),
        "a redirect led to b, which is not on the public internet",
        "fetch: {allow: [\"169.254.169.254/32\"]} in the pipeline file, here --allow 169.254.169.254/32"
      ),
      (
        FetchError(.dns, "the name a could not be resolved"), "the name a could not be resolved",
        "getent hosts a; then /etc/resolv.conf, or --dns of the container"
      ),
      (
        FetchError(.tls, "not trusted"), "not trusted (self-signed certificate)",
        "install ca-certificates, or SSL_CERT_FILE=FILE with the authority's certificate, if the "
          + "server is your own"
      ),
      (
        FetchError(.timeout, "too late"), "too late",
        "the firewall, or https_proxy=URL; fetch: {timeout: 30s} if the server is slow"
      ),
      (
        FetchError(.redirect, "more than 5 redirects"), "more than 5 redirects",
        "name the last address in the manifest, or fetch: {redirects: 10}"
      ),
      (
        FetchError(.httpStatus, "the server answered 403 Forbidden", status: 403),
        "the server answered 403 Forbidden",
        "fetch: {headers: [{host: a, Authorization: …}]} in the pipeline file"
      ),
      (
        FetchError(.httpStatus, "the server answered 404 Not Found", status: 404),
        "the server answered 404 Not Found", "ask the server's owner; the URL itself may be wrong"
      ),
      (FetchError(.badURL, "no host"), "no host", "write it as https://host/path"),
    ] as [(FetchError, String, String)])
  func everyFailureHasItsRepair(_ error: FetchError, _ reason: String, _ fix: String) {
    let trace = RouteTrace(
      host: "a", addresses: [],
      hops: [.init(url: "https://a/x", address: nil, isProxied: true, status: 0, seconds: 0.2)],
      error: error, distrust: error.code == .tls ? "self-signed certificate" : nil,
      permission: "\"169.254.169.254/32\"")
    #expect(
      RouteChecks("https://a/x", trace, now: 0).findings == [
        HealthCheck(
          .request, "https://a/x", "no answer, the proxy, 200 ms: https://a/x",
          problem: "\"https://a/x\" can't be fetched: \(reason)", fix: fix)
      ])
    // Nothing was sent at all.
    var unsent = trace
    unsent.hops = []
    #expect(RouteChecks("https://a/x", unsent, now: 0).findings.map(\.value) == ["not sent"])
  }

  /// A server that answers, but later than a run waits.
  @Test(arguments: [
    (14.9, nil, nil), (20.4, "the answer took 20.4 s, and a run waits 15 s for one", "40"),
  ])
  func aSlowAnswerIsAShortfall(_ seconds: Double, _ problem: String?, _ timeout: String?) {
    let trace = RouteTrace(
      host: "a", addresses: [],
      hops: [.init(url: "http://a/", address: "198.51.100.7", status: 200, seconds: seconds)])
    let finding = RouteChecks("http://a/", trace, now: 0).findings.first
    #expect(finding?.problem == problem)
    #expect(
      finding?.fix
        == timeout.map {
          "fetch: {timeout: \($0)s} in the pipeline file, if the server is always so slow"
        })
  }

  @Test(
    arguments: [
      (60.4, nil, "as the server's"), (-60, nil, "as the server's"),
      (61, "61 s ahead of that of a", "61 s ahead of the server's"),
      (-86_400, "86400 s behind that of a", "86400 s behind the server's"),
    ] as [(Double, String?, String)])
  func theClockIsComparedWithTheServers(_ off: Double, _ problem: String?, _ value: String) {
    let hop = RouteTrace.Hop(
      url: "http://a/", address: "192.0.2.1", status: 200, seconds: 0, serverTime: 1_000_000)
    let trace = RouteTrace(host: "a", addresses: [], hops: [hop])
    let finding = RouteChecks("http://a/", trace, now: 1_000_000 + off).findings.last
    #expect(finding?.kind == .clock && finding?.value == value)
    #expect(finding?.problem == problem.map { "the clock of this machine is \($0)" })
    #expect(finding?.fix == problem.map { _ in "timedatectl set-ntp true" })
  }

  @Test func theDocumentHasEveryFinding() {
    let doctor = Self.doctor([
      HealthCheck(.names, "", "192.0.2.1"),
      HealthCheck(.space, "/srv", "1 B free", problem: "full", fix: "tessera prune /srv"),
    ])
    let text = String(decoding: doctor.json, as: UTF8.self)
    #expect(
      text.hasSuffix(
        """
          "findings": [
            {
              "kind": "names",
              "value": "192.0.2.1",
              "ok": true
            },
            {
              "kind": "space",
              "subject": "/srv",
              "value": "1 B free",
              "ok": false,
              "problem": "full",
              "fix": "tessera prune /srv"
            }
          ]
        }

        """), "\(text)")
  }

  @Test(
    arguments: [
      (1065, 692), (7, 0), (8, nil), (12, nil),
    ] as [(Int, Int?)])
  func theHolderOfALockIsFound(_ file: Int, _ process: Int?) {
    let locks = """
      1: FLOCK  ADVISORY  WRITE 692 00:1a:1065 0 EOF
      2: POSIX  ADVISORY  READ  693 08:01:12 128 128
      2: -> FLOCK  ADVISORY  WRITE 700 08:01:8 0 EOF
      3: FLOCK  ADVISORY  READ  0 08:01:7 0 EOF

      """
    #expect(Host.holder(ofLockOn: file, inLocks: locks) == process)
  }
}
