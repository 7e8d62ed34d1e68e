#include "quic/http3/http_request_builder.h"

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "gtest/gtest.h"
#include "quic/http3/http_buffer_pool.h"
#include "quic/http3/http_limits.h"
#include "quic/http3/http_service.h"

namespace sluice {
namespace {

using Verdict = HttpRequestBuilder::Verdict;

class HttpRequestBuilderTest : public testing::Test {
 protected:
  HttpRequestBuilderTest() { EXPECT_TRUE(builder_.Start(share_)); }
  void Add(const std::vector<std::pair<absl::string_view, absl::string_view>>& fields) {
    for (const auto& [name, value] : fields) {
      EXPECT_EQ(builder_.AddField(name, value), Verdict::kTaken) << name;
    }
  }

  HttpBufferPool pool_{2};
  HttpBufferShare share_{pool_, 2};
  HttpRequestBuilder builder_;
};

TEST_F(HttpRequestBuilderTest, ARequestHasWhatWasSentOfIt) {
  Add({{":method", "POST"},
       {":scheme", "https"},
       {":authority", "sluice.test"},
       {":path", "/v1/join?a=b?c"},
       {"authorization", "Bearer x"},
       {"content-type", "application/json"},
       {"content-length", "3"},
       {"origin", "https://page.test"},
       {"access-control-request-method", "POST"},
       {"user-agent", "somebody"}});
  EXPECT_EQ(builder_.AddBody(std::vector<uint8_t>{1, 2}), Verdict::kTaken);
  EXPECT_EQ(builder_.AddBody(std::vector<uint8_t>{3}), Verdict::kTaken);
  EXPECT_EQ(builder_.Complete(), Verdict::kTaken);
  const HttpRequest request = builder_.request();
  EXPECT_EQ(request.method, "POST");
  EXPECT_EQ(request.path, "/v1/join");
  EXPECT_EQ(request.query, "a=b?c");
  EXPECT_EQ(request.authority, "sluice.test");
  EXPECT_EQ(request.authorization, "Bearer x");
  EXPECT_EQ(request.content_type, "application/json");
  EXPECT_EQ(request.origin, "https://page.test");
  EXPECT_EQ(request.access_control_request_method, "POST");
  EXPECT_EQ(std::vector<uint8_t>(request.body.begin(), request.body.end()),
            (std::vector<uint8_t>{1, 2, 3}));
  EXPECT_FALSE(request.early);
  EXPECT_FALSE(builder_.is_head());
}

TEST_F(HttpRequestBuilderTest, WhatWasNotSentIsEmpty) {
  Add({{":method", "GET"}, {":path", "/"}, {"host", "sluice.test"}});
  EXPECT_EQ(builder_.Complete(), Verdict::kTaken);
  const HttpRequest request = builder_.request();
  EXPECT_EQ(request.query, "");
  EXPECT_EQ(request.authority, "sluice.test");
  EXPECT_EQ(request.authorization, "");
  EXPECT_TRUE(request.body.empty());
}

TEST_F(HttpRequestBuilderTest, HeadIsGetWhoseBodyNobodyWants) {
  Add({{":method", "HEAD"}, {":path", "/healthz"}});
  EXPECT_TRUE(builder_.is_head());
  EXPECT_EQ(builder_.request().method, "GET");
}

TEST_F(HttpRequestBuilderTest, WhoIsAskedIsNamedOnceAndWithoutAUser) {
  EXPECT_EQ(builder_.AddField(":authority", "user@sluice.test"), Verdict::kMalformed);
  EXPECT_EQ(builder_.AddField("host", "a@b"), Verdict::kMalformed);
  EXPECT_EQ(builder_.AddField("host", ""), Verdict::kMalformed);
  Add({{":authority", "sluice.test"}, {"host", "sluice.test"}});
  EXPECT_EQ(builder_.Complete(), Verdict::kTaken);
  builder_.Clear();
  ASSERT_TRUE(builder_.Start(share_));
  Add({{":authority", "sluice.test"}, {"host", "other.test"}});
  EXPECT_EQ(builder_.Complete(), Verdict::kMalformed);
}

TEST_F(HttpRequestBuilderTest, AFieldThatMayStandOnceDoesNotStandTwice) {
  Add({{"authorization", "Bearer x"}, {"x-other", "1"}, {"x-other", "2"}});
  EXPECT_EQ(builder_.AddField("authorization", "Bearer y"), Verdict::kRepeated);
  Add({{"origin", ""}});
  EXPECT_EQ(builder_.AddField("origin", ""), Verdict::kRepeated);
}

TEST_F(HttpRequestBuilderTest, FieldsAreAsLongAsTheyMayAndNoLonger) {
  const std::string value(kMaxHttpFieldSection - 32 - 1, 'v');
  EXPECT_EQ(builder_.AddField("a", value), Verdict::kTaken);
  EXPECT_EQ(builder_.AddField("b", ""), Verdict::kFieldsTooLong);
  builder_.Clear();
  ASSERT_TRUE(builder_.Start(share_));
  EXPECT_EQ(builder_.AddField("ab", value), Verdict::kFieldsTooLong);
  builder_.Clear();
  ASSERT_TRUE(builder_.Start(share_));
  // Also those that are kept.
  const std::string token(kMaxHttpFieldSection - 32 - 13, 't');
  EXPECT_EQ(builder_.AddField("authorization", token), Verdict::kTaken);
  EXPECT_EQ(builder_.request().authorization, token);
}

TEST_F(HttpRequestBuilderTest, FieldsAreNoMoreThanTheyMayBe) {
  for (size_t i = 0; i < kMaxHttpFields; ++i) {
    ASSERT_EQ(builder_.AddField(absl::StrCat("f", i), ""), Verdict::kTaken);
  }
  EXPECT_EQ(builder_.AddTrailer("t", ""), Verdict::kFieldsTooLong);
}

TEST_F(HttpRequestBuilderTest, ABodyIsAsLongAsItMayAndNoLonger) {
  const std::vector<uint8_t> body(kMaxHttpBody, 1);
  EXPECT_EQ(builder_.AddBody(body), Verdict::kTaken);
  EXPECT_EQ(builder_.request().body.size(), kMaxHttpBody);
  EXPECT_EQ(builder_.AddBody(std::vector<uint8_t>{1}), Verdict::kBodyTooLong);
}

TEST_F(HttpRequestBuilderTest, ABodyThatWillBeTooLongIsNotWaitedFor) {
  EXPECT_EQ(builder_.AddField("content-length", "65536"), Verdict::kTaken);
  EXPECT_EQ(builder_.AddField("content-length", "65537"), Verdict::kBodyTooLong);
  EXPECT_EQ(builder_.AddField("content-length", "99999999999999999999"), Verdict::kBodyTooLong);
}

TEST_F(HttpRequestBuilderTest, TheBufferGoesBack) {
  EXPECT_EQ(pool_.free(), 1u);
  builder_.Clear();
  EXPECT_EQ(pool_.free(), 2u);
  HttpBufferShare none(pool_, 0);
  EXPECT_FALSE(builder_.Start(none));
}

}  // namespace
}  // namespace sluice
