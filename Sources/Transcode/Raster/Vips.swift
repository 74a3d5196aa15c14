internal import Glibc
internal import TesseraCVips
internal import TesseraImageHeader
package import TesseraPlan
internal import TesseraSystem

/// libvips, started once, before the process forks.
package enum Vips {
  /// Starts libvips and blocks every loader that this module does not call by name.
  ///
  /// - Returns: libvips' version, or nil if it could not start.
  package static func start() -> String? {
    guard tessera_vips_start("tessera-worker") == 0 else { return nil }
    loadModules()
    // One image per worker, and as many workers as processors.
    vips_concurrency_set(1)
    // The operation cache would keep files open, and no operation is repeated.
    vips_cache_set_max(0)
    // libvips' own mark for untrusted loaders is not enough: matrixload lacks it, and takes 20
    // bytes for an image of 100,000 x 100,000 pixels.
    tessera_vips_block_all_but_named()
    tessera_vips_initialize_operations()
    return [0, 1, 2].map { String(vips_version($0)) }.joined(separator: ".")
  }

  /// The formats that libheif can't encode on this machine.
  package static var lacks: [OutputFormat] {
    OutputFormat.allCases.filter { format in
      switch format {
      case .avif: tessera_heif_encodes(VIPS_FOREIGN_HEIF_COMPRESSION_AV1) == 0
      case .heic: tessera_heif_encodes(VIPS_FOREIGN_HEIF_COMPRESSION_HEVC) == 0
      case .webp, .jpeg, .png, .jxl: false
      }
    }
  }

  /// Loads the modules of libvips that have loaders and savers which this module calls.
  private static func loadModules() {
    guard let library = LoadedFile.folder(of: tessera_vips_address()) else { return }
    let name = tessera_vips_modules_folder()
    defer { g_free(name) }
    guard let name else { return }
    for module in ["vips-heif", "vips-jxl"] {
      tessera_vips_load_module("\(library)/\(String(cString: name))/\(module).so")
    }
  }
}

/// libvips' message about a call that failed.
struct VipsError: Error {
  /// A sentence without its full stop.
  var message: String

  init(message: String) { self.message = message }

  /// - Parameter reason: of a decoder written in C, up to a zero.
  init(reason: [CChar]) {
    self.init(
      reason: String(
        decoding: reason.prefix { $0 != 0 }.map(UInt8.init(truncatingIfNeeded:)), as: UTF8.self))
  }

  /// - Parameter reason: of a decoder; may be empty.
  init(reason: String) {
    if reason.isEmpty {
      message =
        "the decoder gave no reason; the file is damaged, or of a kind that it does not support"
    } else if reason.contains("VipsOperation: class \""), reason.contains("not found") {
      message = "this libvips was built without what the format needs (\(reason))"
    } else {
      message = reason
    }
  }

  /// Takes the message from libvips' error buffer. The whole process has one buffer; it belongs to
  /// the failed call because a worker does one job at a time.
  static func current() -> VipsError {
    defer { vips_error_clear() }
    let text = String(cString: vips_error_buffer())
    let lines = text.split(separator: "\n").map(String.init)
    // Decoders repeat a message for every row that is affected.
    var seen: Set<String> = []
    let message = lines.filter { seen.insert($0).inserted }.joined(separator: "; ")
    return VipsError(reason: message)
  }

  /// With what our own reading of the file finds, where libvips says less: of a PNG it has "read error" for all.
  func explained(by source: SourceData, _ format: ImageFormat) -> VipsError {
    guard !isOutOfMemory, format == .png, let damage = PNGContainer.damage(in: source.bytes) else {
      return self
    }
    return VipsError(message: damage)
  }

  static var memory: VipsError { VipsError(message: "out of memory") }

  /// Whether an allocation failed. Under the worker's address-space limit that means the limit.
  var isOutOfMemory: Bool {
    // libvips reports failures as text only, without a code.
    // A thread without memory for its stack has an errno of its own, EAGAIN (pthread_create(3)).
    ["out of memory", "Cannot allocate memory", "Error creating thread"]
      .contains(where: message.contains)
  }
}

/// The address space that the process may still use under its own limit (RLIMIT_AS).
enum AddressSpace {
  /// Whether a mapping of this many bytes would succeed now.
  ///
  /// It attempts the mapping and releases it: the libraries' own mappings are not counted anywhere
  /// that a program could read cheaply.
  static func has(_ bytes: Int) -> Bool {
    guard bytes > 0 else { return true }
    // Without access and reserve no memory is committed; only the limit is tested.
    let place = mmap(nil, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0)
    guard place != MAP_FAILED else { return false }
    munmap(place, bytes)
    return true
  }
}
