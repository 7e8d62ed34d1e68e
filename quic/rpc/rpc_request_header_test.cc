#include "quic/rpc/rpc_request_header.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "base/testing/seeded_random.h"
#include "base/time_delta.h"
#include "gtest/gtest.h"
#include "proto/quic/v1/rpc_frames.pb.h"
#include "quic/rpc/rpc_frame.h"

namespace sluice {
namespace {

absl::Span<const uint8_t> AsBytes(absl::string_view text) {
  return absl::MakeConstSpan(reinterpret_cast<const uint8_t*>(text.data()), text.size());
}

std::string Protobuf(absl::string_view method, absl::string_view token, uint32_t timeout_ms) {
  quic::v1::RequestHeader header;
  header.set_method(std::string(method));
  header.set_token(std::string(token));
  header.set_timeout_ms(timeout_ms);
  return header.SerializeAsString();
}

bool IsAccepted(absl::string_view method, absl::string_view token) {
  return DecodeRpcRequestHeader(AsBytes(Protobuf(method, token, 0))).has_value();
}

TEST(RpcRequestHeaderTest, WritesWhatProtobufWrites) {
  std::array<uint8_t, kMaxRpcHeader> buffer;
  const auto encoded = [&](const RpcRequestHeader& header) {
    const auto bytes = EncodeRpcRequestHeader(header, absl::MakeSpan(buffer));
    return bytes.has_value() ? std::string(bytes->begin(), bytes->end()) : "none";
  };
  EXPECT_EQ(encoded({"Join", "a.b.c", TimeDelta::Seconds(3)}), Protobuf("Join", "a.b.c", 3000));
  EXPECT_EQ(encoded({"Ping", "", TimeDelta::PlusInfinity()}), Protobuf("Ping", "", 0));
  EXPECT_EQ(encoded({"Ping", "", TimeDelta::Micros(1001)}), Protobuf("Ping", "", 2));
  EXPECT_EQ(encoded({"Ping", "", TimeDelta::Zero()}), Protobuf("Ping", "", 1));
  EXPECT_EQ(encoded({"Ping", "", TimeDelta::Millis(int64_t{1} << 40)}),
            Protobuf("Ping", "", 0xFFFF'FFFF));
}

TEST(RpcRequestHeaderTest, ReadsWhatProtobufWrites) {
  const std::string bytes = Protobuf("sluice.v1/Watch_Events", "eyJ.eyJ-_~+/=", 1500);
  const auto header = DecodeRpcRequestHeader(AsBytes(bytes));
  ASSERT_TRUE(header.has_value());
  EXPECT_EQ(header->method, "sluice.v1/Watch_Events");
  EXPECT_EQ(header->token, "eyJ.eyJ-_~+/=");
  EXPECT_EQ(header->timeout, TimeDelta::Millis(1500));
  EXPECT_EQ(DecodeRpcRequestHeader(AsBytes(Protobuf("Ping", "", 0)))->timeout,
            TimeDelta::PlusInfinity());
}

TEST(RpcRequestHeaderTest, MethodsAreShortAndPlain) {
  EXPECT_TRUE(IsAccepted("J", ""));
  EXPECT_TRUE(IsAccepted(std::string(kMaxRpcMethod, 'x'), ""));
  EXPECT_FALSE(IsAccepted("", "token"));
  EXPECT_FALSE(IsAccepted(std::string(kMaxRpcMethod + 1, 'x'), ""));
  EXPECT_FALSE(IsAccepted("Jo in", ""));
  EXPECT_FALSE(IsAccepted("Join\n", ""));
  EXPECT_FALSE(IsAccepted(absl::string_view("Join\0", 5), ""));
}

TEST(RpcRequestHeaderTest, TokensArePrintable) {
  EXPECT_TRUE(IsAccepted("Join", std::string(8000, '~')));
  EXPECT_FALSE(IsAccepted("Join", "a b"));
  EXPECT_FALSE(IsAccepted("Join", "a\r\nb"));
  EXPECT_FALSE(IsAccepted("Join", "caf\xc3\xa9"));
}

TEST(RpcRequestHeaderTest, IgnoresWhatItDoesNotKnow) {
  const std::string known = Protobuf("Join", "t", 5);
  const std::string more = absl::StrCat(known, "\x4a\x03xyz", "\x10\x07", "\x1a\x01z");
  ASSERT_TRUE(quic::v1::RequestHeader().ParseFromString(more));
  EXPECT_EQ(DecodeRpcRequestHeader(AsBytes(more)), DecodeRpcRequestHeader(AsBytes(known)));
}

TEST(RpcRequestHeaderTest, NothingThatDoesNotFitIsWritten) {
  std::array<uint8_t, 64> buffer;
  const RpcRequestHeader header = {"Join", "abc", TimeDelta::Seconds(3)};
  const size_t size = EncodeRpcRequestHeader(header, absl::MakeSpan(buffer))->size();
  for (size_t room = 0; room < size; ++room) {
    EXPECT_FALSE(EncodeRpcRequestHeader(header, absl::MakeSpan(buffer).first(room)).has_value());
  }
  EXPECT_FALSE(EncodeRpcRequestHeader({"", ""}, absl::MakeSpan(buffer)).has_value());
  EXPECT_FALSE(EncodeRpcRequestHeader({"Join", "a b"}, absl::MakeSpan(buffer)).has_value());
}

TEST(RpcRequestHeaderTest, WhateverIsAcceptedProtobufReadsAlike) {
  const uint64_t seed = SeededRandom::SeedFromEnvOr(32);
  SCOPED_TRACE(absl::StrCat("replay with SLUICE_TEST_SEED=", seed));
  SeededRandom random(seed);
  int accepted = 0;
  for (int round = 0; round < 20'000; ++round) {
    std::string bytes = absl::StrCat(Protobuf("Join", "token", random.NextU32()),
                                     Protobuf("Le", "", static_cast<uint32_t>(random.Below(3))));
    for (uint64_t left = random.Below(3); left > 0; --left) {
      bytes[random.Below(bytes.size())] ^= static_cast<char>(1 << random.Below(8));
    }
    bytes.resize(bytes.size() - random.Below(4));
    const auto header = DecodeRpcRequestHeader(AsBytes(bytes));
    quic::v1::RequestHeader expected;
    // Of a text that a later one replaces protobuf wants valid UTF-8 all the same.
    if (!header.has_value() || !expected.ParseFromString(bytes)) continue;
    ++accepted;
    EXPECT_EQ(header->method, expected.method());
    EXPECT_EQ(header->token, expected.token());
    EXPECT_EQ(header->timeout, expected.timeout_ms() == 0
                                   ? TimeDelta::PlusInfinity()
                                   : TimeDelta::Millis(expected.timeout_ms()));
  }
  EXPECT_GT(accepted, 2000);
}

}  // namespace
}  // namespace sluice
