#include "quic/codec/transport_parameters_encoder.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/types/span.h"
#include "base/data_size.h"
#include "base/testing/hex.h"
#include "base/testing/seeded_random.h"
#include "base/time_delta.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "quic/codec/connection_id.h"
#include "quic/codec/quic_version.h"
#include "quic/codec/testing/parameter_bytes.h"
#include "quic/codec/testing/random_parameters.h"
#include "quic/codec/transport_parameter_table.h"
#include "quic/codec/transport_parameters.h"

namespace sluice {
namespace {

using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

std::vector<uint8_t> Encoded(const TransportParameters& parameters) {
  // Nothing of what was there before may show.
  TransportParametersBuffer buffer;
  buffer.fill(0xEE);
  const absl::Span<const uint8_t> written = EncodeTransportParameters(parameters, buffer);
  EXPECT_EQ(written.data(), buffer.data());
  return {written.begin(), written.end()};
}

std::vector<uint8_t> Remembered(const EndpointParameters& parameters) {
  TransportParametersBuffer buffer;
  buffer.fill(0xEE);
  const absl::Span<const uint8_t> written = EncodeRememberedParameters(parameters, buffer);
  return {written.begin(), written.end()};
}

TEST(TransportParametersEncoderTest, WhatAbsenceWouldSayIsNotSent) {
  EXPECT_THAT(Encoded({}), IsEmpty());
  TransportParameters parameters;
  parameters.ack_delay_exponent = 3;
  parameters.max_ack_delay = TimeDelta::Millis(25);
  parameters.active_connection_id_limit = 2;
  parameters.max_udp_payload_size = DataSize::Bytes(65527);
  EXPECT_THAT(Encoded(parameters), IsEmpty());
}

TEST(TransportParametersEncoderTest, AZeroThatIsNotTheDefaultIsSent) {
  TransportParameters parameters;
  parameters.ack_delay_exponent = 0;
  parameters.max_ack_delay = TimeDelta::Zero();
  EXPECT_EQ(Encoded(parameters), HexBytes("0a0100 0b0100"));
}

TEST(TransportParametersEncoderTest, AnEmptyConnectionIdIsSentAllTheSame) {
  TransportParameters parameters;
  parameters.initial_source_connection_id = ConnectionId();
  EXPECT_EQ(Encoded(parameters), HexBytes("0f00"));
}

TEST(TransportParametersEncoderTest, WritesEachFormAsTheRfcsDrawIt) {
  TransportParameters parameters;
  parameters.original_destination_connection_id = *ConnectionId::From(HexBytes("8394c8f03e515708"));
  parameters.max_idle_timeout = TimeDelta::Seconds(30);
  parameters.stateless_reset_token.emplace().fill(0x5A);
  parameters.max_udp_payload_size = DataSize::Bytes(1472);
  parameters.initial_max_data = DataSize::Bytes(int64_t{1} << 32);
  parameters.initial_max_stream_data_uni = DataSize::Bytes(63);
  parameters.disable_active_migration = true;
  PreferredAddress& address = parameters.preferred_address.emplace();
  address.ipv4_address = {192, 0, 2, 1};
  address.ipv4_port = 0x1151;
  address.ipv6_address = {0x20, 1, 0x0d, 0xb8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1};
  address.ipv6_port = 0x01bb;
  address.connection_id = *ConnectionId::From(HexBytes("c0ffee"));
  address.stateless_reset_token.fill(0xA7);
  parameters.initial_source_connection_id = *ConnectionId::From(HexBytes("f067a5502a4262b5"));
  parameters.version_information.emplace(kQuicVersion1);
  EXPECT_TRUE(parameters.version_information->AddAvailable(kQuicVersion2));
  EXPECT_TRUE(parameters.version_information->AddAvailable(kQuicVersion1));
  parameters.max_datagram_frame_size = DataSize::Bytes(65535);
  parameters.grease_quic_bit = true;
  parameters.grease.emplace();
  parameters.grease->id = 58;
  parameters.grease->value_size = 2;
  parameters.grease->value = {0xBE, 0xEF};
  EXPECT_EQ(ToHex(Encoded(parameters)),
            ToHex(HexBytes("0008 8394c8f03e515708"
                           "0104 80007530"
                           "0210 5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a"
                           "0302 45c0"
                           "0408 c000000100000000"
                           "0701 3f"
                           "0c00"
                           "0d2c c0000201 1151 20010db8000000000000000000000001 01bb 03c0ffee"
                           "     a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7"
                           "0f08 f067a5502a4262b5"
                           "110c 00000001 6b3343cf 00000001"
                           "2004 8000ffff"
                           "6ab2 00"
                           "3a02 beef")));
}

TEST(TransportParametersEncoderTest, TheLongestIsAsLongAsTheBoundSays) {
  SeededRandom random(1);
  EXPECT_EQ(Encoded(LongestParameters(random)).size(), kTransportParametersSizeMax);
}

TEST(TransportParametersEncoderTest, WritesNothingBehindItsBuffer) {
  struct Guarded {
    TransportParametersBuffer buffer;
    std::array<uint8_t, 64> guard;
  };
  SeededRandom random(2);
  Guarded guarded;
  guarded.guard.fill(0xEE);
  static_cast<void>(EncodeTransportParameters(LongestParameters(random), guarded.buffer));
  EXPECT_THAT(guarded.guard, Each(0xEE));
}

TEST(TransportParametersEncoderTest, InfiniteTimeIsTheLongestOnTheWire) {
  TransportParameters parameters;
  parameters.max_idle_timeout = TimeDelta::PlusInfinity();
  EXPECT_EQ(Encoded(parameters), HexBytes("0108 ffffffffffffffff"));
}

TEST(TransportParametersEncoderTest, EveryRowIsWrittenOnceWithItsValue) {
  const uint64_t seed = SeededRandom::SeedFromEnvOr(18);
  SCOPED_TRACE(absl::StrCat("replay with SLUICE_TEST_SEED=", seed));
  SeededRandom random(seed);
  for (int round = 0; round < 2000; ++round) {
    const Endpoint sender = random.Below(2) == 0 ? Endpoint::kClient : Endpoint::kServer;
    const TransportParameters parameters = RandomParameters(sender, random);
    const std::vector<uint8_t> bytes = Encoded(parameters);
    const std::map<uint64_t, std::vector<uint8_t>> by_id = ParametersById(bytes);
    size_t size = 0;
    for (const auto& [id, value] : by_id) {
      size += VarintBytes(id).size() + VarintBytes(value.size()).size() + value.size();
    }
    // None twice.
    ASSERT_EQ(size, bytes.size());
    for (const TransportParameterRow& row : kTransportParameterTable) {
      const auto found = by_id.find(row.id);
      ASSERT_EQ(found != by_id.end(), IsPresent(parameters, row)) << row.name;
      if (found != by_id.end() && row.is_number()) {
        ASSERT_EQ(found->second, VarintBytes(NumberOf(parameters, row))) << row.name;
      }
    }
    if (parameters.grease.has_value()) {
      ASSERT_EQ(by_id.count(parameters.grease->id), 1u);
    }
  }
}

// RFC 9000 section 7.4.1, RFC 9221 section 3.
TEST(TransportParametersEncoderTest, ATicketHasWhatMayBeRememberedAndNoMore) {
  SeededRandom random(7);
  const std::map<uint64_t, std::vector<uint8_t>> by_id =
      ParametersById(Remembered(LongestParameters(random)));
  std::vector<uint64_t> ids;
  for (const auto& [id, value] : by_id) ids.push_back(id);
  EXPECT_THAT(ids, ElementsAre(0x01, 0x03, 0x04, 0x05, 0x06, 0x07, 0x08, 0x09, 0x0c, 0x0e, 0x20));
}

TEST(TransportParametersEncoderTest, ATicketDependsOnWhatIsRememberedOnly) {
  SeededRandom random(8);
  TransportParameters a = LongestParameters(random);
  TransportParameters b = LongestParameters(random);
  ASSERT_NE(a, b);
  EXPECT_EQ(Remembered(a), Remembered(b));
  b.ack_delay_exponent = 1;
  b.max_ack_delay = TimeDelta::Millis(1);
  b.grease_quic_bit = false;
  EXPECT_EQ(Remembered(a), Remembered(b));
  b.initial_max_data = DataSize::Bytes(1);
  EXPECT_NE(Remembered(a), Remembered(b));
}

}  // namespace
}  // namespace sluice
