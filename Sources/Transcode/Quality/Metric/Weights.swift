/// The weights of SSIMULACRA 2.1, and the way from features to a score.
///
/// Source: `tools/ssimulacra2.cc` of libjxl (BSD-3), April 2023. Its program takes the weights one
/// after the other while it walks over the scales that exist, so that an image with fewer than
/// six scales gets weights of other features. Here a weight belongs to its channel and scale, and an
/// image without a scale lacks that scale's terms.
enum Weights {
  static let scales = 6

  /// The weights of one channel at one scale.
  struct Features: Sendable {
    /// Of the SSIM map: the mean and the 4-norm.
    var structure: [Double]
    var ringing: [Double]
    var blurring: [Double]

    /// Whether the score depends on the SSIM map, which takes three of four parts of the work.
    var usesStructure: Bool { structure.contains { $0 != 0 } }
    var usesAny: Bool { usesStructure || (ringing + blurring).contains { $0 != 0 } }
  }

  /// By channel (X, Y, B) and scale, the finest first.
  static let features: [[Features]] = (0..<3).map { channel in
    (0..<scales).map { scale in
      let start = (channel * scales + scale) * 6
      func pair(_ map: Int) -> [Double] { [table[start + map], table[start + 3 + map]] }
      return Features(structure: pair(0), ringing: pair(1), blurring: pair(2))
    }
  }

  /// The score of a weighted sum of features: 100 for identical images, without a lower bound.
  static func score(_ sum: Double) -> Double {
    let s = sum * 0.9562382616834844
    let error = s * (2.326765642916932 + s * (-0.020884521182843837 + s * 6.248496625763138e-5))
    return error > 0 ? 100 - 10 * Elementary.power(error, 0.6276336467831387) : 100
  }

  /// By channel, scale and norm (mean, 4-norm): SSIM, ringing, blurring.
  private static let table: [Double] = [
    0, 0.0007376606707406586, 0,
    0, 0.0007793481682867309, 0,
    0, 0.0004371155730107379, 0,
    1.1041726426657346, 0.00066284834129271, 0.00015231632783718752,
    0, 0.0016406437456599754, 0,
    1.8422455520539298, 11.441172603757666, 0,
    0.0007989109436015163, 0.000176816438078653, 0,
    1.8787594979546387, 10.94906990605142, 0,
    0.0007289346991508072, 0.9677937080626833, 0,
    0.00014003424285435884, 0.9981766977854967, 0.00031949755934435053,
    0.0004550992113792063, 0, 0,
    0.0013648766163243398, 0, 0,
    0, 0, 0,
    7.466890328078848, 0, 17.445833984131262,
    0.0006235601634041466, 0, 0,
    6.683678146179332, 0.00037724407979611296, 1.027889937768264,
    225.20515300849274, 0, 0,
    19.213238186143016, 0.0011401524586618361, 0.001237755635509985,
    176.39317598450694, 0, 0,
    24.43300999870476, 0.28520802612117757, 0.0004485436923833408,
    0, 0, 0,
    34.77906344483772, 44.835625328877896, 0,
    0, 0, 0,
    0, 0, 0,
    0, 0.0008680556573291698, 0,
    0, 0, 0,
    0, 0.0005313191874358747, 0,
    0.00016533814161379112, 0, 0,
    0, 0, 0,
    0.0004179171803251336, 0.0017290828234722833, 0,
    0.0020827005846636437, 0, 0,
    8.826982764996862, 23.19243343998926, 0,
    95.1080498811086, 0.9863978034400682, 0.9834382792465353,
    0.0012286405048278493, 171.2667255897307, 0.9807858872435379,
    0, 0, 0,
    0.0005130064588990679, 0, 0.00010854057858411537,
  ]
}
