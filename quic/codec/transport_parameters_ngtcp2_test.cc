#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/types/span.h"
#include "base/testing/hex.h"
#include "base/testing/seeded_random.h"
#include "base/testing/vector_file.h"
#include "base/time_delta.h"
#include "gtest/gtest.h"
#include "quic/codec/testing/ngtcp2_codec.h"
#include "quic/codec/testing/parameter_bytes.h"
#include "quic/codec/testing/random_parameters.h"
#include "quic/codec/transport_parameter_error.h"
#include "quic/codec/transport_parameter_table.h"
#include "quic/codec/transport_parameters.h"
#include "quic/codec/transport_parameters_decoder.h"
#include "quic/codec/transport_parameters_encoder.h"
#include "quic/codec/transport_parameters_printer.h"
#include "quic/codec/varint.h"

namespace sluice {
namespace {

class Ngtcp2Test : public testing::Test {
 protected:
  Endpoint RandomSender() { return random_.Below(2) == 0 ? Endpoint::kClient : Endpoint::kServer; }
  // What a peer of ngtcp2 has: a time that it can count in nanoseconds.
  TransportParameters RandomForBoth(Endpoint sender) {
    TransportParameters parameters = RandomParameters(sender, random_);
    parameters.max_idle_timeout =
        std::min(parameters.max_idle_timeout, TimeDelta::Micros(INT64_MAX / 1000 / 1000 * 1000));
    return parameters;
  }

