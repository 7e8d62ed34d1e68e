#include "tools/ctl/node_view.h"

#include <cstdint>
#include <string>

#include "gtest/gtest.h"

namespace sluice {
namespace {

template <typename Counts>
void Add(const std::string& name, uint64_t count, Counts& to) {
  gateway::v1::NamedCount& named = *to.Add();
  named.set_name(name);
  named.set_count(count);
}

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
  Add("rtcp", 5, *worker->mutable_interceptors_dropped());
  Add("expired", 6, *node.mutable_participants_refused());
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
            "WORKER  SESSIONS  LEGS  PACKET SLOTS  FREE  EVENTS DROPPED  INTERCEPTORS DROPPED\n"
            "0              2     4          4096  4000               0  rtcp 5\n"
            "\n"
            "LIMIT     USED    OF  REFUSED\n"
            "sessions     2  1000        1\n"
            "\n"
            "participants refused: expired 6\n");
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
  Add("delivered", 500, *quic.mutable_datagrams());
  Add("retry_sent", 7, *quic.mutable_datagrams());
  for (const char* name : {"sluice/1", "h3"}) {
    gateway::v1::QuicProtocolStatus& protocol = *quic.add_protocols();
    protocol.set_name(name);
    protocol.set_connections(20);
  }
  quic.mutable_protocols(0)->set_refused(1);
  Add("idle_timeout", 8, *quic.mutable_protocols(0)->mutable_ended());
  Add("ok", 40, *quic.mutable_protocols(0)->mutable_calls());
  Add("broken", 2, *quic.mutable_closed());
  Add("pending_calls", 9, *quic.mutable_limits_reached());
  Add("too_many_calls", 3, *quic.mutable_protocols(0)->mutable_requests());
  const std::string text = RenderNode(node);
  EXPECT_EQ(text.substr(text.find("QUIC")),
            "QUIC at [::]:7444: 12 connections, 3 half open, 4 event streams\n"
            "datagrams received: delivered 500, retry_sent 7\n"
            "datagrams sent: 600, lost 1\n"
            "connections closed here: broken 2\n"
            "limits reached: pending_calls 9\n"
            "calls lost: -\n"
            "certificate: replaced 2, refused 0\n"
            "PROTOCOL  CONNECTIONS  REFUSED  CALLS  ENDED\n"
            "sluice/1           20        1  ok 40  idle_timeout 8\n"
            "h3                 20        0  -      -\n"
            "sluice/1 requests: too_many_calls 3\n"
            "h3 requests: -\n");
}

}  // namespace
}  // namespace sluice
