#include "gateway/signalling/http_status.h"

#include "gtest/gtest.h"

namespace sluice {
namespace {

TEST(HttpStatusTest, CodesHaveTheirUsualStatus) {
  // In the order of the codes, from OK to UNAUTHENTICATED.
  constexpr int kExpected[] = {200, 499, 500, 400, 504, 404, 409, 403, 429,
                               400, 409, 400, 501, 500, 503, 500, 401};
  int code = 0;
  for (const int status : kExpected) {
    EXPECT_EQ(ToHttpStatus(static_cast<grpc::StatusCode>(code)), status) << code;
    ++code;
  }
  EXPECT_EQ(ToHttpStatus(static_cast<grpc::StatusCode>(99)), 500);
}

}  // namespace
}  // namespace sluice
