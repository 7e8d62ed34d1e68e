#include "tools/ctl/node_view.h"

#include <string>
#include <utility>

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

TEST(NodeViewTest, ShowsQuicWhereThereIsAPortForIt) {
  gateway::v1::Node node;
  EXPECT_EQ(RenderNode(node).find("QUIC"), std::string::npos);
  gateway::v1::QuicStatus& quic = *node.mutable_quic();
  quic.set_address("[::]:7444");
  quic.set_connections(12);
  quic.set_half_open(3);
  quic.set_event_streams(4);
  quic.set_datagrams_sent(600);
  quic.set_datagrams_lost(1);
  quic.set_certificates_replaced(2);
  for (const auto& [name, count] : {std::pair("delivered", 500), std::pair("retry_sent", 7)}) {
    gateway::v1::NamedCount& datagrams = *quic.add_datagrams();
    datagrams.set_name(name);
    datagrams.set_count(count);
  }
  for (const char* name : {"sluice/1", "h3"}) {
    gateway::v1::QuicProtocolStatus& protocol = *quic.add_protocols();
    protocol.set_name(name);
    protocol.set_connections(20);
  }
  quic.mutable_protocols(0)->set_refused(1);
  gateway::v1::NamedCount& ended = *quic.mutable_protocols(0)->add_ended();
  ended.set_name("idle_timeout");
  ended.set_count(8);
  gateway::v1::NamedCount& calls = *quic.mutable_protocols(0)->add_calls();
  calls.set_name("ok");
  calls.set_count(40);
  const std::string text = RenderNode(node);
  EXPECT_EQ(text.substr(text.find("QUIC")),
            "QUIC at [::]:7444: 12 connections, 3 half open, 4 event streams\n"
            "datagrams received: delivered 500, retry_sent 7\n"
            "datagrams sent: 600, lost 1\n"
            "certificate: replaced 2, refused 0\n"
            "PROTOCOL  CONNECTIONS  REFUSED  CALLS  ENDED\n"
            "sluice/1           20        1  ok 40  idle_timeout 8\n"
            "h3                 20        0  -      -\n");
}

}  // namespace
}  // namespace sluice
