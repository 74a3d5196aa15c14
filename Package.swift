// swift-tools-version: 6.2
import PackageDescription

// A folder of Sources is a module; Sources/README.md lists what each is for, and its imports. Below, from the bottom up: C, what
// everything may use, pure modules, a part of the world each, a run, the executables.
//
// Only the libraries among the products are for other packages; the rest has `package` access. Every
// module is named Tessera<Folder>, because SwiftPM wants target names to be unique over the whole
// graph: an app that depends on this package may have a target called Plan of its own.

/// One list of settings for every Swift target. Tests import freely; the rest says how far each
/// import is seen.
let testSettings: [SwiftSetting] = [
  .swiftLanguageMode(.v6),
  .treatAllWarnings(as: .error),
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("MemberImportVisibility"),
  .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
  .enableUpcomingFeature("InferIsolatedConformances"),
]
let settings = testSettings + [.enableUpcomingFeature("InternalImportsByDefault")]

/// The pure modules also run under strict memory safety: they read bytes from untrusted sources.
let pure = settings + [.strictMemorySafety()]

/// What is mostly arithmetic is optimized in debug builds, too: tests of pixels take seconds instead of minutes. None of it is
/// in a product for apps, whose packages may not depend on such flags.
let fast: [SwiftSetting] = [.unsafeFlags(["-O"], .when(configuration: .debug))]
let fastC: [CSetting] = [.unsafeFlags(["-O2"], .when(configuration: .debug))]

func module(
  _ folder: String, _ dependencies: [String] = [], resources: [Resource] = [],
  settings: [SwiftSetting] = settings
) -> Target {
  .target(
    name: "Tessera\(folder)", dependencies: dependencies.map { .byName(name: $0) },
    path: "Sources/\(folder)", resources: resources, swiftSettings: settings)
}

// The command is for Linux; elsewhere the package is what apps use of it, whether they depend on a path or a repository. On
// Linux, SwiftPM builds no more than that for a package that depends on this one. In a checkout that it made itself it does
// not look for the command's libraries either, and so suggests none to install.
#if os(Linux)
  let isForApps = Context.packageDirectory.split(separator: "/").dropLast().last == "checkouts"
#else
  let isForApps = true
#endif

func system(_ folder: String, pkgConfig: String, apt: String) -> Target {
  .systemLibrary(
    name: "Tessera\(folder)", path: "Sources/\(folder)", pkgConfig: pkgConfig,
    providers: [.apt([apt])])
}

/// What is in the folders of tests besides their code.
let excluded = [
  "CommandTests": ["Golden"],
  "DeliveryTests": [
    "requests.jsonl", "services.tsv", "sources.tsv", "urls.py", "urls.tsv",
  ],
]

func tests(_ folder: String, _ dependencies: [String]) -> Target {
  .testTarget(
    name: folder,
    dependencies: (dependencies + ["TesseraTestSupport"]).map { .byName(name: $0) },
    path: "Tests/\(folder)", exclude: excluded[folder] ?? [],
    swiftSettings: testSettings)
}

