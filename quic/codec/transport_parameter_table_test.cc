#include "quic/codec/transport_parameter_table.h"

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <set>
#include <vector>

#include "absl/strings/string_view.h"
#include "base/data_size.h"
#include "base/time_delta.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "quic/codec/grease_parameter.h"
#include "quic/codec/transport_parameters.h"

namespace sluice {
namespace {

using ::testing::ElementsAre;

constexpr uint64_t kAnyNumber = 4611686018427387903;  // 2^62 - 1

// What is in the RFCs, once more and by hand.
struct Expected {
  uint64_t id;
  absl::string_view name;
  ParameterForm form;
  uint64_t absent;
  uint64_t min;
  uint64_t max;
  bool server_only;
  bool remembered;
};
constexpr Expected kExpected[] = {
    // RFC 9000 sections 18.2 and 7.4.1.
    {0x00, "original_destination_connection_id", ParameterForm::kConnectionId, 0, 0, kAnyNumber,
     true, false},
    {0x01, "max_idle_timeout", ParameterForm::kMilliseconds, 0, 0, kAnyNumber, false, true},
    {0x02, "stateless_reset_token", ParameterForm::kToken, 0, 0, kAnyNumber, true, false},
    {0x03, "max_udp_payload_size", ParameterForm::kBytes, 65527, 1200, kAnyNumber, false, true},
    {0x04, "initial_max_data", ParameterForm::kBytes, 0, 0, kAnyNumber, false, true},
    {0x05, "initial_max_stream_data_bidi_local", ParameterForm::kBytes, 0, 0, kAnyNumber, false,
     true},
    {0x06, "initial_max_stream_data_bidi_remote", ParameterForm::kBytes, 0, 0, kAnyNumber, false,
     true},
    {0x07, "initial_max_stream_data_uni", ParameterForm::kBytes, 0, 0, kAnyNumber, false, true},
    {0x08, "initial_max_streams_bidi", ParameterForm::kCount, 0, 0, 1152921504606846976, false,
     true},
    {0x09, "initial_max_streams_uni", ParameterForm::kCount, 0, 0, 1152921504606846976, false,
     true},
    {0x0a, "ack_delay_exponent", ParameterForm::kCount, 3, 0, 20, false, false},
    {0x0b, "max_ack_delay", ParameterForm::kMilliseconds, 25, 0, 16383, false, false},
    {0x0c, "disable_active_migration", ParameterForm::kFlag, 0, 0, kAnyNumber, false, true},
    {0x0d, "preferred_address", ParameterForm::kPreferredAddress, 0, 0, kAnyNumber, true, false},
    {0x0e, "active_connection_id_limit", ParameterForm::kCount, 2, 2, kAnyNumber, false, true},
    {0x0f, "initial_source_connection_id", ParameterForm::kConnectionId, 0, 0, kAnyNumber, false,
     false},
    {0x10, "retry_source_connection_id", ParameterForm::kConnectionId, 0, 0, kAnyNumber, true,
     false},
    // RFC 9368 section 3, RFC 9221 section 3, RFC 9287 section 3.
    {0x11, "version_information", ParameterForm::kVersionInformation, 0, 0, kAnyNumber, false,
     false},
    {0x20, "max_datagram_frame_size", ParameterForm::kBytes, 0, 0, kAnyNumber, false, true},
    {0x2ab2, "grease_quic_bit", ParameterForm::kFlag, 0, 0, kAnyNumber, false, false},
};

TEST(TransportParameterTableTest, IsWhatTheRfcsSay) {
  ASSERT_EQ(kTransportParameterCount, std::size(kExpected));
  for (size_t i = 0; i < kTransportParameterCount; ++i) {
    const TransportParameterRow& row = kTransportParameterTable[i];
    const Expected& expected = kExpected[i];
    SCOPED_TRACE(expected.name);
    EXPECT_EQ(row.id, expected.id);
    EXPECT_EQ(row.name, expected.name);
    EXPECT_EQ(row.form(), expected.form);
    EXPECT_EQ(row.range.absent, expected.absent);
    EXPECT_EQ(row.range.min, expected.min);
    EXPECT_EQ(row.range.max, expected.max);
    EXPECT_EQ(row.server_only, expected.server_only);
    EXPECT_EQ(row.remembered, expected.remembered);
  }
}

TEST(TransportParameterTableTest, EveryRowHasAMemberOfItsOwn) {
  for (const TransportParameterRow& a : kTransportParameterTable) {
    for (const TransportParameterRow& b : kTransportParameterTable) {
      EXPECT_EQ(a.field == b.field, &a == &b) << a.name << " and " << b.name;
    }
  }
}

TEST(TransportParameterTableTest, WhatSaysMoreThanTheTransportCanDoIsClamped) {
  std::vector<absl::string_view> clamped;
  for (const TransportParameterRow& row : kTransportParameterTable) {
    if (row.is_number() && row.range.clamp < row.range.max) clamped.push_back(row.name);
  }
  EXPECT_THAT(clamped, ElementsAre("max_udp_payload_size", "active_connection_id_limit",
                                   "max_datagram_frame_size"));
}

TEST(TransportParameterTableTest, FindsByIdWhatItHasAndNothingElse) {
  std::set<uint64_t> known;
  for (const TransportParameterRow& row : kTransportParameterTable) {
    EXPECT_EQ(FindTransportParameter(row.id), &row);
    known.insert(row.id);
  }
  for (uint64_t id = 0; id < 100000; ++id) {
    if (known.count(id) == 0) {
      ASSERT_EQ(FindTransportParameter(id), nullptr) << id;
    }
  }
  EXPECT_EQ(FindTransportParameter(UINT64_MAX), nullptr);
  EXPECT_EQ(FindTransportParameter(kAnyNumber), nullptr);
  // The same as a known one in the lowest bits only.
  EXPECT_EQ(FindTransportParameter((uint64_t{1} << 32) + 0x2ab2), nullptr);
  EXPECT_EQ(FindTransportParameter((uint64_t{1} << 32) + 0x04), nullptr);
}

TEST(TransportParameterTableTest, FindsByMember) {
  EXPECT_EQ(RowOf(&ConnectionParameters::preferred_address).id, 0x0du);
  EXPECT_EQ(RowOf(&EndpointParameters::max_ack_delay).id, 0x0bu);
}

TEST(TransportParameterTableTest, ReservedIdsAreNotKnown) {
  for (const TransportParameterRow& row : kTransportParameterTable) {
    EXPECT_FALSE(IsReservedParameterId(row.id)) << row.name;
  }
}

TEST(TransportParameterTableTest, TimesAreMillisecondsOnTheWireAndSaturate) {
  EXPECT_EQ(WireNumber(TimeDelta::Seconds(30)), 30000u);
  EXPECT_EQ(WireNumber(TimeDelta::Micros(1999)), 1u);
  EXPECT_EQ(WireNumber(TimeDelta::PlusInfinity()), kAnyNumber);
  EXPECT_GT(WireNumber(TimeDelta::Millis(-1)), kAnyNumber);
  EXPECT_GT(WireNumber(TimeDelta::MinusInfinity()), kAnyNumber);

  EXPECT_EQ(FromWireNumber<TimeDelta>(30000), TimeDelta::Seconds(30));
  // The longest finite one, and those beyond it.
  constexpr uint64_t kLongestMs = INT64_MAX / 1000;
  EXPECT_TRUE(FromWireNumber<TimeDelta>(kLongestMs).IsFinite());
  EXPECT_EQ(WireNumber(FromWireNumber<TimeDelta>(kLongestMs)), kLongestMs);
  EXPECT_EQ(FromWireNumber<TimeDelta>(kLongestMs + 1), TimeDelta::PlusInfinity());
  EXPECT_EQ(FromWireNumber<TimeDelta>(kAnyNumber), TimeDelta::PlusInfinity());
}

TEST(TransportParameterTableTest, SizesHaveAllSixtyTwoBits) {
  EXPECT_EQ(WireNumber(DataSize::Bytes(0)), 0u);
  EXPECT_EQ(WireNumber(FromWireNumber<DataSize>(kAnyNumber)), kAnyNumber);
  EXPECT_GT(WireNumber(DataSize::Bytes(-1)), kAnyNumber);
  EXPECT_GT(WireNumber(DataSize::PlusInfinity()), kAnyNumber);
}

}  // namespace
}  // namespace sluice
