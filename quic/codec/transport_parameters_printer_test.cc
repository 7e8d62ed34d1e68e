#include "quic/codec/transport_parameters_printer.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/data_size.h"
#include "base/testing/hex.h"
#include "base/testing/seeded_random.h"
#include "base/time_delta.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "quic/codec/connection_id.h"
#include "quic/codec/grease_parameter.h"
#include "quic/codec/quic_version.h"
#include "quic/codec/testing/random_parameters.h"
#include "quic/codec/transport_parameter_table.h"
#include "quic/codec/transport_parameters.h"

namespace sluice {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

TEST(TransportParametersPrinterTest, WhatIsNotSaidIsNotPrinted) {
  EXPECT_EQ(PrintTransportParameters({}), "(nothing)");
}

TEST(TransportParametersPrinterTest, PrintsNamesValuesAndUnitsInTheOrderOfIds) {
  TransportParameters parameters;
  parameters.max_idle_timeout = TimeDelta::Seconds(30);
  parameters.initial_max_data = DataSize::Bytes(1048576);
  parameters.initial_max_streams_bidi = 100;
  parameters.ack_delay_exponent = 0;
  parameters.max_ack_delay = TimeDelta::Millis(20);
  parameters.disable_active_migration = true;
  parameters.original_destination_connection_id = *ConnectionId::From(HexBytes("83940a"));
  parameters.initial_source_connection_id = ConnectionId();
  parameters.grease_quic_bit = true;
  EXPECT_EQ(PrintTransportParameters(parameters),
            "original_destination_connection_id=83940a, max_idle_timeout=30 s, "
            "initial_max_data=1048576 bytes, initial_max_streams_bidi=100, ack_delay_exponent=0, "
            "max_ack_delay=20 ms, disable_active_migration=yes, "
            "initial_source_connection_id=(empty), grease_quic_bit=yes");
}

TEST(TransportParametersPrinterTest, PrintsAddressesVersionsAndGrease) {
  TransportParameters parameters;
  PreferredAddress& address = parameters.preferred_address.emplace();
  address.ipv4_address = {192, 0, 2, 1};
  address.ipv4_port = 4433;
  address.connection_id = *ConnectionId::From(HexBytes("aabb"));
  EXPECT_EQ(PrintTransportParameters(parameters), "preferred_address=192.0.2.1:4433 id aabb");
  address.ipv4_address = {};
  address.ipv4_port = 0;
  address.ipv6_address = {0x20, 0x01, 0x0d, 0xb8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1};
  address.ipv6_port = 443;
  EXPECT_EQ(PrintTransportParameters(parameters),
            "preferred_address=[2001:db8:0:0:0:0:0:1]:443 id aabb");

  parameters = {};
  parameters.version_information.emplace(kQuicVersion1);
  EXPECT_TRUE(parameters.version_information->AddAvailable(kQuicVersion2));
  EXPECT_TRUE(parameters.version_information->AddAvailable(kQuicVersion1));
  parameters.grease.emplace().value_size = 3;
  EXPECT_EQ(PrintTransportParameters(parameters),
            "version_information=00000001 of 6b3343cf 00000001, reserved (0x1b)=3 bytes");
}

TEST(TransportParametersPrinterTest, DoesNotTellSecrets) {
  TransportParameters parameters;
  parameters.stateless_reset_token.emplace().fill(0xA7);
  parameters.preferred_address.emplace().stateless_reset_token.fill(0xA7);
  const std::string text = PrintTransportParameters(parameters);
  EXPECT_THAT(text, HasSubstr("stateless_reset_token=16 secret bytes"));
  EXPECT_THAT(text, Not(HasSubstr("a7")));
  EXPECT_THAT(text, Not(HasSubstr("167")));
}

TEST(TransportParametersPrinterTest, NamesEveryRowThatSaysSomethingAndNoOther) {
  const uint64_t seed = SeededRandom::SeedFromEnvOr(4);
  SCOPED_TRACE(absl::StrCat("replay with SLUICE_TEST_SEED=", seed));
  SeededRandom random(seed);
  for (int round = 0; round < 200; ++round) {
    const TransportParameters parameters = RandomParameters(Endpoint::kServer, random);
    const std::string text = absl::StrCat(" ", PrintTransportParameters(parameters));
    for (const TransportParameterRow& row : kTransportParameterTable) {
      const std::string name = absl::StrCat(" ", row.name, "=");
      EXPECT_EQ(text.find(name) != std::string::npos, IsPresent(parameters, row)) << text;
    }
  }
}

}  // namespace
}  // namespace sluice