let package = Package(
  name: "tessera",
  // What apps use of it needs no more: `Duration` and searching in strings came with these. Tests/check-availability compares
  // every use with them. The command is for Linux.
  platforms: [.macOS(.v13), .iOS(.v16), .tvOS(.v16), .watchOS(.v9), .visionOS(.v1)],
  products: [
    .library(name: "TesseraCatalog", targets: ["TesseraCatalog", "TesseraCatalogFoundation"]),
    .library(name: "TesseraUI", targets: ["TesseraUI"]),
    .library(name: "TesseraSizeFetcher", targets: ["TesseraSizeFetcher", "TesseraImageHeader"]),
    .library(name: "TesseraImageHeader", targets: ["TesseraImageHeader"]),
    .executable(name: "tessera", targets: ["tessera"]),
    .executable(name: "tessera-worker", targets: ["tessera-worker"]),
  ],
  targets: [
    // 0: C
    system("CCurl", pkgConfig: "libcurl", apt: "libcurl4-openssl-dev"),
    system("CSQLite", pkgConfig: "sqlite3", apt: "libsqlite3-dev"),
    system("CYAML", pkgConfig: "yaml-0.1", apt: "libyaml-dev"),
    system("CExpat", pkgConfig: "expat", apt: "libexpat1-dev"),
    // Its own file asks for -pthread, which SwiftPM warns of; its headers are where those of GLib are.
    system("CVips", pkgConfig: "gobject-2.0", apt: "libvips-dev"),
    system("CWebPMux", pkgConfig: "libwebpmux", apt: "libwebp-dev"),
    system("CCrypto", pkgConfig: "libcrypto", apt: "libssl-dev"),
    system("CZlib", pkgConfig: "zlib", apt: "zlib1g-dev"),
    system("CDeflate", pkgConfig: "libdeflate", apt: "libdeflate-dev"),
    .target(name: "TesseraCProcess", path: "Sources/CProcess"),
    .target(
      name: "TesseraCJPEG", path: "Sources/CJPEG", cSettings: fastC,
      linkerSettings: [.linkedLibrary("jpeg")]),
    .target(
      name: "TesseraCTIFF", path: "Sources/CTIFF", cSettings: fastC,
      linkerSettings: [.linkedLibrary("tiff")]),
    .target(
      name: "TesseraCDecoders", path: "Sources/CDecoders", cSettings: fastC,
      linkerSettings: [.linkedLibrary("jxl"), .linkedLibrary("openjp2")]),
    .target(
      name: "TesseraCPixels", path: "Sources/CPixels", cSettings: fastC,
      linkerSettings: [.linkedLibrary("m")]),
    .target(
      name: "TesseraCSandbox", path: "Sources/CSandbox",
      linkerSettings: [.linkedLibrary("seccomp")]),
    .target(name: "TesseraCPages", path: "Sources/CPages"),

    // 1: what everything may use
    module("JSON", settings: pure),
    module("Text", settings: pure),
    // Public: what apps read, and the words that other modules share with them.
    .target(
      name: "TesseraCatalog", dependencies: ["TesseraJSON", "TesseraText"], swiftSettings: pure),
    module("Bytes", ["TesseraCCrypto", "TesseraCZlib", "TesseraCDeflate", "TesseraCExpat"]),
    module("System", ["TesseraBytes", "TesseraCProcess"]),

    // 2: pure
    // Apart, so that the command starts without Foundation.
    .target(
      name: "TesseraCatalogFoundation", dependencies: ["TesseraCatalog", "TesseraText"],
      swiftSettings: settings),
    .target(
      name: "TesseraUI", dependencies: ["TesseraCatalog", "TesseraCatalogFoundation"],
      swiftSettings: settings),
    module("ImageHeader", settings: pure + [.enableExperimentalFeature("Lifetimes")]),
    module("SizeFetcher", ["TesseraImageHeader"]),
    module("Plan", ["TesseraCatalog", "TesseraText", "TesseraBytes"], settings: pure + fast),
    module(
      "Manifest",
      ["TesseraCatalog", "TesseraJSON", "TesseraText", "TesseraBytes"],
      settings: pure),

    // 3: one part of the world each
    module(
      "PipelineFile",
      [
        "TesseraCatalog", "TesseraPlan", "TesseraManifest", "TesseraImageHeader", "TesseraJSON",
        "TesseraSystem", "TesseraText", "TesseraCYAML",
      ], resources: [.embedInCode("Presets.yaml")]),
    module(
      "Net",
      [
        "TesseraManifest", "TesseraImageHeader", "TesseraSystem", "TesseraText", "TesseraBytes",
        "TesseraCCurl",
      ]),
    module(
      "State",
      [
        "TesseraPlan", "TesseraCatalog", "TesseraJSON", "TesseraText", "TesseraSystem",
        "TesseraBytes", "TesseraCSQLite",
      ]),
    module(
      "Output",
      [
        "TesseraNet", "TesseraManifest", "TesseraCatalog", "TesseraJSON", "TesseraText",
        "TesseraSystem", "TesseraBytes",
      ]),
    module(
      "Workers",
      [
        "TesseraCatalog", "TesseraPlan", "TesseraJSON", "TesseraSystem", "TesseraBytes",
        "TesseraCProcess",
      ],
      resources: [.embedInCode("Wire/Messages.jsonl")]),
    module(
      "Transcode",
      [
        "TesseraWorkers", "TesseraCatalog", "TesseraPlan", "TesseraImageHeader",
        "TesseraSystem", "TesseraText", "TesseraBytes", "TesseraCVips", "TesseraCWebPMux",
        "TesseraCJPEG", "TesseraCTIFF", "TesseraCDecoders", "TesseraCPixels", "TesseraCDeflate",
      ], settings: settings + fast + [.enableExperimentalFeature("Lifetimes")]),

    // 4: a run
    module(
      "Pipeline",
      [
        "TesseraCatalog", "TesseraJSON", "TesseraText", "TesseraBytes", "TesseraSystem",
        "TesseraImageHeader", "TesseraPlan", "TesseraManifest", "TesseraPipelineFile", "TesseraNet",
        "TesseraState", "TesseraOutput", "TesseraWorkers",
      ]),

    // 5: the two executables
    .executableTarget(
      name: "tessera",
      dependencies: [
        "TesseraPipeline", "TesseraPipelineFile", "TesseraNet", "TesseraState", "TesseraOutput",
        "TesseraWorkers", "TesseraPlan", "TesseraImageHeader", "TesseraManifest", "TesseraCatalog",
        "TesseraJSON", "TesseraText", "TesseraSystem", "TesseraBytes", "TesseraCPages",
      ],
      path: "Sources/Command", exclude: ["Gallery/gallery.html"], swiftSettings: settings),
    .executableTarget(
      name: "tessera-worker",
      dependencies: [
        "TesseraTranscode", "TesseraWorkers", "TesseraSystem", "TesseraCProcess", "TesseraCSandbox",
      ],
      swiftSettings: settings),

    // An app's way with a catalog.
    .executableTarget(
      name: "FeedLayout", dependencies: ["TesseraCatalog"], path: "Examples/FeedLayout",
      swiftSettings: testSettings),

    // Tests: what is pure by tables, what touches the world against real parts of it.
    .target(
      name: "TesseraTestSupport",
      dependencies: ["TesseraCVips", "TesseraCDecoders", "TesseraState"],
      path: "Tests/Support", swiftSettings: testSettings),
    // An output in memory.
    .target(
      name: "TesseraMemoryOutput",
      dependencies: ["TesseraOutput", "TesseraSystem", "TesseraBytes"],
      path: "Tests/MemoryOutput", swiftSettings: testSettings),
    tests("BytesTests", ["TesseraBytes"]),
    tests("JSONTests", ["TesseraJSON"]),
    tests("XMLTests", ["TesseraBytes"]),
    tests("ManifestTests", ["TesseraManifest", "TesseraJSON", "TesseraText"]),
    tests("ImageHeaderTests", ["TesseraImageHeader"]),
    // A program that fetches a list, for Tests/Benchmarks/fetch.
    .executableTarget(
      name: "FetchSpeed", dependencies: ["TesseraNet", "TesseraSystem"], path: "Tests/FetchSpeed",
      swiftSettings: testSettings),
    // A program that shuts itself in as a worker does, and tries the doors.
    .executableTarget(
      name: "ConfinementProbe", dependencies: ["TesseraCSandbox", "TesseraCProcess"],
      path: "Tests/ConfinementProbe"),
    // A fork server whose workers misbehave.
    .executableTarget(
      name: "Impostor", dependencies: ["TesseraCProcess"], path: "Tests/Impostor"),
    tests("PlaceholderTests", ["TesseraPlan", "TesseraText"]),
    tests("PlanTests", ["TesseraPlan"]),
    tests("QualityTests", ["TesseraTranscode"]),
    // A program that scores pairs of images, for Tests/Benchmarks/quality-check.
    .executableTarget(
      name: "QualityCheck", dependencies: ["TesseraTranscode"], path: "Tests/QualityCheck",
      swiftSettings: testSettings),
    tests(
      "DeliveryTests",
      [
        "TesseraPlan", "TesseraPipelineFile", "TesseraBytes", "TesseraPipeline", "TesseraState",
        "TesseraManifest", "TesseraCatalog",
      ]),
    tests(
      "PipelineFileTests",
      ["TesseraPipelineFile", "TesseraPlan", "TesseraImageHeader", "TesseraSystem"]),
    tests(
      "FetchTests",
      ["TesseraNet", "TesseraText", "TesseraSystem", "TesseraCCurl"]),
    tests("StoreTests", ["TesseraNet", "TesseraSystem", "TesseraBytes"]),
    tests(
      "ProbeTests",
      ["TesseraNet", "TesseraImageHeader", "TesseraPipeline", "TesseraText", "TesseraSystem"]),
    tests("StateTests", ["TesseraState", "TesseraPlan", "TesseraText"]),
    tests(
      "OutputTests",
      [
        "TesseraOutput", "TesseraNet", "TesseraManifest", "TesseraCatalog", "TesseraJSON",
        "TesseraSystem", "TesseraBytes", "TesseraText", "TesseraMemoryOutput",
      ]),
    tests(
      "WorkersTests",
      ["TesseraWorkers", "TesseraCatalog", "TesseraPlan", "TesseraSystem", "TesseraCPixels"]),
    tests(
      "WorkerValuesTests",
      ["TesseraWorkers", "TesseraPlan", "TesseraSystem", "TesseraCatalog"]),
    tests(
      "TranscodeTests",
      [
        "TesseraTranscode", "TesseraWorkers", "TesseraPlan", "TesseraImageHeader", "TesseraSystem",
        "TesseraBytes", "TesseraCatalog", "TesseraText", "TesseraJSON", "TesseraCVips",
      ]),
    tests(
      "SystemTests",
      ["TesseraSystem", "TesseraText", "TesseraNet", "TesseraBytes", "TesseraCCurl"]),
    tests(
      "CatalogTests",
      [
        "TesseraCatalog", "TesseraCatalogFoundation", "TesseraSizeFetcher", "TesseraImageHeader",
        "TesseraPlan", "TesseraJSON", "TesseraBytes",
      ]),
    tests(
      "PipelineTests",
      [
        "TesseraPipeline", "TesseraPipelineFile", "TesseraNet", "TesseraState", "TesseraOutput",
        "TesseraWorkers", "TesseraPlan", "TesseraManifest", "TesseraCatalog", "TesseraSystem",
        "TesseraBytes", "TesseraJSON", "TesseraImageHeader", "TesseraMemoryOutput", "tessera",
      ]),
    tests(
      "OutputToolsTests",
      [
        "tessera", "TesseraOutput", "TesseraJSON", "TesseraCatalog", "TesseraState",
        "TesseraMemoryOutput", "TesseraBytes", "TesseraManifest", "TesseraPipelineFile",
        "TesseraPlan", "TesseraSystem",
        "TesseraText", "TesseraNet", "TesseraImageHeader", "TesseraWorkers",
      ]),
    tests(
      "PipelineToolsTests",
      [
        "tessera", "TesseraPipeline", "TesseraPipelineFile", "TesseraNet", "TesseraImageHeader",
        "TesseraManifest", "TesseraPlan", "TesseraSystem", "TesseraJSON", "TesseraText",
      ]),
    tests(
      "ConsoleTests",
      [
        "tessera", "TesseraText", "TesseraJSON", "TesseraBytes", "TesseraSystem", "TesseraCatalog",
        "TesseraPipeline", "TesseraPipelineFile", "TesseraOutput",
      ]),
    // These read the source code: imports, cycles, lengths, wording.
    tests("HouseTests", []),
    // These drive the built executables.
    tests(
      "CommandTests",
      [
        "TesseraCatalog", "TesseraCatalogFoundation", "TesseraPipelineFile", "TesseraPlan",
        "TesseraImageHeader", "TesseraOutput", "TesseraState", "TesseraWorkers", "tessera",
        "tessera-worker", "FeedLayout",
      ]),
  ]
)

if isForApps {
  let products = ["TesseraCatalog", "TesseraUI", "TesseraSizeFetcher", "TesseraImageHeader"]
  package.products.removeAll { !products.contains($0.name) }
  let targets =
    products + ["TesseraCatalogFoundation", "TesseraJSON", "TesseraText"]
  package.targets.removeAll { !targets.contains($0.name) }
}

// With TESSERA_TESTS=PlanTests,JSONTests no other suite is built and linked.
if let suites = Context.environment["TESSERA_TESTS"] {
  let named = suites.split(separator: ",").map(String.init)
  package.targets.removeAll { $0.type == .test && !named.contains($0.name) }
}
