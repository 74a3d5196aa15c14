/// Image services that are known by name, as a pipeline file would describe them. Each names the page that its
/// grammar and limits come from; Pipelines/DELIVERY.md shows the URLs.
enum DeliveryPresets {
  static let names = texts.map(\.name)

  static func text(of name: String) -> String? { texts.first { $0.name == name }?.text }

  private static let texts: [(name: String, text: String)] = [
    ("aliyun", aliyun), ("bunny", bunny), ("cloudflare", cloudflare), ("cloudinary", cloudinary),
    ("fastly", fastly), ("imgix", imgix), ("imgproxy", imgproxy), ("next", next), ("nos", nos),
    ("qiniu", qiniu), ("tencent", tencent), ("thumbor", thumbor),
  ]

  /// Alibaba Cloud OSS, "Image processing": help.aliyun.com/document_detail/44688.html.
  private static let aliyun = """
    template: "/{path}?x-oss-process=image/auto-orient,1{signed}[/quality,q_{quality}]/format,{format}[&{query}]"
    signed: "[/crop,x_{left},y_{top},w_{crop-width},h_{crop-height}]/resize,m_{mode},w_{width},h_{height},limit_1"
    modes: {fit: lfit, clip: fill, fill: mfit}
    formats: {webp: webp, jpeg: jpg, png: png, avif: avif}
    longest-side: 16384
    pixels: {avif: 9437184}
    source-pixels: 250MP
    """

  /// Bunny Optimizer, "Dynamic images": docs.bunny.net/docs/stream-image-processing.
  private static let bunny = """
    template: "/{path}?[{query}&]{signed}width={width}&height={height}[&quality={quality}]&format={format}"
    signed:
      fit: ""
      clip: "[crop={crop-width},{crop-height},{left},{top}&]aspect_ratio={width}:{height}&"
    modes: {fit: "", clip: ""}
    formats: {webp: webp, jpeg: jpeg, png: png, avif: avif}
    pixels: {avif: 4MP}
    """

  /// Cloudflare Images, "Transform via URL": developers.cloudflare.com/images/transform-images/transform-via-url.
  private static let cloudflare = """
    template: "/cdn-cgi/image/width={width},height={height},fit={mode}[,gravity={x}x{y}][,quality={quality}],format={format}[,metadata={metadata}],anim={animation}/{url:path}"
    modes: {fit: scale-down, clip: crop}
    formats: {webp: webp, jpeg: jpeg, avif: avif}
    metadata: {strip: none, keep: keep}
    animation: {keep: "true", first-frame: "false"}
    animations: true
    focus: {kind: position}
    longest-side: {webp: 12000, jpeg: 12000, avif: 1200}
    source-pixels: 100MP
    """

  /// Cloudinary, "Delivering remote media files" and "Transformation URL API reference":
  /// cloudinary.com/documentation/transformation_reference. Not `mfit`, which leaves larger images as they are.
  private static let cloudinary = """
    template: "/image/fetch/[s--{signature}--/]{signed}"
    signed: "[c_crop,x_{left},y_{top},w_{crop-width},h_{crop-height}/]c_{mode},w_{width},h_{height}[,q_{quality}],f_{format}[,fl_{metadata}]/{url:path}"
    modes: {fit: limit, clip: lfill}
    formats: {webp: webp, jpeg: jpg, png: png, avif: avif, jxl: jxl}
    metadata: {strip: force_strip}
    signature: {algorithm: sha1, of: "{signed}{key}", encoding: base64url, length: 8}
    """

  /// Fastly Image Optimizer: developer.fastly.com/reference/io.
  private static let fastly = """
    template: "/{path}?[{query}&][precrop={crop-width},{crop-height},x{left},y{top}&]width={width}&height={height}&fit={mode}&format={format}[&quality={quality}]"
    modes: {fit: bounds, clip: crop, fill: cover}
    formats: {webp: webp, jpeg: jpg, png: png, avif: avif, jxl: jxl}
    longest-side: 8192
    source-pixels: 144MP
    """

  /// imgix, "Rendering API" and "Securing assets": docs.imgix.com/apis/rendering.
  private static let imgix = """
    template: "{signed}[&s={signature}]"
    signed: "/{path}?[{query}&]w={width}&h={height}&fit={mode}[&crop=focalpoint&fp-x={x}&fp-y={y}]&fm={format}[&q={quality}]"
    modes: {fit: max, clip: crop}
    formats: {webp: webp, jpeg: jpg, png: png, avif: avif, jxl: jxl}
    longest-side: 8192
    signature: {algorithm: md5, of: "{key}{signed}", encoding: hex}
    """

