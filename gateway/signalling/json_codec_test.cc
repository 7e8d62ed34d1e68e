#include "gateway/signalling/json_codec.h"

#include <grpcpp/grpcpp.h>

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/testing/seeded_random.h"
#include "gateway/control/status_convert.h"
#include "gateway/control/testing/grpc_details.h"
#include "gateway/errors/error_detail.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "proto/signalling/v1/signalling_service.pb.h"

namespace sluice {
namespace {

namespace pb = ::sluice::signalling::v1;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

std::vector<uint8_t> Bytes(const std::string& text) { return {text.begin(), text.end()}; }

template <typename Request>
grpc::Status Decode(const std::string& json, Request& request) {
  request.Clear();
  return JsonCodec().Decode(Bytes(json), request);
}

TEST(JsonCodecTest, MessagesAreReadAndWrittenAsProtobufMapsThem) {
  pb::WatchEventsRequest watch;
  ASSERT_TRUE(Decode(R"({"afterSequence": "12", "instance_id": "i"})", watch).ok());
  EXPECT_EQ(watch.after_sequence(), 12u);
  EXPECT_EQ(watch.instance_id(), "i");
  EXPECT_EQ(JsonCodec().Encode(RowOf(SignallingMethod::kJoin), watch).value(),
            R"({"afterSequence":"12","instanceId":"i"})");
  pb::PingRequest ping;
  ASSERT_TRUE(Decode(R"({"payload": "aGk="})", ping).ok());
  EXPECT_EQ(ping.payload(), "hi");
  ASSERT_TRUE(Decode(R"({"config": {"hold": false}})", *std::make_unique<pb::JoinRequest>()).ok());
  EXPECT_EQ(JsonCodec().Encode(RowOf(SignallingMethod::kLeave), pb::LeaveRequest()).value(), "{}");
}

TEST(JsonCodecTest, NoBodyIsAnEmptyMessage) {
  pb::JoinRequest request;
  EXPECT_TRUE(Decode("", request).ok());
  EXPECT_TRUE(Decode("{}", request).ok());
  EXPECT_TRUE(Decode(" { } \n", request).ok());
}

TEST(JsonCodecTest, MessagesOfAStreamAreLines) {
  pb::WatchEventsResponse message;
  message.set_instance_id("i\nj");
  EXPECT_EQ(JsonCodec().Encode(RowOf(SignallingMethod::kWatchEvents), message).value(),
            "{\"result\":{\"instanceId\":\"i\\nj\"}}\n");
}

TEST(JsonCodecTest, WhatIsNotKnownIsNamed) {
  pb::JoinRequest request;
  for (const auto& [json, path] : {std::pair(R"({"session_id": "other"})", "session_id"),
                                   {R"({"legId": "bob"})", "legId"},
                                   {R"({"config": {"nothing": 1}})", "config.nothing"}}) {
    const grpc::Status status = Decode(json, request);
    EXPECT_EQ(status.error_code(), grpc::StatusCode::INVALID_ARGUMENT) << json;
    EXPECT_THAT(BadFields(status), ElementsAre(path)) << json;
  }
}

TEST(JsonCodecTest, AValueOfAnotherTypeIsNamedAndNotRepeated) {
  pb::JoinRequest request;
  for (const auto& [json, path] :
       {std::pair(R"({"config": {"hold": "SECRET"}})", "config.hold"),
        {R"({"config": {"remote": {"rtp": {"port": "SECRET"}}}})", "config.remote.rtp.port"},
        {R"({"config": {"kind": "SECRET"}})", "config.kind"}}) {
    const grpc::Status status = Decode(json, request);
    EXPECT_THAT(BadFields(status), ElementsAre(path)) << json << status.error_message();
    EXPECT_THAT(status.error_message(), Not(HasSubstr("SECRET")));
  }
}

TEST(JsonCodecTest, WhatIsNoJsonIsRefused) {
  pb::JoinRequest request;
  for (const char* json :
       {"x", "{", "{\"config\"}", "{]", "[]", "[1]", "1", "\"x\"", "{}{}", "{\"config\": 1}",
        "\xff\xfe", "{\"config\": []}", "{\"config\": \"\xc3\x28\"}"}) {
    const grpc::Status status = Decode(json, request);
    EXPECT_EQ(status.error_code(), grpc::StatusCode::INVALID_ARGUMENT) << json;
    EXPECT_FALSE(status.error_message().empty()) << json;
  }
}

TEST(JsonCodecTest, DepthHasABound) {
  pb::JoinRequest request;
  const std::string deep =
      "{\"config\":" + std::string(30'000, '[') + std::string(30'000, ']') + "}";
  EXPECT_FALSE(Decode(deep, request).ok());
  std::string nested;
  for (int i = 0; i < 5'000; ++i) {
    nested += "{\"config\":";
  }
  EXPECT_FALSE(Decode(nested, request).ok());
}

TEST(JsonCodecTest, AnythingIsDecodedOrRefused) {
  const uint64_t seed = SeededRandom::SeedFromEnvOr(7);
  SCOPED_TRACE(absl::StrCat("replay with SLUICE_TEST_SEED=", seed));
  SeededRandom random(seed);
  const std::string good =
      R"({"config":{"hold":true,"remote":{"rtp":{"ip":"127.0.0.1","port":9}}},"offeredKeys":[{}]})";
  for (int i = 0; i < 3000; ++i) {
    std::string json = good;
    for (uint64_t changes = random.Below(4) + 1; changes > 0; --changes) {
      json[random.Below(json.size())] = "{}[]\",:0ae\\u\x80\x00 "[random.Below(15)];
    }
    pb::JoinRequest request;
    const grpc::Status status = Decode(json, request);
    EXPECT_TRUE(status.ok() || status.error_code() == grpc::StatusCode::INVALID_ARGUMENT) << json;
  }
}

TEST(JsonCodecTest, AStatusHasItsDetails) {
  const std::string json = StatusJson(ToGrpcStatus(InvalidField("config.hold", "must not be")));
  EXPECT_THAT(json, HasSubstr(R"("code":3)"));
  EXPECT_THAT(json, HasSubstr("type.googleapis.com/google.rpc.BadRequest"));
  EXPECT_THAT(json, HasSubstr(R"("field":"config.hold")"));
  EXPECT_EQ(StatusJson(grpc::Status::OK), "{}");
}

TEST(JsonCodecTest, ADetailThatIsNotKnownDoesNotCostTheStatus) {
  google::rpc::Status details;
  details.add_details()->set_type_url("type.googleapis.com/no.Such");
  details.mutable_details(0)->set_value("x");
  EXPECT_EQ(
      StatusJson(grpc::Status(grpc::StatusCode::NOT_FOUND, "gone", details.SerializeAsString())),
      R"({"code":5,"message":"gone"})");
}

TEST(JsonCodecTest, AStreamsErrorIsALine) {
  EXPECT_EQ(ErrorLine(grpc::Status(grpc::StatusCode::UNAVAILABLE, "a\nb")),
            "{\"error\":{\"code\":14,\"message\":\"a b\"}}\n");
}

}  // namespace
}  // namespace sluice
