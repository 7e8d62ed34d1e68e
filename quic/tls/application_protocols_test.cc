#include "quic/tls/application_protocols.h"

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "base/data_size.h"
#include "gtest/gtest.h"

namespace sluice {
namespace {

std::vector<uint8_t> Bytes(absl::string_view text) { return {text.begin(), text.end()}; }

ApplicationProtocol Protocol(std::string name) { return {.name = std::move(name)}; }

absl::string_view Selected(const ApplicationProtocols& protocols, absl::string_view offered) {
  const ApplicationProtocols::Entry* entry = protocols.Select(Bytes(offered));
  return entry == nullptr ? "none" : absl::string_view(entry->protocol.name);
}

TEST(ApplicationProtocolsTest, OurPreferenceDecides) {
  const auto protocols = ApplicationProtocols::Create({Protocol("sluice/1"), Protocol("h3")});
  ASSERT_EQ(protocols.status(), absl::OkStatus());
  EXPECT_EQ(Selected(*protocols, "\x02h3\x08sluice/1"), "sluice/1");
  EXPECT_EQ(Selected(*protocols, "\x02h2\x02h3"), "h3");
  EXPECT_EQ(Selected(*protocols, "\x02h2"), "none");
  EXPECT_EQ(Selected(*protocols, ""), "none");
  EXPECT_EQ(protocols->best().protocol.name, "sluice/1");
  EXPECT_EQ(protocols->Find("h3")->protocol.name, "h3");
  EXPECT_EQ(protocols->Find("h2"), nullptr);
}

TEST(ApplicationProtocolsTest, ReadsNoFurtherThanAListGoes) {
  const auto protocols = ApplicationProtocols::Create({Protocol("h3")});
  ASSERT_EQ(protocols.status(), absl::OkStatus());
  EXPECT_EQ(Selected(*protocols, "\x03h3"), "none");
  EXPECT_EQ(Selected(*protocols, "\x02h"), "none");
  EXPECT_EQ(Selected(*protocols, "\x02h3\xff"), "h3");
  EXPECT_EQ(Selected(*protocols, absl::string_view("\0\x02h3", 4)), "h3");
}

TEST(ApplicationProtocolsTest, OffersAllInOrder) {
  const auto protocols = ApplicationProtocols::Create({Protocol("h3"), Protocol("sluice/1")});
  ASSERT_EQ(protocols.status(), absl::OkStatus());
  EXPECT_EQ(protocols->offer(), Bytes("\x02h3\x08sluice/1"));
}

TEST(ApplicationProtocolsTest, EarlyDataDependsOnWhatIsRememberedAndOnTheEpochOnly) {
  const auto context = [](const ApplicationProtocol& protocol) {
    return ApplicationProtocols::Create({protocol})->best().early_data_context;
  };
  const ApplicationProtocol plain = Protocol("h3");
  EXPECT_FALSE(context(plain).empty());
  ApplicationProtocol other = plain;
  other.parameters.ack_delay_exponent = 7;
  EXPECT_EQ(context(other), context(plain));
  other.parameters.initial_max_data = DataSize::Bytes(1);
  EXPECT_NE(context(other), context(plain));
  other = plain;
  other.early_data_epoch = "2";
  EXPECT_NE(context(other), context(plain));
}

TEST(ApplicationProtocolsTest, SaysWhatIsWrong) {
  const auto message = [](std::vector<ApplicationProtocol> protocols) {
    return std::string(ApplicationProtocols::Create(std::move(protocols)).status().message());
  };
  EXPECT_EQ(message({}), "there are 0 application protocols, not 1 to 16");
  EXPECT_EQ(message(std::vector<ApplicationProtocol>(17, Protocol("x"))),
            "there are 17 application protocols, not 1 to 16");
  EXPECT_EQ(message({Protocol("")}), "an application protocol's name has 0 bytes, not 1 to 255");
  EXPECT_EQ(message({Protocol(std::string(256, 'x'))}),
            "an application protocol's name has 256 bytes, not 1 to 255");
  EXPECT_EQ(message({Protocol("h3"), Protocol("h3")}), "application protocol h3 is there twice");
  ApplicationProtocol bad = Protocol("h3");
  bad.parameters.active_connection_id_limit = 9;
  EXPECT_EQ(message({bad}),
            "application protocol h3: active_connection_id_limit is 9, at most 8 can be kept");
}

}  // namespace
}  // namespace sluice
