#include "quic/http3/http_answer_fields.h"

#include <nghttp3/nghttp3.h>

#include <string>
#include <utility>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "quic/http3/http_service.h"

namespace sluice {
namespace {

using testing::ElementsAre;
using testing::Pair;

std::vector<std::pair<std::string, std::string>> Of(const HttpAnswer& answer) {
  const HttpAnswerFields fields(answer);
  std::vector<std::pair<std::string, std::string>> result;
  for (const nghttp3_nv& field : fields.fields()) {
    result.emplace_back(std::string(field.name, field.name + field.namelen),
                        std::string(field.value, field.value + field.valuelen));
  }
  return result;
}

TEST(HttpAnswerFieldsTest, AnAnswerHasAStatusAndIsNotKept) {
  EXPECT_THAT(Of({.status = 204}),
              ElementsAre(Pair(":status", "204"), Pair("cache-control", "no-store")));
}

TEST(HttpAnswerFieldsTest, AnAnswerWithoutContentHasNoLength) {
  EXPECT_THAT(Of({.status = 204, .content_length = 0}),
              ElementsAre(Pair(":status", "204"), Pair("cache-control", "no-store")));
}

TEST(HttpAnswerFieldsTest, EverythingThatIsThereIsSent) {
  EXPECT_THAT(Of({.status = 405,
                  .content_type = "application/json",
                  .allow = "POST",
                  .www_authenticate = "Bearer",
                  .access_control_allow_origin = "https://a.test",
                  .access_control_allow_methods = "GET, POST",
                  .access_control_allow_headers = "authorization",
                  .access_control_max_age = "600",
                  .vary = "origin",
                  .content_length = 0}),
              ElementsAre(Pair(":status", "405"), Pair("content-type", "application/json"),
                          Pair("content-length", "0"), Pair("cache-control", "no-store"),
                          Pair("allow", "POST"), Pair("www-authenticate", "Bearer"),
                          Pair("access-control-allow-origin", "https://a.test"),
                          Pair("access-control-allow-methods", "GET, POST"),
                          Pair("access-control-allow-headers", "authorization"),
                          Pair("access-control-max-age", "600"), Pair("vary", "origin")));
}

}  // namespace
}  // namespace sluice
