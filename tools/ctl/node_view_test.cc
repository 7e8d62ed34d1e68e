#include "tools/ctl/node_view.h"

#include "gtest/gtest.h"

namespace sluice {
namespace {

TEST(NodeViewTest, ShowsWorkersAndLimits) {
  gateway::v1::Node node;
  node.set_version("0.1");
  node.set_instance_id("abc");
  node.mutable_start_time()->set_seconds(1'700'000'000);
  node.mutable_uptime()->set_seconds(90);
  node.set_open_file_descriptors(23);
  node.set_crypto_engine("ipsec_mb");
  node.mutable_default_session_config()->mutable_idle_timeout()->set_seconds(60);
  auto* worker = node.add_workers();
  worker->set_sessions(2);
  worker->set_legs(4);
  worker->set_packet_slots(4096);
  worker->set_packet_slots_free(4000);
  auto* limit = node.add_limits();
  limit->set_name("sessions");
  limit->set_limit(1000);
  limit->set_used(2);
  limit->set_refused(1);
  EXPECT_EQ(RenderNode(node),
            "gateway 0.1  instance abc  up 1m30s since 2023-11-14T22:13:20Z\n"
            "crypto engine: ipsec_mb  open file descriptors: 23\n"
            "default timeouts: offer 0, idle 1m, hold 0, absolute 0\n"
            "\n"
            "WORKER  SESSIONS  LEGS  PACKET SLOTS  FREE  EVENTS DROPPED\n"
            "0              2     4          4096  4000               0\n"
            "\n"
            "LIMIT     USED    OF  REFUSED\n"
            "sessions     2  1000        1\n");
}

}  // namespace
}  // namespace sluice
