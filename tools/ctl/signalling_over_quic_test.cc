#include "tools/ctl/signalling_over_quic.h"

#include <grpcpp/support/status.h>

#include <string>

#include "absl/status/status.h"
#include "absl/strings/cord.h"
#include "base/time_delta.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "quic/client/client_error.h"

namespace sluice {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

TEST(SignallingOverQuicTest, WhatItTookIsOnePhrase) {
  EXPECT_EQ(FormatWaitingTime({.elapsed = TimeDelta::Micros(3'440), .round_trips = 2}),
            "2 round trips, 3.4 ms");
  EXPECT_EQ(FormatWaitingTime({.elapsed = TimeDelta::Micros(310), .round_trips = 1}),
            "1 round trip, 0.3 ms");
}

TEST(SignallingOverQuicTest, TheConnectionIsNamed) {
  EXPECT_EQ(FormatQuicConnection({.protocol = "sluice/1", .quic_version = 1}),
            "sluice/1, TLS 1.3, v1");
  EXPECT_EQ(FormatQuicConnection({.protocol = "sluice/1", .quic_version = 1, .resumed = true}),
            "sluice/1, TLS 1.3, v1, resumed");
}

TEST(SignallingOverQuicTest, ErrorsKeepTheirDetails) {
  EXPECT_TRUE(ToGrpcStatus(absl::OkStatus()).ok());
  absl::Status error = absl::UnauthenticatedError("token: expired");
  EXPECT_EQ(ToGrpcStatus(error).error_details(), "");
  error.SetPayload(kRpcStatusPayload, absl::Cord("bytes"));
  const grpc::Status status = ToGrpcStatus(error);
  EXPECT_EQ(status.error_code(), grpc::StatusCode::UNAUTHENTICATED);
  EXPECT_EQ(status.error_message(), "token: expired");
  EXPECT_EQ(status.error_details(), "bytes");
}

TEST(SignallingOverQuicTest, WrongOptionsAreNamedByTheirFlags) {
  const auto error_of = [](SignallingOptions options) {
    options.insecure = true;
    return SignallingOverQuic::Create(options).status();
  };
  EXPECT_TRUE(absl::IsInvalidArgument(error_of({.target = "quic://nowhere"})));
  EXPECT_THAT(error_of({.target = "quic://nowhere"}).message(), StartsWith("--quic: "));
  EXPECT_THAT(error_of({.target = "quic://192.0.2.1:1"}).message(),
              HasSubstr("--insecure is for a gateway on this machine"));
}

}  // namespace
}  // namespace sluice
