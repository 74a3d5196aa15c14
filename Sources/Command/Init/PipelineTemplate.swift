internal import TesseraJSON
internal import TesseraManifest
internal import TesseraText

/// The text of a new pipeline file: what has to be decided, with the reasons, and what is usually changed
/// next, in comments.
struct PipelineTemplate {
  let manifest: String
  /// Where the list has what; nil if it has Tessera's own names.
  let columns: ColumnMapping?
  let output: String
  /// What runs may read besides the public internet.
  let permissions: [String]
  /// What the list needs besides; left to the person.
  let needs: [String]

  var text: String {
    """
    # A Tessera pipeline: which images, which sizes, and how. "tessera check" finds mistakes, "tessera plan"
    # says what a run would make, "tessera run" makes it, "tessera gallery \(output)" shows it.
    # All keys: tessera schema --keys.

    # The list of images: one URL on a line, CSV with a header, or JSON Lines such as
    # {"id": "p1", "url": "https://example.com/p1.jpg", "alt": "A red bridge"}.
    manifest: \(quoted(manifest))
    \(columnLines)
    # Gets catalog.json, run.json and variants/.
    output: \(quoted(output))

    # The URL that will serve the output; clients put it before a file's path.
    # base-url: https://cdn.example.com/images/

    # The places that your layout has for images, in points.
    slots:
      thumb: {size: 96x96, mode: clip}      # cropped to a square
      card:  {size: 320x, aspect: [1:2, 2:1]}  # 320 points wide, 160 to 640 high
      hero:  {size: 1024x576, mode: fill}   # covers the place

    # Device pixels per point: the screens to make files for.
    scales: [1, 2, 3]

    # variants:
    #   format: webp            # or a list: [avif, webp, jpeg]
    #   quality: 80

    \(fetch)

    """
  }

  /// With a line end before and after, or empty.
  private var columnLines: String {
    guard let columns else { return "" }
    let prefix =
      !columns.hasExamplePrefix
      ? "" : "\n# The list has paths: put the address of your images into \"prefix\"."
    return """

      # The columns of the list that have the URLs, the ids and the descriptions.\(prefix)
      columns: \(columns.yaml)

      """
  }

  private var fetch: String {
    let allow =
      needs.isEmpty
      ? "[loopback]       # or private, or files:/a/folder; else runs read the public internet only"
      : "\(list(needs))  # the manifest has images there; permit them if it is your own"
    let usual = """
      # fetch:
      #   allow: \(allow)
      #   per-host: 6             # requests at a time to one host
      #   headers: {Authorization: "Bearer ${TOKEN}"}
      #   user-agent: \(contact)
      """
    if permissions.isEmpty { return usual }
    return """
      fetch:
        # Runs read the public internet only, and what is named here.
        allow: \(list(permissions))
        # per-host: 6             # requests at a time to one host
        # user-agent: \(contact)
      """
  }

  private var contact: String {
    "\"\(UserAgent.standard) (+https://your.site/bot)\"  # how owners of images reach you"
  }

  private func list(_ words: [String]) -> String { JSONValue.array(words.map { .string($0) }).yaml }

  private func quoted(_ text: String) -> String { JSONValue.string(text).yaml }
}
