#include "quic/tls/ngtcp2_parameters.h"

#include <ngtcp2/ngtcp2.h>

#include <algorithm>
#include <cstdint>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/types/span.h"
#include "base/data_size.h"
#include "base/testing/hex.h"
#include "base/testing/seeded_random.h"
#include "base/time_delta.h"
#include "gtest/gtest.h"
#include "quic/codec/connection_id.h"
#include "quic/codec/testing/ngtcp2_codec.h"
#include "quic/codec/testing/random_parameters.h"
#include "quic/codec/transport_parameters.h"
#include "quic/codec/transport_parameters_printer.h"

namespace sluice {
namespace {

TEST(Ngtcp2ParametersTest, ConnectionIdsGoThereAndBack) {
  for (const char* hex :
       {"", "00", "0102030405060708", "ffffffffffffffffffffffffffffffffffffffff"}) {
    const ConnectionId id(HexBytes(hex));
    EXPECT_EQ(FromNgtcp2(ToNgtcp2(id)), id);
  }
}

// ngtcp2 itself says what it was told.
TEST(Ngtcp2ParametersTest, SaysWhatOurEncoderSays) {
  SeededRandom random(SeededRandom::SeedFromEnvOr(31));
  SCOPED_TRACE(absl::StrCat("replay with SLUICE_TEST_SEED=", random.seed()));
  for (int round = 0; round < 2000; ++round) {
    TransportParameters parameters = RandomParameters(Endpoint::kServer, random);
    parameters.grease.reset();
    parameters.active_connection_id_limit = 2 + random.Below(7);
    parameters.max_idle_timeout =
        std::min(parameters.max_idle_timeout, TimeDelta::Seconds(int64_t{1} << 32));
    ASSERT_EQ(CheckNgtcp2Parameters(parameters), absl::OkStatus());
    const Ngtcp2Parameters expected(parameters);
    ngtcp2_transport_params params = expected.get();
    // Everything that is to be set is something else before.
    EndpointParameters other = RandomParameters(Endpoint::kServer, random);
    other.active_connection_id_limit = 2;
    other.max_idle_timeout = TimeDelta::Zero();
    SetEndpointParameters(other, params);
    SetEndpointParameters(parameters, params);
    std::vector<uint8_t> block(1000);
    const ngtcp2_ssize size = ngtcp2_transport_params_encode(block.data(), block.size(), &params);
    ASSERT_GT(size, 0);
    block.resize(static_cast<size_t>(size));
    EXPECT_EQ(block, EncodeWithNgtcp2(parameters)) << PrintTransportParameters(parameters);
    EXPECT_EQ(ConnectionParametersOf(params), ConnectionParameters(parameters));
  }
}

TEST(Ngtcp2ParametersTest, NoTimeoutIsZero) {
  EndpointParameters parameters;
  parameters.max_idle_timeout = TimeDelta::PlusInfinity();
  ngtcp2_transport_params params;
  ngtcp2_transport_params_default(&params);
  params.max_idle_timeout = 7;
  ASSERT_EQ(CheckNgtcp2Parameters(parameters), absl::OkStatus());
  SetEndpointParameters(parameters, params);
  EXPECT_EQ(params.max_idle_timeout, 0u);
}

TEST(Ngtcp2ParametersTest, ATimeoutOfCenturiesIsNever) {
  EndpointParameters parameters;
  for (const TimeDelta endless :
       {TimeDelta::PlusInfinity(), TimeDelta::Seconds(int64_t{1} << 33)}) {
    parameters.max_idle_timeout = endless;
    LimitForNgtcp2(parameters);
    EXPECT_EQ(parameters.max_idle_timeout, TimeDelta::Zero());
  }
  parameters.max_idle_timeout = TimeDelta::Seconds(30);
  LimitForNgtcp2(parameters);
  EXPECT_EQ(parameters.max_idle_timeout, TimeDelta::Seconds(30));
}

TEST(Ngtcp2ParametersTest, WhatNgtcp2WouldAssertIsRefusedWithASentence) {
  EndpointParameters parameters;
  parameters.active_connection_id_limit = 8;
  EXPECT_EQ(CheckNgtcp2Parameters(parameters), absl::OkStatus());
  parameters.active_connection_id_limit = 9;
  EXPECT_EQ(CheckNgtcp2Parameters(parameters).message(),
            "active_connection_id_limit is 9, at most 8 can be kept");
  parameters = {};
  parameters.max_idle_timeout = TimeDelta::Seconds(int64_t{1} << 33);
  EXPECT_EQ(CheckNgtcp2Parameters(parameters).code(), absl::StatusCode::kInvalidArgument);
  parameters = {};
  parameters.max_udp_payload_size = DataSize::Bytes(1199);
  EXPECT_EQ(CheckNgtcp2Parameters(parameters).code(), absl::StatusCode::kInvalidArgument);
}

}  // namespace
}  // namespace sluice
