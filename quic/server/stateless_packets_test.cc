#include "quic/server/stateless_packets.h"

#include <array>
#include <cstddef>
#include <cstdint>

#include "absl/types/span.h"
#include "base/byte_order.h"
#include "base/testing/seeded_random.h"
#include "gtest/gtest.h"
#include "quic/codec/connection_id.h"
#include "quic/codec/quic_version.h"

namespace sluice {
namespace {

const PacketNames kReceived{kQuicVersion1, ConnectionId(std::array<uint8_t, 8>{1, 1}),
                            ConnectionId(std::array<uint8_t, 4>{2, 2})};

// Both names and the version, as all long headers begin (RFC 8999 section 5.1).
void ExpectNames(absl::Span<const uint8_t> packet, uint32_t version, const ConnectionId& to,
                 const ConnectionId& from) {
  ASSERT_GE(packet.size(), 7 + to.size() + from.size());
  EXPECT_EQ(packet[0] & 0x80, 0x80);
  EXPECT_EQ(LoadBe32(packet.data() + 1), version);
  EXPECT_EQ(packet[5], to.size());
  EXPECT_EQ(packet.subspan(6, to.size()), to.bytes());
  EXPECT_EQ(packet[6 + to.size()], from.size());
  EXPECT_EQ(packet.subspan(7 + to.size(), from.size()), from.bytes());
}

TEST(StatelessPacketsTest, VersionNegotiationNamesOursAndAReservedOne) {
  SeededRandom random(64);
  std::array<uint8_t, 1200> out;
  for (const bool version2 : {false, true}) {
    const size_t size =
        WriteVersionNegotiation(kReceived.source.bytes(), kReceived.destination.bytes(), version2,
                                random, absl::MakeSpan(out));
    ASSERT_EQ(size, 7u + 4 + 8 + (version2 ? 12 : 8));
    ExpectNames(absl::MakeConstSpan(out).first(size), 0, kReceived.source, kReceived.destination);
    EXPECT_TRUE(IsReservedVersion(QuicVersion(LoadBe32(out.data() + 19))));
    EXPECT_EQ(LoadBe32(out.data() + size - 4), kQuicVersion1.value());
    if (version2) {
      EXPECT_EQ(LoadBe32(out.data() + 23), kQuicVersion2.value());
    }
  }
}

TEST(StatelessPacketsTest, ARetryCarriesTheNewNameAndTheToken) {
  std::array<uint8_t, 1200> out;
  const ConnectionId own(std::array<uint8_t, 16>{3});
  const std::array<uint8_t, 5> token = {9, 8, 7, 6, 5};
  const size_t size = WriteRetry(kReceived, own, token, absl::MakeSpan(out));
  ASSERT_EQ(size, 7u + 4 + 16 + token.size() + 16);
  ExpectNames(absl::MakeConstSpan(out).first(size), kQuicVersion1.value(), kReceived.source, own);
  EXPECT_EQ(out[0] & 0xf0, 0xf0);
  EXPECT_EQ(absl::MakeConstSpan(out).subspan(27, 5), absl::MakeConstSpan(token));
}

TEST(StatelessPacketsTest, ARetryWithoutATokenIsNone) {
  std::array<uint8_t, 1200> out;
  EXPECT_EQ(WriteRetry(kReceived, ConnectionId(), {}, absl::MakeSpan(out)), 0u);
}

TEST(StatelessPacketsTest, ARefusalIsASmallInitialPacket) {
  std::array<uint8_t, 1200> out;
  const size_t size = WriteRefusal(kReceived, kConnectionRefusedCode, absl::MakeSpan(out));
  ASSERT_GT(size, 20u);
  EXPECT_LT(size, 100u);
  EXPECT_EQ(out[0] & 0xf0, 0xc0);
  ExpectNames(absl::MakeConstSpan(out).first(size), kQuicVersion1.value(), kReceived.source,
              kReceived.destination);
}

TEST(StatelessPacketsTest, TooLittleRoomIsNoPacket) {
  SeededRandom random(64);
  std::array<uint8_t, 10> out;
  const std::array<uint8_t, 1> kToken = {1};
  EXPECT_EQ(WriteVersionNegotiation({}, {}, false, random, absl::MakeSpan(out)), 0u);
  EXPECT_EQ(WriteRetry(kReceived, ConnectionId(), kToken, absl::MakeSpan(out)), 0u);
  EXPECT_EQ(WriteRefusal(kReceived, 2, absl::MakeSpan(out)), 0u);
}

}  // namespace
}  // namespace sluice
