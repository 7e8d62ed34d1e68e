#include "gateway/control/page_token.h"

#include <optional>
#include <string>

#include "absl/strings/escaping.h"
#include "absl/strings/string_view.h"
#include "gtest/gtest.h"
#include "proto/gateway/v1/gateway_service.pb.h"

namespace sluice {
namespace {

gateway::v1::SessionFilter Filter() {
  gateway::v1::SessionFilter filter;
  filter.set_session_id_prefix("call-");
  (*filter.mutable_labels())["tenant"] = "a";
  (*filter.mutable_labels())["site"] = "b";
  return filter;
}

TEST(PageTokenTest, GoesOnBehindTheIdForTheSameFilter) {
  const std::string token = MakePageToken(Filter(), "call-7");
  EXPECT_EQ(ParsePageToken(Filter(), token), "call-7");
  EXPECT_EQ(MakePageToken(Filter(), "call-7"), token) << "whatever the order of the labels";
}

TEST(PageTokenTest, IsOfNoUseWithAnotherFilter) {
  const std::string token = MakePageToken(Filter(), "call-7");
  gateway::v1::SessionFilter other = Filter();
  other.set_session_id_prefix("call");
  EXPECT_EQ(ParsePageToken(other, token), std::nullopt);
  other = Filter();
  other.set_state(gateway::v1::SESSION_STATE_ENDED);
  EXPECT_EQ(ParsePageToken(other, token), std::nullopt);
  other = Filter();
  (*other.mutable_labels())["site"] = "c";
  EXPECT_EQ(ParsePageToken(other, token), std::nullopt);
  other = Filter();
  other.mutable_labels()->erase("site");
  EXPECT_EQ(ParsePageToken(other, token), std::nullopt);
}

TEST(PageTokenTest, LabelsCannotBeShiftedIntoEachOther) {
  gateway::v1::SessionFilter ab_c, a_bc;
  (*ab_c.mutable_labels())["ab"] = "c";
  (*a_bc.mutable_labels())["a"] = "bc";
  EXPECT_EQ(ParsePageToken(a_bc, MakePageToken(ab_c, "x")), std::nullopt);
}

TEST(PageTokenTest, GarbageIsNoToken) {
  const std::string token = MakePageToken(Filter(), "call-7");
  for (size_t size = 0; size < token.size(); ++size) {
    const std::optional<std::string> id = ParsePageToken(Filter(), token.substr(0, size));
    EXPECT_TRUE(!id.has_value() || absl::string_view("call-7").substr(0, id->size()) == *id);
  }
  EXPECT_EQ(ParsePageToken(Filter(), "%%%"), std::nullopt);
  EXPECT_EQ(ParsePageToken(Filter(), absl::WebSafeBase64Escape("1:0000000000000000:call-7")),
            std::nullopt);
  EXPECT_EQ(ParsePageToken(Filter(), MakePageToken(Filter(), "")), std::nullopt);
  EXPECT_EQ(ParsePageToken(Filter(), MakePageToken(Filter(), "no blanks")), std::nullopt);
  EXPECT_EQ(ParsePageToken(Filter(), MakePageToken(Filter(), std::string(129, 'x'))), std::nullopt);
}

}  // namespace
}  // namespace sluice
