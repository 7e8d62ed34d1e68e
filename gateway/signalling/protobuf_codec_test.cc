#include "gateway/signalling/protobuf_codec.h"

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/testing/seeded_random.h"
#include "gtest/gtest.h"
#include "proto/signalling/v1/signalling_service.pb.h"

namespace sluice {
namespace {

namespace pb = ::sluice::signalling::v1;

std::vector<uint8_t> Bytes(const std::string& text) { return {text.begin(), text.end()}; }

TEST(ProtobufCodecTest, WhatWasEncodedIsDecoded) {
  pb::PingRequest request;
  request.set_payload("hello");
  const std::string encoded =
      ProtobufCodec().Encode(RowOf(SignallingMethod::kPing), request).value();
  pb::PingRequest decoded;
  ASSERT_TRUE(ProtobufCodec().Decode(Bytes(encoded), decoded).ok());
  EXPECT_EQ(decoded.payload(), "hello");
}

TEST(ProtobufCodecTest, NoBytesAreAnEmptyMessage) {
  pb::JoinRequest request;
  EXPECT_TRUE(ProtobufCodec().Decode({}, request).ok());
  EXPECT_EQ(request.ByteSizeLong(), 0u);
}

TEST(ProtobufCodecTest, BytesThatAreNoMessageAreRefusedWithItsName) {
  pb::JoinRequest request;
  const grpc::Status status = ProtobufCodec().Decode(Bytes("\x0a\x05x"), request);
  EXPECT_EQ(status.error_code(), grpc::StatusCode::INVALID_ARGUMENT);
  EXPECT_NE(status.error_message().find("sluice.signalling.v1.JoinRequest"), std::string::npos);
}

TEST(ProtobufCodecTest, MessagesInMessagesWithoutEndAreRefused) {
  // Groups in groups, which the parser skips by calling itself.
  pb::JoinRequest request;
  EXPECT_FALSE(ProtobufCodec().Decode(std::vector<uint8_t>(60'000, 0x7b), request).ok());
}

TEST(ProtobufCodecTest, AnyBytesAreDecodedOrRefused) {
  const uint64_t seed = SeededRandom::SeedFromEnvOr(1);
  SCOPED_TRACE(absl::StrCat("replay with SLUICE_TEST_SEED=", seed));
  SeededRandom random(seed);
  for (int i = 0; i < 2000; ++i) {
    std::vector<uint8_t> bytes(random.Below(64));
    for (uint8_t& byte : bytes) {
      byte = static_cast<uint8_t>(random.Below(256));
    }
    for (const SignallingMethodRow& row : SignallingMethodTable()) {
      const auto request = row.new_request();
      (void)ProtobufCodec().Decode(bytes, *request);
    }
  }
}

}  // namespace
}  // namespace sluice
