#include "gateway/quic/quic_report.h"

#include <cstdint>
#include <map>
#include <string>

#include "gateway/net/transport_address.h"
#include "gateway/signalling/call_counters.h"
#include "gateway/signalling/pending_calls.h"
#include "gtest/gtest.h"
#include "proto/gateway/v1/node.pb.h"
#include "quic/calls/rpc_protocol_server.h"
#include "quic/connection/close_reason.h"
#include "quic/http3/http_protocol_server.h"
#include "quic/server/endpoint_verdict.h"

namespace sluice {
namespace {

using Counts = std::map<std::string, uint64_t>;

template <typename Repeated>
Counts ToCounts(const Repeated& named) {
  Counts counts;
  for (const auto& count : named) {
    counts[count.name()] = count.count();
  }
  return counts;
}

class QuicReportTest : public ::testing::Test {
 protected:
  QuicUse Report() {
    return ReportQuic({.address = {IpAddress::V4({192, 0, 2, 1}), 7444},
                       .listener = listener_,
                       .served = served_,
                       .calls = calls_,
                       .rpc = rpc_,
                       .http = http_,
                       .threads = {.busy = 2, .refused = 9},
                       .pending = pending_,
                       .key_log_lines_lost = 6,
                       .certificates_replaced = 1,
                       .certificates_refused = 3});
  }
  void Verdict(EndpointVerdict verdict, uint64_t count) {
    listener_.verdicts[static_cast<size_t>(verdict)] = count;
  }

  ListenerCounters listener_;
  ServedCounters served_;
  CallCounters calls_;
  RpcProtocolCounters rpc_;
  HttpProtocolCounters http_;
  PendingCallUsage pending_{.streams = 5};
};

TEST_F(QuicReportTest, WhatNeverHappenedIsLeftOut) {
  const QuicUse use = Report();
  EXPECT_EQ(use.status.address(), "192.0.2.1:7444");
  EXPECT_EQ(use.status.datagrams_size(), 0);
  EXPECT_EQ(use.status.protocols_size(), 0);
}

TEST_F(QuicReportTest, EveryVerdictHasItsName) {
  for (size_t i = 0; i < kEndpointVerdictCount; ++i) {
    listener_.verdicts[i] = i + 1;
  }
  const Counts counts = ToCounts(Report().status.datagrams());
  ASSERT_EQ(counts.size(), kEndpointVerdictCount);
  EXPECT_EQ(counts.at("delivered"), 1u);
  EXPECT_EQ(counts.at("retry_sent"), static_cast<uint64_t>(EndpointVerdict::kRetrySent) + 1);
}

TEST_F(QuicReportTest, LimitsTellWhatTheyRefused) {
  listener_.connections = 7;
  listener_.half_open = 4;
  Verdict(EndpointVerdict::kRefusedFull, 11);
  Verdict(EndpointVerdict::kRefusedHalfOpen, 12);
  Verdict(EndpointVerdict::kRefusedSource, 13);
  const QuicUse use = Report();
  EXPECT_EQ(use.connections.used, 7u);
  EXPECT_EQ(use.connections.refused, 11u);
  EXPECT_EQ(use.half_open.used, 4u);
  EXPECT_EQ(use.half_open.refused, 12u);
  EXPECT_EQ(use.refused_source, 13u);
  EXPECT_EQ(use.threads.used, 2u);
  EXPECT_EQ(use.threads.refused, 9u);
  EXPECT_EQ(use.status.connections(), 7u);
  EXPECT_EQ(use.status.half_open(), 4u);
}

TEST_F(QuicReportTest, CallsAreToldWithTheProtocolThatBroughtThem) {
  served_.protocol_count = 2;
  served_.protocols[0] = {.name = "sluice/1", .accepted = 3, .refused = 1};
  served_.protocols[0].ended[static_cast<size_t>(CloseCause::kIdleTimeout)] = 2;
  served_.protocols[1] = {.name = "h3", .accepted = 4};
  calls_.Count(CallTransportKind::kRpc, nullptr, CallOutcome::kRefused);
  calls_.Count(CallTransportKind::kHttp, nullptr, CallOutcome::kOk);
  calls_.Count(CallTransportKind::kHttp, nullptr, CallOutcome::kOk);
  const auto status = Report().status;
  ASSERT_EQ(status.protocols_size(), 2);
  EXPECT_EQ(status.protocols(0).name(), "sluice/1");
  EXPECT_EQ(status.protocols(0).connections(), 3u);
  EXPECT_EQ(status.protocols(0).refused(), 1u);
  EXPECT_EQ(ToCounts(status.protocols(0).ended()), (Counts{{"idle_timeout", 2}}));
  EXPECT_EQ(ToCounts(status.protocols(0).calls()), (Counts{{"refused", 1}}));
  EXPECT_EQ(ToCounts(status.protocols(1).calls()), (Counts{{"ok", 2}}));
}

TEST_F(QuicReportTest, RequestsAreToldWithTheirProtocol) {
  served_.protocol_count = 2;
  served_.protocols[0].name = "sluice/1";
  served_.protocols[1].name = "h3";
  rpc_.calls.too_many_calls = 2;
  http_.requests.requests_too_slow = 3;
  const auto status = Report().status;
  ASSERT_EQ(status.protocols_size(), 2);
  EXPECT_EQ(ToCounts(status.protocols(0).requests()), (Counts{{"too_many_calls", 2}}));
  EXPECT_EQ(ToCounts(status.protocols(1).requests()), (Counts{{"requests_too_slow", 3}}));
}

TEST_F(QuicReportTest, EveryLimitThatWasHitIsTold) {
  served_.unknown_protocol = 1;
  served_.broken = 2;
  served_.drained = 3;
  served_.overloading = 13;
  listener_.outbox_full = 4;
  listener_.commands_refused = 5;
  listener_.receive.unusable = 7;
  pending_.calls_refused = 8;
  pending_.streams_refused = 10;
  pending_.not_begun = 11;
  pending_.answers_lost = 12;
  const auto status = Report().status;
  EXPECT_EQ(ToCounts(status.closed()),
            (Counts{{"unknown_protocol", 1}, {"broken", 2}, {"drained", 3}, {"overloading", 13}}));
  EXPECT_EQ(ToCounts(status.limits_reached()), (Counts{{"datagrams_per_turn", 4},
                                                       {"listener_commands", 5},
                                                       {"key_log", 6},
                                                       {"unusable_datagrams", 7},
                                                       {"pending_calls", 8},
                                                       {"participant_calls", 9},
                                                       {"event_streams", 10}}));
  EXPECT_EQ(ToCounts(status.calls_lost()), (Counts{{"not_begun", 11}, {"answers_lost", 12}}));
}

TEST_F(QuicReportTest, TellsOfTheRest) {
  listener_.send.sent = 100;
  listener_.send.queue_full = 2;
  listener_.send.refused = 3;
  const auto status = Report().status;
  EXPECT_EQ(status.datagrams_sent(), 100u);
  EXPECT_EQ(status.datagrams_lost(), 5u);
  EXPECT_EQ(status.event_streams(), 5u);
  EXPECT_EQ(status.certificates_replaced(), 1u);
  EXPECT_EQ(status.certificates_refused(), 3u);
}

}  // namespace
}  // namespace sluice
