#include "quic/rpc/rpc_status.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "base/testing/seeded_random.h"
#include "google/rpc/status.pb.h"
#include "gtest/gtest.h"

namespace sluice {
namespace {

absl::Span<const uint8_t> AsBytes(absl::string_view text) {
  return absl::MakeConstSpan(reinterpret_cast<const uint8_t*>(text.data()), text.size());
}

std::string Protobuf(int32_t code, absl::string_view message) {
  google::rpc::Status status;
  status.set_code(code);
  status.set_message(std::string(message));
  return status.SerializeAsString();
}

std::string Encoded(RpcCode code, absl::string_view message) {
  RpcStatusBuffer buffer;
  const absl::Span<const uint8_t> bytes = EncodeRpcStatus(code, message, buffer);
  return std::string(bytes.begin(), bytes.end());
}

TEST(RpcStatusTest, WritesWhatProtobufWrites) {
  EXPECT_EQ(Encoded(RpcCode::kOk, ""), "");
  EXPECT_EQ(Encoded(RpcCode::kDeadlineExceeded, "too late"), Protobuf(4, "too late"));
  EXPECT_EQ(Encoded(RpcCode::kInternal, ""), Protobuf(13, ""));
  EXPECT_EQ(Encoded(RpcCode::kInternal, std::string(1000, 'x')),
            Protobuf(13, std::string(kMaxRpcStatusMessage, 'x')));
}

TEST(RpcStatusTest, ReadsCodeAndMessageAndKeepsTheRest) {
  google::rpc::Status status;
  status.set_code(7);
  status.set_message("not yours: L\xc3\xa9g");
  status.add_details()->set_type_url("type.googleapis.com/google.rpc.ErrorInfo");
  const std::string bytes = status.SerializeAsString();
  const std::optional<RpcStatus> read = DecodeRpcStatus(AsBytes(bytes));
  ASSERT_TRUE(read.has_value());
  EXPECT_EQ(read->code, 7);
  EXPECT_EQ(read->message, "not yours: L\xc3\xa9g");
  EXPECT_EQ(read->encoded, AsBytes(bytes));
}

TEST(RpcStatusTest, NothingIsSuccess) {
  const std::optional<RpcStatus> read = DecodeRpcStatus({});
  ASSERT_TRUE(read.has_value());
  EXPECT_EQ(read->code, 0);
  EXPECT_EQ(read->message, "");
}

TEST(RpcStatusTest, ACodeMayBeNegative) {
  EXPECT_EQ(DecodeRpcStatus(AsBytes(Protobuf(-5, "")))->code, -5);
}

TEST(RpcStatusTest, HalfAStatusIsNone) {
  const std::string bytes = Protobuf(300, "sentence");
  EXPECT_FALSE(DecodeRpcStatus(AsBytes(bytes).first(bytes.size() - 1)).has_value());
  EXPECT_FALSE(DecodeRpcStatus(AsBytes(bytes).first(2)).has_value());
}

TEST(RpcStatusTest, WhateverIsAcceptedProtobufReadsAlike) {
  const uint64_t seed = SeededRandom::SeedFromEnvOr(33);
  SCOPED_TRACE(absl::StrCat("replay with SLUICE_TEST_SEED=", seed));
  SeededRandom random(seed);
  int compared = 0;
  for (int round = 0; round < 20'000; ++round) {
    std::string bytes = absl::StrCat(Protobuf(static_cast<int32_t>(random.NextU32()), "message"),
                                     Protobuf(static_cast<int32_t>(random.Below(20)), "m"));
    for (uint64_t left = random.Below(3); left > 0; --left) {
      bytes[random.Below(bytes.size())] ^= static_cast<char>(1 << random.Below(8));
    }
    const auto status = DecodeRpcStatus(AsBytes(bytes));
    google::rpc::Status expected;
    // Beyond what we look at, protobuf wants valid UTF-8 and details that can be read.
    if (!status.has_value() || !expected.ParseFromString(bytes)) continue;
    ++compared;
    EXPECT_EQ(status->code, expected.code());
    EXPECT_EQ(status->message, expected.message());
  }
  EXPECT_GT(compared, 5000);
}

}  // namespace
}  // namespace sluice
