internal import TesseraCatalog
internal import TesseraJSON
internal import TesseraSystem

/// What Next.js needs: `images.js` with the size, the text, the placeholder and the files of each image by its id, and
/// `loader.js`, which finds the file for a width (`images.loaderFile` in `next.config.js`).
final class NextExport: Exporting {
  /// An `img` of Next.js has one URL for all browsers.
  private static let types = SupportedTypes.everywhere.union(["image/webp"])
  private let context: ExportContext
  private let file: File
  private var isFirst = true

  init(_ context: ExportContext) throws(SystemError) {
    self.context = context
    try FileSystem.makeDirectory(context.target)
    try File(FileSystem.join(context.target, "loader.js"), .create).write(Array(Self.loader.utf8))
    file = try File(FileSystem.join(context.target, "images.js"), .create)
    try file.write(
      Array("// Made by `tessera export --as next`. Do not edit.\nexport default {".utf8))
  }

  private static let loader = """
    // Made by `tessera export --as next`. In next.config.js:
    //
    //     images: { loader: "custom", loaderFile: "./tessera/loader.js" }
    //
    // In a page:
    //
    //     import Image from "next/image";
    //     import { properties } from "./tessera/loader.js";
    //     <Image {...properties("p1")} sizes="50vw" />
    import images from "./images.js";

    const own = (id) => (Object.hasOwn(images, id) ? images[id] : undefined);

    /** The URL of the smallest file with at least so many pixels across, or of the largest file. */
    export default function loader({ src, width }) {
      const image = own(src);
      if (!image) return src;
      return (image.files.find(([pixels]) => pixels >= width) ?? image.files[image.files.length - 1])[1];
    }

    /** The properties of `next/image` for an image of the catalog. */
    export function properties(id) {
      const image = own(id);
      if (!image) throw new Error(`the catalog has no image "${id}"`);
      const { width, height, alt, blurDataURL } = image;
      return { src: id, width, height, alt, ...(blurDataURL ? { placeholder: "blur", blurDataURL } : {}) };
    }

    """

  func add(_ image: CatalogImage) throws -> Int {
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
      if image.alpha != true, let picture = image.placeholder.flatMap(PictureStyle.picture) {
        object.member("blurDataURL", picture)
      }
      object.name("files")
      object.array { list in
        for variant in variants {
          list.array { pair in
            pair.value(variant.width)
            pair.value(context.url(variant.file(accepting: Self.types) ?? variant.files[0]))
          }
        }
      }
    }
    let separator = isFirst ? "\n" : ",\n"
    isFirst = false
    // A name in brackets is a plain member, even `__proto__`.
    try file.write(
      Array("\(separator)[".utf8) + name.take() + Array("]:".utf8) + entry.take())
    return 0
  }

  func finish() throws { try file.write(Array("\n};\n".utf8)) }
}
