#include "quic/codec/transport_parameters_template.h"

#include <cstdint>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/types/span.h"
#include "base/testing/seeded_random.h"
#include "gtest/gtest.h"
#include "quic/codec/testing/benchmark_parameters.h"
#include "quic/codec/testing/parameter_bytes.h"
#include "quic/codec/testing/random_parameters.h"
#include "quic/codec/transport_parameters.h"
#include "quic/codec/transport_parameters_encoder.h"

namespace sluice {
namespace {

std::vector<uint8_t> Encoded(const TransportParametersTemplate& of_listener,
                             const ConnectionParameters& connection) {
  TransportParametersBuffer buffer;
  buffer.fill(0xEE);
  const absl::Span<const uint8_t> written = of_listener.Encode(connection, buffer);
  EXPECT_EQ(written.data(), buffer.data());
  return {written.begin(), written.end()};
}

std::vector<uint8_t> Encoded(const TransportParameters& parameters) {
  TransportParametersBuffer buffer;
  const absl::Span<const uint8_t> written = EncodeTransportParameters(parameters, buffer);
  return {written.begin(), written.end()};
}

TEST(TransportParametersTemplateTest, SaysTheSameAsTheWholeEncoder) {
  const uint64_t seed = SeededRandom::SeedFromEnvOr(9);
  SCOPED_TRACE(absl::StrCat("replay with SLUICE_TEST_SEED=", seed));
  SeededRandom random(seed);
  for (int round = 0; round < 2000; ++round) {
    const TransportParameters parameters = RandomParameters(Endpoint::kServer, random);
    const absl::StatusOr<TransportParametersTemplate> of_listener =
        TransportParametersTemplate::Create(parameters);
    ASSERT_TRUE(of_listener.ok()) << of_listener.status();
    const std::vector<uint8_t> bytes = Encoded(*of_listener, parameters);
    const std::vector<uint8_t> whole = Encoded(parameters);
    ASSERT_EQ(bytes.size(), whole.size());
    ASSERT_EQ(ParametersById(bytes), ParametersById(whole));
  }
}

TEST(TransportParametersTemplateTest, AConnectionLeavesNoTraceInTheNext) {
  SeededRandom random(10);
  const TransportParameters longest = LongestParameters(random);
  const TransportParametersTemplate of_listener =
      *TransportParametersTemplate::Create(SmallParameters());
  const std::vector<uint8_t> before = Encoded(of_listener, SmallParameters());
  EXPECT_GT(Encoded(of_listener, longest).size(), before.size());
  EXPECT_EQ(Encoded(of_listener, SmallParameters()), before);
  EXPECT_EQ(before.size(), 95u);
}

TEST(TransportParametersTemplateTest, TheLongestFits) {
  SeededRandom random(11);
  const TransportParameters longest = LongestParameters(random);
  const TransportParametersTemplate of_listener = *TransportParametersTemplate::Create(longest);
  EXPECT_EQ(Encoded(of_listener, longest).size(), kTransportParametersSizeMax);
}

TEST(TransportParametersTemplateTest, ANumberOutOfItsRangeIsRefusedByName) {
  EndpointParameters parameters;
  parameters.ack_delay_exponent = 21;
  const absl::Status status = TransportParametersTemplate::Create(parameters).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(status.message(), "ack_delay_exponent is 21, must be 0..20");
}

}  // namespace
}  // namespace sluice
