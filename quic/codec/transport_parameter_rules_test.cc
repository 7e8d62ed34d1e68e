#include "quic/codec/transport_parameter_rules.h"

#include <cstdint>
#include <limits>
#include <optional>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "base/data_size.h"
#include "base/time_delta.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "quic/codec/connection_id.h"
#include "quic/codec/quic_version.h"
#include "quic/codec/transport_parameter_error.h"
#include "quic/codec/transport_parameter_table.h"
#include "quic/codec/transport_parameters.h"
#include "quic/codec/version_information.h"

namespace sluice {
namespace {

using ::testing::HasSubstr;

ConnectionId Id(uint8_t byte) {
  const uint8_t bytes[] = {byte, byte, byte, byte, byte, byte, byte, byte};
  return *ConnectionId::From(bytes);
}

TransportParameters Client() {
  TransportParameters parameters;
  parameters.initial_source_connection_id = Id(1);
  return parameters;
}

TransportParameters Server() {
  TransportParameters parameters = Client();
  parameters.original_destination_connection_id = Id(2);
  return parameters;
}

// "" when there is no violation.
std::string Violation(const TransportParameters& parameters, Endpoint sender) {
  const std::optional<TransportParameterError> error = FindViolation(parameters, sender);
  return error.has_value() ? absl::StrCat(error->name(), ": ", FaultName(error->fault)) : "";
}

TEST(TransportParameterRulesTest, TheLeastThatEachMustSayIsGood) {
  EXPECT_EQ(Violation(Client(), Endpoint::kClient), "");
  EXPECT_EQ(Violation(Server(), Endpoint::kServer), "");
  EXPECT_EQ(Violation(Client(), Endpoint::kServer), "original_destination_connection_id: missing");
  EXPECT_EQ(Violation({}, Endpoint::kClient), "initial_source_connection_id: missing");
}

TEST(TransportParameterRulesTest, RequiredAreTheIdsThatAuthenticateTheHandshake) {
  const auto bit = [](uint64_t id) { return ParameterSet{1} << TransportParameterIndex(id); };
  EXPECT_EQ(RequiredOf(Endpoint::kClient), bit(0x0f));
  EXPECT_EQ(RequiredOf(Endpoint::kServer), bit(0x0f) | bit(0x00));
}

TEST(TransportParameterRulesTest, AClientSaysNothingThatIsForServers) {
  TransportParameters parameters = Server();
  EXPECT_EQ(Violation(parameters, Endpoint::kClient),
            "original_destination_connection_id: server_only");
  parameters = Client();
  parameters.stateless_reset_token.emplace();
  EXPECT_EQ(Violation(parameters, Endpoint::kClient), "stateless_reset_token: server_only");
  parameters = Client();
  parameters.preferred_address.emplace().connection_id = Id(3);
  EXPECT_EQ(Violation(parameters, Endpoint::kClient), "preferred_address: server_only");
  parameters = Client();
  parameters.retry_source_connection_id = Id(3);
  EXPECT_EQ(Violation(parameters, Endpoint::kClient), "retry_source_connection_id: server_only");
}

TEST(TransportParameterRulesTest, NumbersAreLegalUpToTheirLimitsAndNoFurther) {
  for (const TransportParameterRow& row : kTransportParameterTable) {
    if (!row.is_number()) continue;
    SCOPED_TRACE(row.name);
    const auto with = [&row](uint64_t number) {
      TransportParameters parameters = Client();
      std::visit(
          [&](auto field) {
            using Field = decltype(field);
            if constexpr (std::is_same_v<Field, uint64_t EndpointParameters::*>) {
              parameters.*field = number;
            } else if constexpr (std::is_same_v<Field, DataSize EndpointParameters::*>) {
              parameters.*field = DataSize::Bytes(static_cast<int64_t>(number));
            } else if constexpr (std::is_same_v<Field, TimeDelta EndpointParameters::*>) {
              parameters.*field = TimeDelta::Millis(static_cast<int64_t>(number));
            }
          },
          row.field);
      return parameters;
    };
    const std::string out_of_range = absl::StrCat(row.name, ": out_of_range");
    EXPECT_EQ(Violation(with(row.range.min), Endpoint::kClient), "");
    EXPECT_EQ(Violation(with(row.range.max), Endpoint::kClient), "");
    EXPECT_EQ(Violation(with(row.range.absent), Endpoint::kClient), "");
    if (row.range.min > 0) {
      EXPECT_EQ(Violation(with(row.range.min - 1), Endpoint::kClient), out_of_range);
    }
    // Time has no more than kMaxVarint: it saturates.
    if (row.form() != ParameterForm::kMilliseconds || row.range.max < kMaxVarint) {
      EXPECT_EQ(Violation(with(row.range.max + 1), Endpoint::kClient), out_of_range);
    }
    // A negative amount.
    EXPECT_EQ(Violation(with(UINT64_MAX), Endpoint::kClient), out_of_range);
  }
}

TEST(TransportParameterRulesTest, APreferredAddressNeedsAnIdAndAServerThatHasOne) {
  TransportParameters parameters = Server();
  parameters.preferred_address.emplace().connection_id = Id(3);
  EXPECT_EQ(Violation(parameters, Endpoint::kServer), "");
  parameters.initial_source_connection_id = ConnectionId();
  EXPECT_EQ(Violation(parameters, Endpoint::kServer), "preferred_address: needs_connection_id");
  parameters = Server();
  parameters.preferred_address.emplace();
  EXPECT_EQ(Violation(parameters, Endpoint::kServer), "preferred_address: wrong_length");
}

TEST(TransportParameterRulesTest, VersionsAreNotZeroAndAClientOffersWhatItChose) {
  const auto violation = [](Endpoint sender, uint32_t chosen, std::vector<uint32_t> available) {
    TransportParameters parameters = sender == Endpoint::kClient ? Client() : Server();
    VersionInformation& information = parameters.version_information.emplace(QuicVersion(chosen));
    for (const uint32_t version : available) {
      EXPECT_TRUE(information.AddAvailable(QuicVersion(version)));
    }
    return Violation(parameters, sender);
  };
  const std::string bad = "version_information: out_of_range";
  EXPECT_EQ(violation(Endpoint::kClient, 1, {2, 1}), "");
  EXPECT_EQ(violation(Endpoint::kClient, 1, {2}), bad);
  EXPECT_EQ(violation(Endpoint::kClient, 1, {}), bad);
  EXPECT_EQ(violation(Endpoint::kServer, 1, {2}), "");
  EXPECT_EQ(violation(Endpoint::kServer, 1, {}), "");
  EXPECT_EQ(violation(Endpoint::kServer, 0, {1}), bad);
  EXPECT_EQ(violation(Endpoint::kServer, 1, {1, 0}), bad);
  EXPECT_EQ(violation(Endpoint::kClient, 1, {2, 3, 4, 5, 6, 7, 8, 9}), bad);
}

TEST(TransportParameterRulesTest, AWrongSettingIsASentence) {
  EXPECT_TRUE(CheckEndpointParameters({}).ok());
  EndpointParameters parameters;
  parameters.ack_delay_exponent = 21;
  absl::Status status = CheckEndpointParameters(parameters);
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(status.message(), "ack_delay_exponent is 21, must be 0..20");

  parameters = {};
  parameters.max_udp_payload_size = DataSize::Bytes(1199);
  status = CheckEndpointParameters(parameters);
  EXPECT_THAT(status.message(), HasSubstr("max_udp_payload_size is 1199 bytes, must be 1200.."));

  parameters = {};
  parameters.max_ack_delay = TimeDelta::Millis(16384);
  status = CheckEndpointParameters(parameters);
  EXPECT_EQ(status.message(), "max_ack_delay is 16384 ms, must be 0..16383 ms");

  parameters = {};
  parameters.initial_max_data = DataSize::Bytes(-5);
  status = CheckEndpointParameters(parameters);
  EXPECT_THAT(status.message(), HasSubstr("initial_max_data is -5 bytes, must be 0.."));
}

}  // namespace
}  // namespace sluice