  SeededRandom random_{SeededRandom::SeedFromEnvOr(20)};
  testing::ScopedTrace seed_{__FILE__, __LINE__,
                             absl::StrCat("replay with SLUICE_TEST_SEED=", random_.seed())};
};

TEST_F(Ngtcp2Test, BothWriteTheSameParameters) {
  for (int round = 0; round < 5000; ++round) {
    TransportParameters parameters = RandomForBoth(RandomSender());
    parameters.grease.reset();
    TransportParametersBuffer buffer;
    const absl::Span<const uint8_t> ours = EncodeTransportParameters(parameters, buffer);
    const std::vector<uint8_t> theirs = EncodeWithNgtcp2(parameters);
    ASSERT_EQ(ours.size(), theirs.size()) << PrintTransportParameters(parameters);
    ASSERT_EQ(ParametersById(ours), ParametersById(theirs)) << PrintTransportParameters(parameters);
  }
}

TEST_F(Ngtcp2Test, EachReadsWhatTheOtherWrote) {
  for (int round = 0; round < 5000; ++round) {
    const Endpoint sender = RandomSender();
    TransportParameters parameters = RandomForBoth(sender);
    TransportParametersBuffer buffer;
    const absl::Span<const uint8_t> ours = EncodeTransportParameters(parameters, buffer);
    parameters.grease.reset();
    const std::optional<TransportParameters> read_by_ngtcp2 = DecodeWithNgtcp2(ours, sender);
    ASSERT_TRUE(read_by_ngtcp2.has_value()) << ToHex(ours);
    ASSERT_EQ(*read_by_ngtcp2, parameters) << PrintTransportParameters(*read_by_ngtcp2);

    TransportParameterError error;
    const std::optional<TransportParameters> read_by_us =
        DecodeTransportParameters(EncodeWithNgtcp2(parameters), sender, error);
    ASSERT_TRUE(read_by_us.has_value()) << absl::StrCat(error);
    ASSERT_EQ(*read_by_us, parameters) << PrintTransportParameters(*read_by_us);
  }
}

TEST_F(Ngtcp2Test, BothJudgeDamagedParametersAlike) {
  for (int round = 0; round < 50000; ++round) {
    const Endpoint sender = RandomSender();
    TransportParametersBuffer buffer;
    const absl::Span<uint8_t> encoded =
        EncodeTransportParameters(RandomParameters(sender, random_), buffer);
    std::vector<uint8_t> block(encoded.begin(), encoded.end());
    for (uint64_t changes = random_.Below(4); changes > 0 && !block.empty(); --changes) {
      const auto at = block.begin() + static_cast<ptrdiff_t>(random_.Below(block.size()));
      switch (random_.Below(4)) {
        case 0:
          *at ^= static_cast<uint8_t>(1 << random_.Below(8));
          break;
        case 1:
          *at = static_cast<uint8_t>(random_.NextU32());
          break;
        case 2:
          block.erase(at);
          break;
        default:
          block.insert(at, static_cast<uint8_t>(random_.NextU32()));
      }
    }
    ASSERT_EQ(UnintendedDifference(block, sender), "");
    // The other role too: most of it is forbidden there.
    ASSERT_EQ(UnintendedDifference(
                  block, sender == Endpoint::kClient ? Endpoint::kServer : Endpoint::kClient),
              "");
  }
}

TEST_F(Ngtcp2Test, BothJudgeTheVectorsAlike) {
  ForEachVector("tests/vectors/rfc9000_transport_parameters.txt", [](VectorBlock& vector) {
    const Endpoint sender =
        vector.Text("sender") == "client" ? Endpoint::kClient : Endpoint::kServer;
    EXPECT_EQ(UnintendedDifference(vector.Bytes("block"), sender), "");
    for (const char* other : {"prints", "fault"}) {
      if (vector.Has(other)) static_cast<void>(vector.Text(other));
    }
    if (vector.Has("id")) static_cast<void>(vector.Number("id"));
  });
}

TEST_F(Ngtcp2Test, BothHaveTheSameLimits) {
  for (const TransportParameterRow& row : kTransportParameterTable) {
    if (!row.is_number()) continue;
    for (const uint64_t edge : {row.range.min, row.range.max, row.range.clamp, row.range.absent}) {
      for (const uint64_t number : {edge - 1, edge, edge + 1}) {
        if (number > kMaxVarint) continue;
        for (const Endpoint sender : {Endpoint::kClient, Endpoint::kServer}) {
          ParameterBytes bytes;
          bytes.AddRaw(HexBytes("0f0101")).AddNumber(row.id, number);
          if (sender == Endpoint::kServer) bytes.AddRaw(HexBytes("0000"));
          EXPECT_EQ(UnintendedDifference(bytes, sender), "") << row.name << " " << number;
        }
      }
    }
  }
}

// ---- Where they differ, and are meant to. ----

bool OursAccepts(absl::Span<const uint8_t> block) {
  TransportParameterError error;
  return DecodeTransportParameters(block, Endpoint::kClient, error).has_value();
}
bool Ngtcp2Accepts(absl::Span<const uint8_t> block) {
  return DecodeWithNgtcp2(block, Endpoint::kClient).has_value();
}

// RFC 9000 section 7.4: SHOULD be an error.
TEST_F(Ngtcp2Test, OnlyWeRefuseDuplicates) {
  for (const char* block : {"0f00 0c00 0c00", "0f00 0401 01 0401 02", "0f00 1b00 1b00"}) {
    EXPECT_FALSE(OursAccepts(HexBytes(block))) << block;
    EXPECT_TRUE(Ngtcp2Accepts(HexBytes(block))) << block;
    EXPECT_EQ(UnintendedDifference(HexBytes(block), Endpoint::kClient), "") << block;
  }
}

// Our own limit.
TEST_F(Ngtcp2Test, OnlyWeRefuseMoreUnknownOnesThanWeCompare) {
  ParameterBytes bytes;
  bytes.AddRaw(HexBytes("0f00"));
  for (size_t i = 0; i <= kMaxUnknownParameters; ++i) {
    EXPECT_TRUE(OursAccepts(bytes));
    bytes.Add(1000 + i, {});
  }
  EXPECT_FALSE(OursAccepts(bytes));
  EXPECT_TRUE(Ngtcp2Accepts(bytes));
  EXPECT_EQ(UnintendedDifference(bytes, Endpoint::kClient), "");
}

// RFC 9000 section 16: a length is a varint, in any form.
TEST_F(Ngtcp2Test, OnlyWeReadTheLengthOfAFlagInAnyForm) {
  for (const char* block : {"0f00 0c 4000", "0f00 6ab2 80000000"}) {
    EXPECT_TRUE(OursAccepts(HexBytes(block))) << block;
    EXPECT_FALSE(Ngtcp2Accepts(HexBytes(block))) << block;
    EXPECT_EQ(UnintendedDifference(HexBytes(block), Endpoint::kClient), "") << block;
  }
  // Of everything else both do.
  for (const char* block : {"0f 4001 aa", "0f00 04 4001 05"}) {
    EXPECT_TRUE(OursAccepts(HexBytes(block))) << block;
    EXPECT_TRUE(Ngtcp2Accepts(HexBytes(block))) << block;
  }
}

// ngtcp2 counts nanoseconds in 64 bits.
TEST_F(Ngtcp2Test, OnlyOurIdleTimeoutSaturates) {
  ParameterBytes bytes;
  bytes.AddRaw(HexBytes("0f00")).AddNumber(0x01, 18446744073710);
  TransportParameterError error;
  const auto ours = DecodeTransportParameters(bytes, Endpoint::kClient, error);
  const auto theirs = DecodeWithNgtcp2(bytes, Endpoint::kClient);
  ASSERT_TRUE(ours.has_value() && theirs.has_value());
  EXPECT_EQ(ours->max_idle_timeout, TimeDelta::Millis(18446744073710));
  EXPECT_LT(theirs->max_idle_timeout, TimeDelta::Millis(1));
  EXPECT_EQ(UnintendedDifference(bytes, Endpoint::kClient), "");
}

// So that a comparison which finds no difference means something.
TEST_F(Ngtcp2Test, ADifferenceWouldBeFound) {
  EXPECT_TRUE(Ngtcp2Accepts(HexBytes("0f00")));
  EXPECT_FALSE(Ngtcp2Accepts(HexBytes("0f00 0302 44af")));
  EXPECT_FALSE(Ngtcp2Accepts(HexBytes("0f00 0000")));
  EXPECT_FALSE(Ngtcp2Accepts(HexBytes("0f00 1108 00000001 6b3343cf")));
  EXPECT_EQ(DecodeWithNgtcp2(HexBytes("0f00"), Endpoint::kServer), std::nullopt);
}

}  // namespace
}  // namespace sluice
