import Foundation

/// How a service reads a URL, as its pages describe it: patterns of its own, not Tessera's templates.
struct URLGrammar: Sendable {
  enum Mode: Sendable { case fit, clip, fill }

  struct Request {
    var mode: Mode
    /// A height of 0 is free.
    var box: (width: Int, height: Int)
    var format: String
    var cut: (x: Int, y: Int, width: Int, height: Int)?

    /// The size of the result for a part of the source.
    func size(of part: (width: Int, height: Int)) -> (width: Int, height: Int) {
      if mode == .clip { return box }
      let across = Double(box.width) / Double(part.width)
      let down = box.height == 0 ? .infinity : Double(box.height) / Double(part.height)
      // No service enlarges for these modes.
      let scale = min(1, mode == .fit ? min(across, down) : max(across, down))
      func side(_ side: Int) -> Int { max(1, Int((Double(side) * scale).rounded())) }
      return (side(part.width), side(part.height))
    }
  }

  struct Unreadable: Error { var url: String }

  /// The words of modes; a URL in which none matches is of the last one.
  var modes: [(String, Mode)]
  /// Width, then height.
  var box: String
  /// The word of the format.
  var format: String
  /// Four numbers, and what they are.
  var cut: (pattern: String, order: String)?
  /// If the URL names no format.
  var only: String?

  func parse(_ url: String) throws -> Request {
    guard let box = Self.groups(box, url)?.compactMap({ Int($0) }), !box.isEmpty,
      let word = only ?? Self.groups(format, url)?.first,
      let mode = modes.first(where: { Self.groups($0.0, url) != nil })?.1
    else { throw Unreadable(url: url) }
    var request = Request(
      mode: mode, box: (box[0], box.count > 1 ? box[1] : 0),
      format: ["jpg": "jpeg"][word] ?? word)
    if let cut, let numbers = Self.groups(cut.pattern, url)?.compactMap({ Int($0) }) {
      let named = Dictionary(uniqueKeysWithValues: zip(cut.order, numbers))
      let (x, y) = (named["x"] ?? 0, named["y"] ?? 0)
      request.cut = (
        x, y, named["w"] ?? (named["r"] ?? 0) - x, named["h"] ?? (named["b"] ?? 0) - y
      )
    }
    return request
  }

  /// What the groups of a pattern match; nil if it does not.
  private static func groups(_ pattern: String, _ text: String) -> [String]? {
    guard let expression = try? NSRegularExpression(pattern: pattern),
      let match = expression.firstMatch(
        in: text, range: NSRange(text.startIndex..., in: text))
    else { return nil }
    return (1..<max(1, match.numberOfRanges)).compactMap { index in
      Range(match.range(at: index), in: text).map { String(text[$0]) }
    }
  }

  static let of: [String: URLGrammar] = [
    "aliyun": URLGrammar(
      modes: [("m_lfit,", .fit), ("m_fill,", .clip), ("m_mfit,", .fill)],
      box: #"/resize,m_\w+,w_(\d+),h_(\d+),limit_1"#, format: #"/format,(\w+)"#,
      cut: (#"/crop,x_(\d+),y_(\d+),w_(\d+),h_(\d+)"#, "xywh")),
    "bunny": URLGrammar(
      modes: [(#"[?&]aspect_ratio=\d+:\d+&"#, .clip), (".", .fit)],
      box: #"[?&]width=(\d+)&height=(\d+)"#, format: #"&format=(\w+)"#,
      cut: (#"[?&]crop=(\d+),(\d+),(\d+),(\d+)"#, "whxy")),
    "cloudflare": URLGrammar(
      modes: [("fit=scale-down,", .fit), ("fit=crop,", .clip)],
      box: #"/cdn-cgi/image/width=(\d+),height=(\d+),"#, format: #",format=(\w+)"#),
    "cloudinary": URLGrammar(
      modes: [("/c_limit,", .fit), ("/c_lfill,", .clip)],
      box: #"/c_l\w+,w_(\d+),h_(\d+)"#, format: #",f_(\w+)"#,
      cut: (#"/c_crop,x_(\d+),y_(\d+),w_(\d+),h_(\d+)"#, "xywh")),
    "fastly": URLGrammar(
      modes: [("fit=bounds&", .fit), ("fit=crop&", .clip), ("fit=cover&", .fill)],
      box: #"[?&]width=(\d+)&height=(\d+)"#, format: #"&format=(\w+)"#,
      cut: (#"precrop=(\d+),(\d+),x(\d+),y(\d+)"#, "whxy")),
    "imgix": URLGrammar(
      modes: [("fit=max&", .fit), ("fit=crop&", .clip)],
      box: #"[?&]w=(\d+)&h=(\d+)"#, format: #"&fm=(\w+)"#),
    "imgproxy": URLGrammar(
      modes: [("/rs:fit:", .fit), ("/rs:fill:", .clip)],
      box: #"/rs:\w+:(\d+):(\d+):0/"#, format: #"@(\w+)$"#),
    "next": URLGrammar(
      modes: [(".", .fit)], box: #"&w=(\d+)&q=75$"#, format: "", only: "webp"),
    "nos": URLGrammar(
      modes: [(#"=\d+x\d+&"#, .fit), (#"=\d+y\d+&"#, .clip), (#"=\d+z\d+&"#, .fill)],
      box: #"\?imageView&thumbnail=(\d+)[xyz](\d+)&"#, format: #"&type=(\w+)"#),
    "qiniu": URLGrammar(
      modes: [("imageView2/2/", .fit), ("imageView2/1/", .clip), ("imageView2/3/", .fill)],
      box: #"/w/(\d+)/h/(\d+)/"#, format: #"/format/(\w+)"#,
      cut: (#"/crop/!(\d+)x(\d+)a(\d+)a(\d+)"#, "whxy")),
    "tencent": URLGrammar(
      modes: [
        (#"/thumbnail/!\d+x\d+r/gravity/"#, .clip), (#"/thumbnail/!\d+x\d+r/"#, .fill),
        (#"/thumbnail/\d+x\d+/"#, .fit),
      ],
      box: #"/thumbnail/!?(\d+)x(\d+)"#, format: #"/format/(\w+)"#,
      cut: (#"/cut/(\d+)x(\d+)x(\d+)x(\d+)"#, "whxy")),
    "thumbor": URLGrammar(
      modes: [("/full-fit-in/", .fill), ("/fit-in/", .fit), (".", .clip)],
      box: #"/(\d+)x(\d+)/filters:"#, format: #"format\((\w+)\)"#,
      cut: (#"/(\d+)x(\d+):(\d+)x(\d+)/"#, "xyrb")),
  ]
}
