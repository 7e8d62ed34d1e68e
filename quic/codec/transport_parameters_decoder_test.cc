#include "quic/codec/transport_parameters_decoder.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "base/data_size.h"
#include "base/testing/hex.h"
#include "base/testing/seeded_random.h"
#include "base/testing/vector_file.h"
#include "base/time_delta.h"
#include "gtest/gtest.h"
#include "quic/codec/connection_id.h"
#include "quic/codec/quic_version.h"
#include "quic/codec/testing/parameter_bytes.h"
#include "quic/codec/testing/random_parameters.h"
#include "quic/codec/transport_parameter_error.h"
#include "quic/codec/transport_parameter_rules.h"
#include "quic/codec/transport_parameter_table.h"
#include "quic/codec/transport_parameters.h"
#include "quic/codec/transport_parameters_encoder.h"
#include "quic/codec/transport_parameters_printer.h"
#include "quic/codec/varint.h"
#include "quic/codec/version_information.h"

namespace sluice {
namespace {

using Fault = TransportParameterFault;

// In the place of an error where there must be none.
constexpr TransportParameterError kUntouched = {Fault::kNotRemembered, 0x5555};

// "" when the block is good, else the name of the fault and the id.
std::string ErrorOf(absl::Span<const uint8_t> block, Endpoint sender) {
  TransportParameterError error = kUntouched;
  if (DecodeTransportParameters(block, sender, error).has_value()) {
    EXPECT_EQ(error, kUntouched) << "an error is only written when there is one";
    return "";
  }
  return absl::StrCat(FaultName(error.fault), " ", error.id);
}

// Two endpoints with the least that they must say.
ParameterBytes Least(Endpoint sender) {
  ParameterBytes bytes;
  bytes.Add(0x0f, HexBytes("f067a5502a4262b5"));
  if (sender == Endpoint::kServer) bytes.Add(0x00, HexBytes("8394c8f03e515708"));
  return bytes;
}

// The parameters in good bytes.
TransportParameters Decoded(absl::Span<const uint8_t> block, Endpoint sender) {
  TransportParameterError error = kUntouched;
  std::optional<TransportParameters> parameters = DecodeTransportParameters(block, sender, error);
  EXPECT_TRUE(parameters.has_value()) << absl::StrCat(error);
  return parameters.value_or(TransportParameters());
}

TEST(TransportParametersDecoderTest, JudgesWhatTheRulesOfTheRfcsJudge) {
  ForEachVector("tests/vectors/rfc9000_transport_parameters.txt", [](VectorBlock& vector) {
    const Endpoint sender =
        vector.Text("sender") == "client" ? Endpoint::kClient : Endpoint::kServer;
    const std::vector<uint8_t> block = vector.Bytes("block");
    if (vector.Has("prints")) {
      EXPECT_EQ(PrintTransportParameters(Decoded(block, sender)), vector.Text("prints"));
      return;
    }
    const uint64_t id = vector.Has("id") ? vector.Number("id") : TransportParameterError::kNoId;
    EXPECT_EQ(ErrorOf(block, sender), absl::StrCat(vector.Text("fault"), " ", id));
  });
}

TEST(TransportParametersDecoderTest, NumbersAreLegalUpToTheirLimitsAndNoFurther) {
  for (const TransportParameterRow& row : kTransportParameterTable) {
    if (!row.is_number()) continue;
    SCOPED_TRACE(row.name);
    const auto error_of = [&row](uint64_t number) {
      return ErrorOf(Least(Endpoint::kClient).AddNumber(row.id, number), Endpoint::kClient);
    };
    EXPECT_EQ(error_of(row.range.min), "");
    EXPECT_EQ(error_of(row.range.max), "");
    const std::string out_of_range = absl::StrCat("out_of_range ", row.id);
    if (row.range.min > 0) {
      EXPECT_EQ(error_of(row.range.min - 1), out_of_range);
      EXPECT_EQ(error_of(0), out_of_range);
    }
    if (row.range.max < kMaxVarint) {
      EXPECT_EQ(error_of(row.range.max + 1), out_of_range);
      EXPECT_EQ(error_of(kMaxVarint), out_of_range);
    }
  }
}

TEST(TransportParametersDecoderTest, LargeLegalNumbersAreTakenForTheLargestThatMeansAnything) {
  for (const TransportParameterRow& row : kTransportParameterTable) {
    if (!row.is_number()) continue;
    SCOPED_TRACE(row.name);
    const auto number_of = [&row](uint64_t number) {
      return NumberOf(
          Decoded(Least(Endpoint::kClient).AddNumber(row.id, number), Endpoint::kClient), row);
    };
    const uint64_t largest = std::min(row.range.max, row.range.clamp);
    // A TimeDelta holds less; infinite is kMaxVarint again.
    EXPECT_EQ(number_of(row.range.max), largest);
    EXPECT_EQ(number_of(std::min(largest, LargestKept(row))), std::min(largest, LargestKept(row)));
  }
  const auto idle = [](uint64_t ms) {
    return Decoded(Least(Endpoint::kClient).AddNumber(0x01, ms), Endpoint::kClient)
        .max_idle_timeout;
  };
  // What overflows 64 bits of microseconds or nanoseconds does not wrap around to something short.
  EXPECT_EQ(idle(18446744073710), TimeDelta::Millis(18446744073710));
  EXPECT_EQ(idle(uint64_t{1} << 61), TimeDelta::PlusInfinity());
  EXPECT_EQ(idle(kMaxVarint), TimeDelta::PlusInfinity());
}

TEST(TransportParametersDecoderTest, NumbersMayHaveAnyForm) {
  for (const TransportParameterRow& row : kTransportParameterTable) {
    if (!row.is_number()) continue;
    SCOPED_TRACE(row.name);
    const uint64_t number = std::max<uint64_t>(row.range.min, 2);
    for (const size_t size : {VarintSize(number), size_t{4}, size_t{8}}) {
      const TransportParameters parameters =
          Decoded(Least(Endpoint::kClient).AddNumber(row.id, number, size), Endpoint::kClient);
      EXPECT_EQ(NumberOf(parameters, row), number) << size << " bytes";
    }
  }
}

TEST(TransportParametersDecoderTest, EveryLengthButTheRightOneIsWrong) {
  for (const TransportParameterRow& row : kTransportParameterTable) {
    SCOPED_TRACE(row.name);
    std::vector<size_t> right;
    for (size_t size = 0; size <= 70; ++size) {
      ParameterBytes bytes;
      if (row.id != 0x0f) bytes.AddRaw(HexBytes("0f0101"));
      if (row.id != 0x00) bytes.AddRaw(HexBytes("0000"));
      std::vector<uint8_t> value(size);
      // A good number of that size, if there is one; a good connection id for an address.
      if (size == 1 || size == 2 || size == 4 || size == 8) {
        value = VarintBytes(std::max<uint64_t>(row.range.min, 2), size == 1 ? 0 : size);
        value.resize(size);
      }
      if (row.form() == ParameterForm::kPreferredAddress && size >= 41) {
        value[24] = static_cast<uint8_t>(size - 41);
      }
      if (row.form() == ParameterForm::kVersionInformation) value.assign(size, 1);
      const std::string error = ErrorOf(bytes.Add(row.id, value), Endpoint::kServer);
      if (error.empty()) {
        right.push_back(size);
      } else {
        EXPECT_EQ(error, absl::StrCat("wrong_length ", row.id)) << size;
      }
    }
    std::vector<size_t> expected;
    for (size_t size = 0; size <= 70; ++size) {
      const bool is_right[] = {
          size == 1 || size == 2 || size == 4 || size == 8,
          size == 1 || size == 2 || size == 4 || size == 8,
          size == 1 || size == 2 || size == 4 || size == 8,
          size == 0,
          size <= 20,
          size == 16,
          size >= 42 && size <= 61,
          size >= 4 && size % 4 == 0,
      };
      if (is_right[static_cast<size_t>(row.form())]) expected.push_back(size);
    }
    // 1200 does not fit into one byte.
    if (row.id == 0x03) expected.erase(expected.begin());
    EXPECT_EQ(right, expected);
  }
}

TEST(TransportParametersDecoderTest, NoneMayComeTwiceWhereverItStands) {
  SeededRandom random(2);
  TransportParametersBuffer buffer;
  TransportParameters all = LongestParameters(random);
  all.grease.reset();
  const absl::Span<const uint8_t> block = EncodeTransportParameters(all, buffer);
  for (const auto& [id, value] : ParametersById(block)) {
    ParameterBytes behind;
    behind.AddRaw(block).Add(id, value);
    EXPECT_EQ(ErrorOf(behind, Endpoint::kServer), absl::StrCat("duplicate ", id));
  }
}

TEST(TransportParametersDecoderTest, UnknownOnesAreIgnoredUpToALimitAndMayNotComeTwiceEither) {
  // Ids of all sizes; none of them known.
  const auto id_of = [](size_t i) { return (uint64_t{1} << (7 + i % 54)) + 64 * i + 21; };
  ParameterBytes many = Least(Endpoint::kClient);
  for (size_t i = 0; i < kMaxUnknownParameters; ++i) {
    many.Add(id_of(i), std::vector<uint8_t>(i));
  }
  EXPECT_EQ(ErrorOf(many, Endpoint::kClient), "");
  for (const size_t i : {size_t{0}, kMaxUnknownParameters / 2, kMaxUnknownParameters - 1}) {
    ParameterBytes twice = many;
    EXPECT_EQ(ErrorOf(twice.Add(id_of(i), {}), Endpoint::kClient),
              absl::StrCat("duplicate ", id_of(i)));
  }
  EXPECT_EQ(ErrorOf(many.Add(id_of(kMaxUnknownParameters), {}), Endpoint::kClient),
            absl::StrCat("too_many_unknown ", id_of(kMaxUnknownParameters)));
}

TEST(TransportParametersDecoderTest, ALargeUnknownValueIsNoReasonToRefuse) {
  // As sent by clients that want their first flight to be longer than a datagram.
  EXPECT_EQ(
      ErrorOf(Least(Endpoint::kClient).Add(27, std::vector<uint8_t>(1300)), Endpoint::kClient), "");
}

TEST(TransportParametersDecoderTest, AllVersionsAreLookedAtAndTheFirstAreKept) {
  const auto block = [](std::vector<uint32_t> versions) {
    std::vector<uint8_t> value;
    for (const uint32_t version : versions) {
      for (int shift = 24; shift >= 0; shift -= 8) {
        value.push_back(static_cast<uint8_t>(version >> shift));
      }
    }
    return Least(Endpoint::kClient).Add(0x11, value);
  };
  const std::vector<uint32_t> many = {1, 2, 3, 4, 1, 5, 6, 7, 8, 9, 10};
  TransportParameters parameters = Decoded(block(many), Endpoint::kClient);
  ASSERT_TRUE(parameters.version_information.has_value());
  ASSERT_EQ(parameters.version_information->available_count(), 8u);
  EXPECT_EQ(parameters.version_information->available(0), QuicVersion(2));
  EXPECT_EQ(parameters.version_information->available(7), QuicVersion(8));
  // The one that was chosen is kept wherever it stands: without it the rest would not be good.
  parameters = Decoded(block({1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 1}), Endpoint::kClient);
  ASSERT_TRUE(parameters.version_information.has_value());
  EXPECT_EQ(parameters.version_information->available(6), QuicVersion(8));
  EXPECT_EQ(parameters.version_information->available(7), QuicVersion(1));
  EXPECT_EQ(ErrorOf(block({1, 2, 3, 4, 5, 6, 7, 8, 9, 10}), Endpoint::kClient), "out_of_range 17");
  EXPECT_EQ(ErrorOf(block({1, 1, 3, 4, 5, 6, 7, 8, 9, 10, 0}), Endpoint::kClient),
            "out_of_range 17");
}

TEST(TransportParametersDecoderTest, AnyCutLeavesNothing) {
  SeededRandom random(3);
  TransportParametersBuffer buffer;
  const absl::Span<const uint8_t> block =
      EncodeTransportParameters(LongestParameters(random), buffer);
  // Where one parameter ends the rest may be good by itself.
  size_t good = 0;
  for (size_t size = 0; size < block.size(); ++size) {
    const std::string error = ErrorOf(block.first(size), Endpoint::kServer);
    if (error.empty()) ++good;
  }
  EXPECT_LT(good, kTransportParameterCount);
  EXPECT_EQ(ErrorOf(block, Endpoint::kServer), "");
}

TEST(TransportParametersDecoderTest, GivesBackWhatWasEncoded) {
  const uint64_t seed = SeededRandom::SeedFromEnvOr(12);
  SCOPED_TRACE(absl::StrCat("replay with SLUICE_TEST_SEED=", seed));
  SeededRandom random(seed);
  for (int round = 0; round < 5000; ++round) {
    const Endpoint sender = random.Below(2) == 0 ? Endpoint::kClient : Endpoint::kServer;
    TransportParameters parameters = RandomParameters(sender, random);
    TransportParametersBuffer buffer;
    const absl::Span<const uint8_t> block = EncodeTransportParameters(parameters, buffer);
    parameters.grease.reset();  // Ignored.
    const TransportParameters decoded = Decoded(block, sender);
    ASSERT_EQ(decoded, parameters) << PrintTransportParameters(decoded) << "\n instead of\n"
                                   << PrintTransportParameters(parameters);
  }
}

// Damage to good parameters: whatever is accepted is good, and says the same once more.
TEST(TransportParametersDecoderTest, WhatItAcceptsIsGood) {
  const uint64_t seed = SeededRandom::SeedFromEnvOr(13);
  SCOPED_TRACE(absl::StrCat("replay with SLUICE_TEST_SEED=", seed));
  SeededRandom random(seed);
  int accepted = 0;
  int refused = 0;
  for (int round = 0; round < 50000; ++round) {
    const Endpoint sender = random.Below(2) == 0 ? Endpoint::kClient : Endpoint::kServer;
    TransportParametersBuffer buffer;
    absl::Span<uint8_t> block = EncodeTransportParameters(RandomParameters(sender, random), buffer);
    for (uint64_t changes = random.Below(4); changes > 0; --changes) {
      block[random.Below(block.size())] = static_cast<uint8_t>(random.NextU32());
    }
    TransportParameterError error = kUntouched;
    const auto decoded = DecodeTransportParameters(block, sender, error);
    if (!decoded.has_value()) {
      ++refused;
      continue;
    }
    ++accepted;
    ASSERT_EQ(FindViolation(*decoded, sender), std::nullopt) << ToHex(block);
    TransportParametersBuffer again;
    ASSERT_EQ(Decoded(EncodeTransportParameters(*decoded, again), sender), *decoded)
        << ToHex(block);
  }
  EXPECT_GT(accepted, 10000);
  EXPECT_GT(refused, 10000);
}

class TicketTest : public testing::Test {
 protected:
  static std::string ErrorOf(absl::Span<const uint8_t> ticket) {
    TransportParameterError error = kUntouched;
    if (DecodeRememberedParameters(ticket, error).has_value()) return "";
    return absl::StrCat(FaultName(error.fault), " ", error.id);
  }
};

TEST_F(TicketTest, GivesBackWhatIsRememberedAndDefaultsForTheRest) {
  const uint64_t seed = SeededRandom::SeedFromEnvOr(14);
  SCOPED_TRACE(absl::StrCat("replay with SLUICE_TEST_SEED=", seed));
  SeededRandom random(seed);
  for (int round = 0; round < 1000; ++round) {
    EndpointParameters parameters = RandomParameters(Endpoint::kServer, random);
    TransportParametersBuffer buffer;
    const absl::Span<const uint8_t> ticket = EncodeRememberedParameters(parameters, buffer);
    parameters.ack_delay_exponent = 3;
    parameters.max_ack_delay = TimeDelta::Millis(25);
    parameters.grease_quic_bit = false;
    TransportParameterError error = kUntouched;
    ASSERT_EQ(DecodeRememberedParameters(ticket, error), parameters);
    ASSERT_EQ(error, kUntouched);
  }
}

TEST_F(TicketTest, MayBeEmpty) { EXPECT_EQ(ErrorOf({}), ""); }

TEST_F(TicketTest, HoldsNothingThatIsNotRemembered) {
  SeededRandom random(5);
  TransportParametersBuffer buffer;
  const absl::Span<const uint8_t> all =
      EncodeTransportParameters(LongestParameters(random), buffer);
  for (const auto& [id, value] : ParametersById(all)) {
    const TransportParameterRow* row = FindTransportParameter(id);
    const bool remembered = row != nullptr && row->remembered;
    EXPECT_EQ(ErrorOf(ParameterBytes().Add(id, value)),
              remembered ? "" : absl::StrCat("not_remembered ", id));
  }
}

TEST_F(TicketTest, IsReadAsStrictlyAsAHandshake) {
  EXPECT_EQ(ErrorOf(HexBytes("0c00 0c00")), "duplicate 12");
  EXPECT_EQ(ErrorOf(HexBytes("0402 0500")), "wrong_length 4");
  EXPECT_EQ(ErrorOf(HexBytes("0e01 01")), "out_of_range 14");
  EXPECT_EQ(ErrorOf(HexBytes("0404 8000")), "truncated 4");
  EXPECT_EQ(ErrorOf(HexBytes("1b00")), "not_remembered 27");
}

}  // namespace
}  // namespace sluice
