#include "gateway/control/node_report.h"

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "gateway/config/limits.h"
#include "gateway/control/gateway_service.h"
#include "gateway/control/testing/control_harness.h"
#include "gateway/io/testing/open_descriptors.h"
#include "gtest/gtest.h"
#include "proto/gateway/v1/gateway_service.pb.h"
#include "proto/gateway/v1/node.pb.h"

namespace sluice {
namespace {

class NodeReportTest : public ::testing::Test {
 protected:
  gateway::v1::Node Node() {
    gateway::v1::GetNodeResponse response;
    const grpc::Status status = harness_.Call(&GatewayService::GetNode, "", response);
    EXPECT_TRUE(status.ok()) << status.error_message();
    return response.node();
  }
  gateway::v1::LimitUsage Limit(const std::string& name) {
    const gateway::v1::Node node = Node();
    for (const auto& usage : node.limits()) {
      if (usage.name() == name) {
        return usage;
      }
    }
    ADD_FAILURE() << "no limit " << name;
    return {};
  }
  void Call(const std::string& request) {
    EXPECT_TRUE(harness_.Call(&GatewayService::CreateSession, request).ok());
  }

  ControlHarness harness_;
};

TEST_F(NodeReportTest, TellsWhatThisGatewayIs) {
  harness_.Advance(absl::Milliseconds(2500));
  const gateway::v1::Node node = Node();
  EXPECT_EQ(node.version(), "1.2.3");
  EXPECT_EQ(node.instance_id(), "test-instance");
  EXPECT_EQ(node.start_time().seconds(), 1'700'000'000);
  EXPECT_EQ(node.uptime().seconds(), 2);
  EXPECT_EQ(node.uptime().nanos(), 500'000'000);
  EXPECT_EQ(node.default_session_config().idle_timeout().seconds(), 60);
  EXPECT_EQ(node.open_file_descriptors(), CountOpenDescriptors());
  EXPECT_EQ(node.crypto_engine(), "boringssl");
}

TEST_F(NodeReportTest, TellsOfEveryWorker) {
  Call("session_id: 'a'");
  Call("session_id: 'b'");
  Call("session_id: 'c'");
  const gateway::v1::Node node = Node();
  ASSERT_EQ(node.workers_size(), 2);
  EXPECT_EQ(node.workers(0).worker(), 0u);
  EXPECT_EQ(node.workers(1).worker(), 1u);
  EXPECT_EQ(node.workers(0).sessions() + node.workers(1).sessions(), 3u);
  EXPECT_GT(node.workers(0).packet_slots(), 0u);
  EXPECT_EQ(node.workers(0).packet_slots_free(), node.workers(0).packet_slots());
}

TEST_F(NodeReportTest, EveryLimitOfTheConfigurationIsNamed) {
  for (const LimitRow& row : kLimitRows) {
    EXPECT_EQ(Limit(std::string(row.name)).limit(), HarnessOptions().limits.*row.member)
        << row.name;
  }
  EXPECT_EQ(Limit("media_ports").limit(), 32u) << "16 pairs of each family";
  EXPECT_GT(Limit("packet_slots").limit(), 0u);
}

TEST_F(NodeReportTest, CountsWhatIsUsedAndRefused) {
  for (int i = 0; i < 8; ++i) {
    Call("session_id: '" + std::to_string(i) + "'");
  }
  EXPECT_FALSE(harness_.Call(&GatewayService::CreateSession, "session_id: 'x'").ok());
  EXPECT_EQ(Limit("sessions").used(), 8u);
  EXPECT_EQ(Limit("sessions").refused(), 1u);
  EXPECT_TRUE(harness_
                  .Call(&GatewayService::AddLeg,
                        "session_id: '0' leg_id: 'a' config { kind: LEG_KIND_RTP }")
                  .ok());
  EXPECT_EQ(Limit("media_ports").used(), 1u);
  EXPECT_EQ(Limit("event_log").used(), 9u);
  EXPECT_TRUE(harness_.Call(&GatewayService::DeleteSession, "session_id: '0'").ok());
  EXPECT_EQ(Limit("media_ports").used(), 0u);
  EXPECT_EQ(Limit("tombstones").used(), 1u);
  EXPECT_EQ(Limit("sessions").used(), 7u);
}

TEST_F(NodeReportTest, CountsWhatLegsTakeBeyondTheUsual) {
  Call("session_id: 'a'");
  const auto add = [this](const char* leg, const char* window) {
    return harness_.Call(&GatewayService::AddLeg,
                         std::string("session_id: 'a' leg_id: '") + leg +
                             "' config { kind: LEG_KIND_SRTP remote_options { rtp_replay_window: " +
                             window + " } }");
  };
  EXPECT_TRUE(add("usual", "1024").ok());
  EXPECT_EQ(Limit("extra_srtp_kib").used(), 0u);
  EXPECT_TRUE(add("wide", "32768").ok());
  // Four streams and two spare contexts, 31 * 1024 bits each.
  EXPECT_EQ(Limit("extra_srtp_kib").used(), 6u * 31 / 8 + 1);
  EXPECT_EQ(Limit("extra_srtp_kib").refused(), 0u);
}

TEST_F(NodeReportTest, WithoutAPortForQuicThereIsNothingToTellOfIt) {
  EXPECT_FALSE(Node().has_quic());
  EXPECT_EQ(Limit("quic_connections").used(), 0u);
}

TEST(NodeReportQuicTest, LimitsOfQuicAreCounted) {
  ControlHarness harness;
  NodeSources sources;
  sources.media_ports = [] { return LimitState{}; };
  sources.quic = [] {
    QuicUse use{.connections = {0, 7, 2},
                .half_open = {0, 3, 5},
                .refused_source = 4,
                .threads = {0, 1, 6}};
    use.status.set_address("127.0.0.1:7444");
    use.status.set_connections(7);
    return use;
  };
  gateway::v1::Node node;
  ASSERT_EQ(ReportNode(sources, harness.room(), node), absl::OkStatus());
  EXPECT_EQ(node.quic().address(), "127.0.0.1:7444");
  EXPECT_EQ(node.quic().connections(), 7u);
  std::map<std::string, gateway::v1::LimitUsage> limits;
  for (const auto& limit : node.limits()) {
    limits[limit.name()] = limit;
  }
  EXPECT_EQ(limits["quic_connections"].limit(), Limits{}.quic_connections);
  EXPECT_EQ(limits["quic_connections"].used(), 7u);
  EXPECT_EQ(limits["quic_connections"].refused(), 2u);
  EXPECT_EQ(limits["quic_half_open"].used(), 3u);
  EXPECT_EQ(limits["quic_half_open"].refused(), 5u);
  EXPECT_EQ(limits["quic_connections_per_source"].refused(), 4u);
  EXPECT_EQ(limits["quic_threads"].used(), 1u);
  EXPECT_EQ(limits["quic_threads"].refused(), 6u);
}

TEST(NodeReportRefusalsTest, WhyParticipantsWereRefusedIsCounted) {
  ControlHarness harness;
  NodeSources sources;
  sources.media_ports = [] { return LimitState{}; };
  gateway::v1::Node none;
  ASSERT_EQ(ReportNode(sources, harness.room(), none), absl::OkStatus());
  EXPECT_EQ(none.participants_refused_size(), 0);
  sources.participants_refused = [] {
    return std::vector<std::pair<absl::string_view, uint64_t>>{{"expired", 3}, {"revoked", 0}};
  };
  gateway::v1::Node node;
  ASSERT_EQ(ReportNode(sources, harness.room(), node), absl::OkStatus());
  ASSERT_EQ(node.participants_refused_size(), 1) << "what never happened is left out";
  EXPECT_EQ(node.participants_refused(0).name(), "expired");
  EXPECT_EQ(node.participants_refused(0).count(), 3u);
}

TEST_F(NodeReportTest, AStoppingGatewayIsUnavailable) {
  harness_.workers().Stop();
  EXPECT_EQ(harness_.Call(&GatewayService::GetNode, "").error_code(),
            grpc::StatusCode::UNAVAILABLE);
}

}  // namespace
}  // namespace sluice
