// swift-tools-version: 6.2
import PackageDescription

// The house, top to bottom. A module may import modules on lines below its own; sideways only
// where a dash says so. Sources/README.md has the drawing with the folders; a test compares both with
// the imports.
//
//   5  tessera (the command)                                               tessera-worker
//   4  PipelineTools (before a run) -- Pipeline (a run)   OutputTools (after a run)   Console  |
//   3  Probe -- Fetch -- Store -- Output   State   PipelineFile   Workers -- Wire ---- Transcode
//      TesseraUI -- TesseraCatalogFoundation   SizeFetcher (public: SwiftUI, URLs)
//   2  Delivery -- Plan   ImageHeader   Manifest   Placeholder   Quality
//                                                       pure: no I/O, no clock, no Foundation
//   1  JSON -- TesseraCatalog (public) -- Text   XML   Curl -- System -- Bytes
//   0  CCurl CSQLite CYAML CExpat CVips CWebPMux CCrypto CZlib CDeflate (system libraries);
//      CProcess, CSandbox, CJPEG, CTIFF, CDecoders, CPixels (our few lines of C)
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

    // 1: what everything may use
    module("JSON", settings: pure),
    module("Text", settings: pure),
    // Public: what apps read, and the words that other modules share with them.
    .target(
      name: "TesseraCatalog", dependencies: ["TesseraJSON", "TesseraText"], swiftSettings: pure),
    module("Bytes", ["TesseraCCrypto", "TesseraCZlib", "TesseraCDeflate"]),
    module("XML", ["TesseraCExpat"]),
    module("System", ["TesseraBytes", "TesseraCProcess"]),
    module("Curl", ["TesseraSystem", "TesseraCCurl"]),

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
    module("Plan", ["TesseraCatalog"], settings: pure + fast),
    module("Placeholder", settings: pure + fast),
    module("Quality", settings: pure + fast),
    module(
      "Delivery", ["TesseraPlan", "TesseraCatalog", "TesseraText", "TesseraBytes"], settings: pure),
    module(
      "Manifest",
      ["TesseraCatalog", "TesseraJSON", "TesseraXML", "TesseraText", "TesseraBytes"], settings: pure
    ),

    // 3: one part of the world each
    module(
      "PipelineFile",
      [
        "TesseraCatalog", "TesseraPlan", "TesseraDelivery", "TesseraManifest",
        "TesseraImageHeader",
        "TesseraPlaceholder", "TesseraJSON", "TesseraSystem", "TesseraText", "TesseraCYAML",
      ], resources: [.embedInCode("Presets.yaml")]),
    module(
      "Store", ["TesseraCurl", "TesseraSystem", "TesseraText", "TesseraBytes", "TesseraCCurl"]),
    module(
      "Fetch",
      [
        "TesseraCurl", "TesseraStore", "TesseraSystem", "TesseraText", "TesseraCCurl",
      ]),
    module(
      "Probe",
      [
        "TesseraFetch", "TesseraManifest", "TesseraImageHeader", "TesseraSystem", "TesseraText",
      ]),
    module(
      "State",
      [
        "TesseraPlaceholder", "TesseraPlan", "TesseraCatalog", "TesseraJSON", "TesseraText",
        "TesseraSystem", "TesseraBytes", "TesseraCSQLite",
      ]),
    module(
      "Output",
      [
        "TesseraStore", "TesseraManifest", "TesseraCatalog", "TesseraJSON", "TesseraText",
        "TesseraSystem", "TesseraBytes",
      ]),
    module(
      "Wire",
      ["TesseraCatalog", "TesseraPlan", "TesseraPlaceholder", "TesseraJSON", "TesseraBytes"],
      resources: [.embedInCode("Messages.jsonl")]),
    module("Workers", ["TesseraWire", "TesseraPlan", "TesseraSystem", "TesseraCProcess"]),
    module(
      "Transcode",
      [
        "TesseraWire", "TesseraCatalog", "TesseraPlan", "TesseraImageHeader",
        "TesseraPlaceholder", "TesseraQuality", "TesseraSystem", "TesseraText", "TesseraBytes",
        "TesseraCVips", "TesseraCWebPMux", "TesseraCJPEG", "TesseraCTIFF", "TesseraCDecoders",
        "TesseraCPixels", "TesseraCDeflate",
      ], settings: settings + fast + [.enableExperimentalFeature("Lifetimes")]),

    // 4: a run, and what works on a finished output
    module(
      "Pipeline",
      [
        "TesseraCatalog", "TesseraJSON", "TesseraText", "TesseraBytes", "TesseraSystem",
        "TesseraImageHeader", "TesseraPlan", "TesseraDelivery", "TesseraPlaceholder",
        "TesseraManifest", "TesseraPipelineFile", "TesseraFetch", "TesseraProbe", "TesseraState",
        "TesseraOutput", "TesseraStore", "TesseraWire", "TesseraWorkers",
      ]),
    module(
      "PipelineTools",
      [
        "TesseraPipeline", "TesseraPipelineFile", "TesseraProbe", "TesseraFetch", "TesseraState",
        "TesseraOutput", "TesseraWorkers", "TesseraWire", "TesseraPlan", "TesseraImageHeader",
        "TesseraManifest", "TesseraCatalog", "TesseraJSON", "TesseraText", "TesseraSystem",
        "TesseraBytes", "TesseraStore", "TesseraCurl",
      ]),
    module(
      "OutputTools",
      [
        "TesseraCatalog", "TesseraJSON", "TesseraBytes", "TesseraSystem", "TesseraImageHeader",
        "TesseraPlan", "TesseraManifest", "TesseraFetch", "TesseraState", "TesseraOutput",
        "TesseraWorkers", "TesseraWire", "TesseraText",
      ], resources: [.embedInCode("Gallery/gallery.html")]),
    module("Console", ["TesseraJSON", "TesseraText", "TesseraSystem"]),

    // 5: the two executables
    .executableTarget(
      name: "tessera",
      dependencies: [
        "TesseraConsole", "TesseraPipelineTools", "TesseraPipeline", "TesseraOutputTools",
        "TesseraPipelineFile",
      ],
      swiftSettings: settings),
    .executableTarget(
      name: "tessera-worker",
      dependencies: [
        "TesseraTranscode", "TesseraWire", "TesseraSystem", "TesseraCProcess", "TesseraCSandbox",
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
    tests("XMLTests", ["TesseraXML"]),
    tests("ManifestTests", ["TesseraManifest", "TesseraJSON", "TesseraText"]),
    tests("ImageHeaderTests", ["TesseraImageHeader"]),
    // A program that fetches a list, for Tests/Benchmarks/fetch.
    .executableTarget(
      name: "FetchSpeed", dependencies: ["TesseraFetch", "TesseraSystem"], path: "Tests/FetchSpeed",
      swiftSettings: testSettings),
    // A program that shuts itself in as a worker does, and tries the doors.
    .executableTarget(
      name: "ConfinementProbe", dependencies: ["TesseraCSandbox", "TesseraCProcess"],
      path: "Tests/ConfinementProbe"),
    // A fork server whose workers misbehave.
    .executableTarget(
      name: "Impostor", dependencies: ["TesseraCProcess"], path: "Tests/Impostor"),
    tests("PlaceholderTests", ["TesseraPlaceholder", "TesseraText"]),
    tests("PlanTests", ["TesseraPlan"]),
    tests("QualityTests", ["TesseraQuality"]),
    // A program that scores pairs of images, for Tests/Benchmarks/quality-check.
    .executableTarget(
      name: "QualityCheck", dependencies: ["TesseraQuality"], path: "Tests/QualityCheck",
      swiftSettings: testSettings),
    tests(
      "DeliveryTests",
      [
        "TesseraDelivery", "TesseraPlan", "TesseraPipelineFile", "TesseraBytes", "TesseraPipeline",
        "TesseraState", "TesseraManifest", "TesseraCatalog",
      ]),
    tests(
      "PipelineFileTests",
      ["TesseraPipelineFile", "TesseraPlan", "TesseraImageHeader", "TesseraSystem"]),
    tests(
      "FetchTests",
      [
        "TesseraFetch", "TesseraCurl", "TesseraStore", "TesseraText", "TesseraSystem",
        "TesseraCCurl",
      ]),
    tests("StoreTests", ["TesseraStore", "TesseraCurl", "TesseraSystem", "TesseraBytes"]),
    tests(
      "ProbeTests",
      [
        "TesseraProbe", "TesseraFetch", "TesseraImageHeader", "TesseraPipeline", "TesseraText",
        "TesseraSystem",
      ]),
    tests("StateTests", ["TesseraState", "TesseraPlaceholder", "TesseraPlan", "TesseraText"]),
    tests(
      "OutputTests",
      [
        "TesseraOutput", "TesseraStore", "TesseraManifest", "TesseraCatalog", "TesseraJSON",
        "TesseraSystem", "TesseraBytes", "TesseraText", "TesseraMemoryOutput",
      ]),
    tests(
      "WorkersTests",
      [
        "TesseraWorkers", "TesseraWire", "TesseraCatalog", "TesseraPlan", "TesseraPlaceholder",
        "TesseraSystem", "TesseraCPixels",
      ]),
    tests(
      "WorkerValuesTests",
      [
        "TesseraWorkers", "TesseraWire", "TesseraPlan", "TesseraSystem", "TesseraCatalog",
        "TesseraPlaceholder",
      ]),
    tests(
      "TranscodeTests",
      [
        "TesseraTranscode", "TesseraWire", "TesseraPlan", "TesseraImageHeader", "TesseraQuality",
        "TesseraSystem", "TesseraBytes", "TesseraCatalog", "TesseraPlaceholder", "TesseraText",
        "TesseraJSON", "TesseraCVips",
      ]),
    tests(
      "SystemTests",
      ["TesseraSystem", "TesseraText", "TesseraCurl", "TesseraBytes", "TesseraCCurl"]),
    tests(
      "CatalogTests",
      [
        "TesseraCatalog", "TesseraCatalogFoundation", "TesseraSizeFetcher", "TesseraImageHeader",
        "TesseraPlan", "TesseraJSON", "TesseraBytes",
      ]),
    tests(
      "PipelineTests",
      [
        "TesseraPipeline", "TesseraPipelineFile", "TesseraFetch", "TesseraState", "TesseraOutput",
        "TesseraWorkers", "TesseraWire", "TesseraPlan", "TesseraPlaceholder", "TesseraManifest",
        "TesseraCatalog", "TesseraSystem", "TesseraBytes", "TesseraJSON", "TesseraImageHeader",
        "TesseraProbe", "TesseraMemoryOutput", "TesseraOutputTools",
      ]),
    tests(
      "OutputToolsTests",
      [
        "TesseraOutputTools", "TesseraOutput", "TesseraJSON", "TesseraCatalog", "TesseraState",
        "TesseraMemoryOutput", "TesseraBytes", "TesseraManifest", "TesseraPlan", "TesseraSystem",
        "TesseraText", "TesseraFetch", "TesseraImageHeader", "TesseraWire",
      ]),
    tests(
      "PipelineToolsTests",
      [
        "TesseraPipelineTools", "TesseraPipeline", "TesseraPipelineFile", "TesseraFetch",
        "TesseraProbe", "TesseraImageHeader", "TesseraManifest", "TesseraPlan", "TesseraSystem",
        "TesseraJSON", "TesseraText",
      ]),
    tests(
      "ConsoleTests",
      [
        "TesseraConsole", "TesseraText", "TesseraJSON", "TesseraBytes", "TesseraSystem",
        "TesseraCatalog", "TesseraPipelineTools", "TesseraPipeline", "TesseraOutputTools",
        "TesseraPipelineFile", "tessera",
      ]),
    // These read the source code: imports, cycles, lengths, wording.
    tests("HouseTests", []),
    // These drive the built executables.
    tests(
      "CommandTests",
      [
        "TesseraCatalog", "TesseraCatalogFoundation", "TesseraPipelineFile", "TesseraPlan",
        "TesseraImageHeader", "TesseraOutput", "TesseraState", "TesseraWire", "tessera",
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
