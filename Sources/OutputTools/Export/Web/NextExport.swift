internal import TesseraBytes
internal import TesseraCatalog
internal import TesseraJSON
internal import TesseraSystem

/// What Next.js needs: `images.js`, which the server calls for the properties of an image by its id, with the images in 256 modules,
/// of which it loads those of a page; and `loader.js`, which finds the file for a width (`images.loaderFile` in
/// `next.config.js`). It finds it in the properties, so that browsers get nothing of images that a page does not have.
final class NextExport: Exporting {
  /// An `img` of Next.js has one URL for all browsers.
  private static let types = SupportedTypes.everywhere.union(["image/webp"])
  private let context: ExportContext
  private var parts: [String: Part] = [:]

  /// A part of the images: an object by ids.
  private final class Part {
    private let file: File
    private var isFirst = true

    init(_ path: String) throws(SystemError) { file = try File(path, .create) }

    func add(_ entry: [UInt8]) throws(SystemError) {
      // A name in brackets is a plain member, even `__proto__`.
      try file.write(Array("\(isFirst ? Self.beginning : ",")\n[".utf8) + entry)
      isFirst = false
    }

    func end() throws(SystemError) {
      try file.write(Array("\(isFirst ? Self.beginning : "\n")};\n".utf8))
    }

    private static let beginning = "export default {"
  }

  init(_ context: ExportContext) throws(SystemError) {
    self.context = context
    try FileSystem.makeDirectory(FileSystem.join(context.target, "images"))
    try File(FileSystem.join(context.target, "loader.js"), .create).write(Array(Self.loader.utf8))
    try File(FileSystem.join(context.target, "images.js"), .create).write(Array(Self.lookup.utf8))
  }

  private static let loader = """
    // Made by `tessera export --as next`. In next.config.js:
    //
    //     images: { loader: "custom", loaderFile: "./tessera/loader.js" }

    /** The URL of the smallest file with at least so many pixels across, or of the largest file. */
    export default function loader({ src, width }) {
      // Of an image of a catalog; any other one has a URL of its own.
      if (!src.startsWith("[[")) return src;
      const files = JSON.parse(src);
      return (files.find(([pixels]) => pixels >= width) ?? files[files.length - 1])[1];
    }

    """

  private static let lookup = """
    // Made by `tessera export --as next`. For code that runs on the server:
    //
    //     import Image from "next/image";
    //     import { properties, sources } from "./tessera/images.js";
    //
    //     <picture>
    //       {(await sources("p1")).map((source) => <source key={source.type} {...source} sizes="50vw" />)}
    //       <Image {...await properties("p1")} sizes="50vw" />
    //     </picture>
    import { createHash } from "node:crypto";

    async function find(id) {
      const name = createHash("sha256").update(id).digest("hex").slice(0, 2);
      // Bundlers know this form, and load a part when it is needed.
      const { default: part } = await import(`./images/${name}.js`);
      if (!Object.hasOwn(part, id)) throw new Error(`the catalog has no image "${id}"`);
      return part[id];
    }

    /** The properties of `next/image` for an image of the catalog. */
    export async function properties(id) {
      const { width, height, alt, blurDataURL, files } = await find(id);
      return { src: JSON.stringify(files), width, height, alt, ...(blurDataURL ? { placeholder: "blur", blurDataURL } : {}) };
    }

    /** The image in formats that not every browser shows, in the order of preference. */
    export async function sources(id) {
      return ((await find(id)).sources ?? []).map(({ type, files }) =>
        ({ type, srcSet: files.map(([width, url]) => `${url} ${width}w`).join(", ") }));
    }

    """

  func add(_ image: CatalogImage, extra: String?) throws -> Int {
    let variants = context.wholeFiles(of: image)
    guard let width = image.width, let height = image.height, !variants.isEmpty else { return 0 }
    var name = JSONWriter()
    name.value(image.id)
    var entry = JSONWriter()
    entry.object { object in
      object.member("width", width)
      object.member("height", height)
      object.member("alt", image.alt ?? "")
      // Next.js blurs it, and removes it once the file is there.
      if image.alpha != true, let url = image.placeholder.flatMap(PictureStyle.picture) {
        object.member("blurDataURL", url)
      }
      object.name("files")
      write(variants.map { ($0.width, $0.file(accepting: Self.types) ?? $0.files[0]) }, to: &object)
      let others = sources(of: variants)
      guard !others.isEmpty else { return }
      object.name("sources")
      object.array { list in
        for other in others {
          list.object { source in
            source.member("type", other.type)
            source.name("files")
            write(other.files, to: &source)
          }
        }
      }
    }
    let part = try part(String(SHA256.of(image.id).prefix(2)))
    try part.add(name.take() + Array("]:".utf8) + entry.take())
    return 0
  }

  private typealias SizedFile = (width: Int, file: CatalogVariant.File)

  /// Formats that not every browser shows, which all sizes have.
  private func sources(of variants: [CatalogVariant]) -> [(type: String, files: [SizedFile])] {
    let types = variants[0].files.map(\.type).filter { !Self.types.contains($0) }
    return types.compactMap { type in
      let files: [SizedFile] = variants.compactMap { variant in
        variant.files.first { $0.type == type }.map { (variant.width, $0) }
      }
      return files.count == variants.count ? (type, files) : nil
    }
  }

  /// Pairs of a width and a URL.
  private func write(_ files: [SizedFile], to writer: inout JSONWriter) {
    writer.array { list in
      for (width, file) in files {
        list.array { pair in
          pair.value(width)
          pair.value(context.url(file).sourceSetURL)
        }
      }
    }
  }

  private func part(_ name: String) throws(SystemError) -> Part {
    if let part = parts[name] { return part }
    let part = try Part(FileSystem.join(context.target, "images/\(name).js"))
    parts[name] = part
    return part
  }

  func finish() throws {
    // An id that no image has may be of any part.
    for byte in 0..<256 { try part(String(0x100 + byte, radix: 16).suffix(2).description).end() }
  }
}
