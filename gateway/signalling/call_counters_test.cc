#include "gateway/signalling/call_counters.h"

#include <set>
#include <string>

#include "gtest/gtest.h"

namespace sluice {
namespace {

using Code = grpc::StatusCode;

TEST(CallCountersTest, CallsAreCountedByTransportMethodAndOutcome) {
  CallCounters counters;
  const SignallingMethodRow* join = &RowOf(SignallingMethod::kJoin);
  const SignallingMethodRow* ping = &RowOf(SignallingMethod::kPing);
  counters.Count(CallTransportKind::kRpc, join, CallOutcome::kOk);
  counters.Count(CallTransportKind::kRpc, join, CallOutcome::kOk);
  counters.Count(CallTransportKind::kHttp, join, CallOutcome::kOk);
  counters.Count(CallTransportKind::kRpc, ping, CallOutcome::kRefused);
  counters.Count(CallTransportKind::kRpc, nullptr, CallOutcome::kRefused);
  EXPECT_EQ(counters.count(CallTransportKind::kRpc, join, CallOutcome::kOk), 2u);
  EXPECT_EQ(counters.count(CallTransportKind::kHttp, join, CallOutcome::kOk), 1u);
  EXPECT_EQ(counters.count(CallTransportKind::kRpc, ping, CallOutcome::kOk), 0u);
  EXPECT_EQ(counters.count(CallTransportKind::kRpc, nullptr, CallOutcome::kRefused), 1u);
  EXPECT_EQ(counters.total(CallTransportKind::kRpc, CallOutcome::kRefused), 2u);
  EXPECT_EQ(counters.total(CallTransportKind::kHttp, CallOutcome::kRefused), 0u);
}

TEST(CallCountersTest, CodesSayWhoseItIs) {
  EXPECT_EQ(ToOutcome(Code::OK), CallOutcome::kOk);
  EXPECT_EQ(ToOutcome(Code::UNAUTHENTICATED), CallOutcome::kRefused);
  EXPECT_EQ(ToOutcome(Code::INVALID_ARGUMENT), CallOutcome::kRefused);
  EXPECT_EQ(ToOutcome(Code::RESOURCE_EXHAUSTED), CallOutcome::kBusy);
  EXPECT_EQ(ToOutcome(Code::UNAVAILABLE), CallOutcome::kBusy);
  EXPECT_EQ(ToOutcome(Code::INTERNAL), CallOutcome::kFailed);
  EXPECT_EQ(ToOutcome(Code::CANCELLED), CallOutcome::kCancelled);
}

TEST(CallCountersTest, NamesAreDifferent) {
  std::set<std::string> names;
  for (size_t i = 0; i < kCallOutcomes; ++i) {
    names.insert(std::string(CallOutcomeName(static_cast<CallOutcome>(i))));
  }
  for (size_t i = 0; i < kCallTransportKinds; ++i) {
    names.insert(std::string(CallTransportName(static_cast<CallTransportKind>(i))));
  }
  EXPECT_EQ(names.size(), kCallOutcomes + kCallTransportKinds);
  EXPECT_EQ(names.count("unknown"), 0u);
}

}  // namespace
}  // namespace sluice