  /// imgproxy, "Processing an image" and "Signing a URL": docs.imgproxy.net/usage/processing. Animations survive
  /// where IMGPROXY_MAX_ANIMATION_FRAMES allows them; it is 1 by default.
  private static let imgproxy = """
    template: "/{signature}/{signed}"
    signed: "rs:{mode}:{width}:{height}:0[/g:fp:{x}:{y}][/q:{quality}]/sm:{metadata}/plain/{url}@{format}"
    modes: {fit: fit, clip: fill}
    formats: {webp: webp, jpeg: jpg, png: png, avif: avif, jxl: jxl}
    metadata: {strip: "1", keep: "0"}
    source-pixels: 50MP
    signature: {algorithm: hmac-sha256, of: "{salt}/{signed}", key-encoding: hex, encoding: base64url, unsigned: unsafe}
    """

  /// Next.js, `next/image`: nextjs.org/docs/app/api-reference/components/image. WebP for clients that accept it.
  private static let next = """
    template: "/_next/image?url={url}&w={width}&q={quality}"
    modes: {fit: ""}
    formats: {webp: webp}
    widths: [32, 48, 64, 96, 128, 256, 384, 640, 750, 828, 1080, 1200, 1920, 2048, 3840]
    qualities: [75]
    """

  /// NetEase Cloud NOS, "imageView".
  private static let nos = """
    template: "/{path}?imageView&thumbnail={width}{mode}{height}[&axis={x}_{y}]&type={format}[&quality={quality}]&stripmeta={metadata}&tostatic={animation}[&{query}]"
    modes: {fit: x, clip: y, fill: z}
    formats: {webp: webp, jpeg: jpg, png: png}
    metadata: {strip: "1", keep: "0"}
    animation: {keep: "0", first-frame: "1"}
    animations: true
    focus: {kind: position, scale: 10}
    longest-side: 4096
    """

  /// Qiniu Dora, "imageView2": developer.qiniu.com/dora/1279.
  private static let qiniu = """
    template: "/{path}?[imageMogr2/auto-orient/crop/!{crop-width}x{crop-height}a{left}a{top}%7C]imageView2/{mode}/w/{width}/h/{height}/format/{format}[/q/{quality}][&{query}]"
    modes: {fit: "2", clip: "1", fill: "3"}
    formats: {webp: webp, jpeg: jpg, png: png}
    longest-side: 9999
    source-pixels: 150MP
    """

  /// Tencent Cloud Infinite, "imageMogr2": cloud.tencent.com/document/product/460/36540.
  private static let tencent = """
    template: "/{path}?[imageMogr2/auto-orient/cut/{crop-width}x{crop-height}x{left}x{top}%7C]imageMogr2/auto-orient/thumbnail/{signed}/format/{format}[/quality/{quality}][/{metadata}][&{query}]"
    signed:
      fit: "{width}x{height}"
      clip: "!{width}x{height}r/gravity/center/crop/{width}x{height}"
      fill: "!{width}x{height}r"
    modes: {fit: "", clip: "", fill: ""}
    formats: {webp: webp, jpeg: jpg, png: png, avif: avif}
    metadata: {strip: strip}
    longest-side: {webp: 16383, jpeg: 9999, png: 9999, avif: 9999}
    source-pixels: 250MP
    """

  /// Thumbor, "Usage" and "Security": thumbor.readthedocs.io. Needs RESPECT_ORIENTATION = True.
  private static let thumbor = """
    template: "/{signature}/{signed}"
    signed: "[{left}x{top}:{right}x{bottom}/][{mode}/]{width}x{height}/filters:[quality({quality}):]format({format})[:{metadata}]/{url:path}"
    modes: {fit: fit-in, clip: "", fill: full-fit-in}
    formats: {webp: webp, jpeg: jpeg, png: png, avif: avif}
    metadata: {strip: strip_exif()}
    source-pixels: 75MP
    signature: {algorithm: hmac-sha1, of: "{signed}", encoding: base64url, padding: true, unsigned: unsafe}
    """
}
