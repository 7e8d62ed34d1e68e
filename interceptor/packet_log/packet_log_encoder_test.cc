#include "interceptor/packet_log/packet_log_encoder.h"

#include <cstdint>
#include <memory>
#include <vector>

#include "absl/status/status.h"
#include "absl/types/span.h"
#include "base/byte_order.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "srtp/packet_kind.h"
#include "tests/alloc/counting_allocator.h"

namespace sluice {
namespace {

using ::testing::ElementsAre;
using Bytes = std::vector<uint8_t>;

constexpr auto kIn = PacketDirection::kIncoming;
constexpr auto kOut = PacketDirection::kOutgoing;
// From the front of an enhanced packet block to the packet.
constexpr size_t kPacketAt = 28;

LoggedAddress Address(uint8_t last, uint16_t port) {
  return {.ip = {10, 0, 0, last}, .port = port};
}

PacketLogEncoderOptions Options() {
  return {.rtp = {.local = Address(1, 5004), .remote = Address(2, 6004)},
          .rtcp = {.local = Address(1, 5005), .remote = Address(2, 6005)},
          .snap_length = 100,
          .unix_offset = TimeDelta::Seconds(1000)};
}

PacketLogRecord Record(PacketDirection direction, PacketKind kind,
                       absl::Span<const uint8_t> bytes) {
  return {.time = Timestamp::Seconds(1),
          .direction = direction,
          .kind = kind,
          .original_size = bytes.size(),
          .dropped_before = 0,
          .bytes = bytes};
}

Bytes Written(const PacketLogEncoder& encoder, const PacketLogRecord& record) {
  Bytes out(encoder.max_packet_size());
  out.resize(encoder.WritePacket(record, absl::MakeSpan(out)));
  return out;
}

// Source and destination port of a packet with an IPv4 header.
std::vector<int> Ports(const Bytes& block) {
  return {LoadBe16(&block[kPacketAt + 20]), LoadBe16(&block[kPacketAt + 22])};
}

TEST(PacketLogEncoderTest, RefusesPathsOfTwoFamiliesAndEndlessOffsets) {
  PacketLogEncoderOptions options = Options();
  options.rtcp.local.family = LoggedIpFamily::kIpv6;
  EXPECT_TRUE(absl::IsInvalidArgument(PacketLogEncoder::Create(options).status()));
  options = Options();
  options.rtp.remote.family = LoggedIpFamily::kIpv6;
  EXPECT_TRUE(absl::IsInvalidArgument(PacketLogEncoder::Create(options).status()));
  options = Options();
  options.unix_offset = TimeDelta::PlusInfinity();
  EXPECT_TRUE(absl::IsInvalidArgument(PacketLogEncoder::Create(options).status()));
}

TEST(PacketLogEncoderTest, BeginsWithASectionAndAnInterfacePerDirection) {
  const PacketLogEncoder encoder = *PacketLogEncoder::Create(Options());
  Bytes out(kPacketLogHeaderRoom);
  const size_t size = encoder.WriteHeader(absl::MakeSpan(out));
  ASSERT_GT(size, 0u);
  std::vector<uint32_t> types;
  for (size_t at = 0; at < size; at += LoadBe32(&out[at + 4])) {
    types.push_back(LoadBe32(&out[at]));
    if (types.back() == 1) {
      EXPECT_EQ(LoadBe32(&out[at + 12]), kMaxDatagramHeaderSize + 100);
    }
  }
  EXPECT_THAT(types, ElementsAre(0x0A0D0D0A, 1, 1));
  for (size_t room = 0; room < size; ++room) {
    EXPECT_EQ(encoder.WriteHeader(absl::MakeSpan(out).first(room)), 0u);
  }
}

TEST(PacketLogEncoderTest, PacketsGoBetweenTheEndsOfTheirPath) {
  const PacketLogEncoder encoder = *PacketLogEncoder::Create(Options());
  const Bytes packet(12, 7);
  const Bytes rtp_in = Written(encoder, Record(kIn, PacketKind::kRtp, packet));
  EXPECT_THAT(Ports(rtp_in), ElementsAre(6004, 5004));
  EXPECT_EQ(LoadBe32(&rtp_in[8]), 0u) << "interface";
  EXPECT_THAT(Ports(Written(encoder, Record(kIn, PacketKind::kRtcp, packet))),
              ElementsAre(6005, 5005));
  const Bytes rtp_out = Written(encoder, Record(kOut, PacketKind::kRtp, packet));
  EXPECT_THAT(Ports(rtp_out), ElementsAre(5004, 6004));
  EXPECT_EQ(LoadBe32(&rtp_out[8]), 1u) << "interface";
  EXPECT_THAT(Ports(Written(encoder, Record(kOut, PacketKind::kRtcp, packet))),
              ElementsAre(5005, 6005));
}

TEST(PacketLogEncoderTest, TimesAreOfTheWallClock) {
  PacketLogEncoderOptions options = Options();
  const Bytes packet(12, 7);
  const auto time = [&] {
    return LoadBe64(
        &Written(*PacketLogEncoder::Create(options), Record(kIn, PacketKind::kRtp, packet))[12]);
  };
  EXPECT_EQ(time(), 1'001'000'000u);
  options.unix_offset = -TimeDelta::Seconds(5000);
  EXPECT_EQ(time(), 0u) << "there is no time before";
}

TEST(PacketLogEncoderTest, SaysWhatWasCutAndWhatWasLost) {
  const PacketLogEncoder encoder = *PacketLogEncoder::Create(Options());
  const Bytes packet(100, 7);
  PacketLogRecord record = Record(kIn, PacketKind::kRtp, packet);
  record.original_size = 1200;
  record.dropped_before = 77;
  const Bytes block = Written(encoder, record);
  EXPECT_EQ(LoadBe32(&block[20]), 128u);
  EXPECT_EQ(LoadBe32(&block[24]), 1228u);
  EXPECT_EQ(LoadBe64(&block[block.size() - 16]), 77u);
}

TEST(PacketLogEncoderTest, HostileSizesHaveRoom) {
  for (const bool v6 : {false, true}) {
    PacketLogEncoderOptions options = Options();
    for (LoggedAddress* address : {&options.rtp.local, &options.rtp.remote}) {
      address->family = v6 ? LoggedIpFamily::kIpv6 : LoggedIpFamily::kIpv4;
    }
    const PacketLogEncoder encoder = *PacketLogEncoder::Create(options);
    for (size_t size = 0; size <= options.snap_length; ++size) {
      const Bytes packet(size, 0xFF);
      PacketLogRecord record = Record(kIn, PacketKind::kRtp, packet);
      record.dropped_before = UINT64_MAX;
      for (const size_t original : {size, size_t{65535}, size_t{UINT32_MAX}}) {
        record.original_size = original;
        EXPECT_GE(Written(encoder, record).size(),
                  size + DatagramHeaderSize(options.rtp.local.family));
      }
    }
  }
}

TEST(PacketLogEncoderTest, EndsWithTheCountsOfEachDirection) {
  const PacketLogEncoder encoder = *PacketLogEncoder::Create(Options());
  const std::unique_ptr<PacketLogRing> ring = *PacketLogRing::Create({.records = 1});
  const Bytes packet(12, 7);
  for (int i = 0; i < 3; ++i) ring->Push(Timestamp::Zero(), kOut, PacketKind::kRtp, packet);
  Bytes out(kPacketLogStatisticsSize);
  ASSERT_EQ(encoder.WriteStatistics(Timestamp::Zero(), *ring, 4, 5, absl::MakeSpan(out)),
            kPacketLogStatisticsSize);
  const auto counts = [&](size_t at) {
    return std::vector<uint64_t>{LoadBe32(&out[at + 8]), LoadBe64(&out[at + 24]),
                                 LoadBe64(&out[at + 36]), LoadBe64(&out[at + 48])};
  };
  // Interface; received, dropped, delivered.
  EXPECT_THAT(counts(0), ElementsAre(0, 0, 0, 4));
  EXPECT_THAT(counts(kPcapngStatisticsSize), ElementsAre(1, 3, 2, 5));
  EXPECT_EQ(encoder.WriteStatistics(Timestamp::Zero(), *ring, 4, 5,
                                    absl::MakeSpan(out).first(out.size() - 1)),
            0u);
}

TEST(PacketLogEncoderTest, AllocatesNothing) {
  const PacketLogEncoder encoder = *PacketLogEncoder::Create(Options());
  const Bytes packet(100, 7);
  Bytes out(encoder.max_packet_size());
  const uint64_t before = ThreadAllocations();
  for (int i = 0; i < 100; ++i) {
    encoder.WritePacket(Record(kIn, PacketKind::kRtp, packet), absl::MakeSpan(out));
  }
  EXPECT_EQ(ThreadAllocations() - before, 0u);
}

}  // namespace
}  // namespace sluice
