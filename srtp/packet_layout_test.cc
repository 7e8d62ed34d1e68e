#include "srtp/packet_layout.h"

#include <cstddef>
#include <iterator>
#include <set>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "gtest/gtest.h"
#include "srtp/cipher_suite.h"
#include "srtp/packet_kind.h"

namespace sluice {
namespace {

// RFC 4568 section 6.1.
constexpr size_t kMaxMkiSize = 128;

// A protected packet as a picture, one letter per byte: p of the payload, t of the tag, w of the
// ESRTCP word; M is the whole MKI.
struct Picture {
  SuiteId suite;
  const char* rtp;
  const char* rtcp;
};
constexpr Picture kPictures[] = {
    {SuiteId::kAesCm128HmacSha1_80, "ppMtttttttttt", "ppwwwwMtttttttttt"},
    {SuiteId::kAesCm128HmacSha1_32, "ppMtttt", "ppwwwwMtttttttttt"},
    {SuiteId::kAes192CmHmacSha1_80, "ppMtttttttttt", "ppwwwwMtttttttttt"},
    {SuiteId::kAes192CmHmacSha1_32, "ppMtttt", "ppwwwwMtttttttttt"},
    {SuiteId::kAes256CmHmacSha1_80, "ppMtttttttttt", "ppwwwwMtttttttttt"},
    {SuiteId::kAes256CmHmacSha1_32, "ppMtttt", "ppwwwwMtttttttttt"},
    {SuiteId::kNullHmacSha1_80, "ppMtttttttttt", "ppwwwwMtttttttttt"},
    {SuiteId::kNullHmacSha1_32, "ppMtttt", "ppwwwwMtttttttttt"},
    {SuiteId::kAeadAes128Gcm, "ppttttttttttttttttM", "ppttttttttttttttttwwwwM"},
    {SuiteId::kAeadAes256Gcm, "ppttttttttttttttttM", "ppttttttttttttttttwwwwM"},
};

// The layout as such a picture. A part that lies outside or on another one leaves a hole.
std::string Paint(const PacketLayout& layout) {
  std::string packet = "pp" + std::string(layout.overhead, '.');
  const auto paint = [&](size_t from_end, size_t size, char letter) {
    ASSERT_LE(from_end, packet.size());
    ASSERT_LE(size, from_end);
    packet.replace(packet.size() - from_end, size, std::string(size, letter));
  };
  paint(layout.tag_from_end, layout.tag_size, 't');
  paint(layout.mki_from_end, layout.mki_size, 'm');
  paint(layout.word_from_end, layout.word_size, 'w');
  return packet;
}

TEST(PacketLayoutTest, PartsStandWhereTheRfcsPutThem) {
  std::set<SuiteId> seen;
  for (const Picture& picture : kPictures) {
    const CipherSuite& suite = GetCipherSuite(picture.suite);
    for (const size_t mki_size : {size_t{0}, size_t{1}, size_t{4}, kMaxMkiSize}) {
      SCOPED_TRACE(absl::StrCat(suite.name, ", MKI of ", mki_size));
      const std::string mki(mki_size, 'm');
      EXPECT_EQ(Paint(LayoutOf(suite, PacketKind::kRtp, mki_size)),
                absl::StrReplaceAll(picture.rtp, {{"M", mki}}));
      EXPECT_EQ(Paint(LayoutOf(suite, PacketKind::kRtcp, mki_size)),
                absl::StrReplaceAll(picture.rtcp, {{"M", mki}}));
    }
    seen.insert(picture.suite);
  }
  EXPECT_EQ(seen.size(), std::size(kCipherSuites));
}

TEST(PacketLayoutTest, TheLargestIsKnownToTheCompiler) {
  constexpr PacketLayout kLargest =
      LayoutOf(GetCipherSuite(SuiteId::kAeadAes256Gcm), PacketKind::kRtcp, kMaxMkiSize);
  static_assert(kLargest.overhead == 16 + 4 + 128);
  for (const CipherSuite& suite : kCipherSuites) {
    EXPECT_LE(LayoutOf(suite, PacketKind::kRtp, kMaxMkiSize).overhead, kLargest.overhead);
    EXPECT_LE(LayoutOf(suite, PacketKind::kRtcp, kMaxMkiSize).overhead, kLargest.overhead);
  }
}

}  // namespace
}  // namespace sluice
