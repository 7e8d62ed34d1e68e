#include "interceptor/interceptor_kind.h"

#include <set>

#include "absl/strings/string_view.h"
#include "gtest/gtest.h"

namespace sluice {
namespace {

// Nearer to the wire.
constexpr bool Below(InterceptorKind a, InterceptorKind b) { return a < b; }

TEST(InterceptorKindTest, EveryKindHasANameOfItsOwn) {
  std::set<absl::string_view> names;
  for (size_t i = 0; i < kInterceptorKindCount; ++i) {
    const absl::string_view name = InterceptorKindName(static_cast<InterceptorKind>(i));
    EXPECT_FALSE(name.empty());
    EXPECT_TRUE(names.insert(name).second) << name;
  }
  EXPECT_EQ(InterceptorKindName(InterceptorKind::kPacketLog), "packet_log");
  EXPECT_EQ(InterceptorKindName(InterceptorKind::kExtensionWriter), "extension_writer");
  EXPECT_EQ(static_cast<size_t>(InterceptorKind::kExtensionWriter) + 1, kInterceptorKindCount);
}

// What each mechanism relies on; an order that breaks one of these breaks that mechanism.
TEST(InterceptorKindTest, IsOrderedAsTheMechanismsNeedIt) {
  using enum InterceptorKind;
  // The log shows the wire.
  for (size_t i = 1; i < kInterceptorKindCount; ++i) {
    EXPECT_TRUE(Below(kPacketLog, static_cast<InterceptorKind>(i)));
  }
  // Extensions are read before anyone asks for the facts in them.
  EXPECT_TRUE(Below(kExtensionReader, kStreamStatistics));
  EXPECT_TRUE(Below(kExtensionReader, kTransportFeedback));
  // Packets are numbered when they leave the pacer, retransmissions and parity too.
  for (const InterceptorKind kind : {kTransportFeedback, kCongestionFeedback}) {
    EXPECT_TRUE(Below(kind, kPacer));
    // The estimator finds the report made of incoming feedback.
    EXPECT_TRUE(Below(kind, kBandwidthEstimator));
  }
  EXPECT_TRUE(Below(kPacer, kNackResponder));
  EXPECT_TRUE(Below(kPacer, kForwardErrorCorrection));
  // Reports see losses, not repairs.
  EXPECT_TRUE(Below(kReports, kForwardErrorCorrection));
  EXPECT_TRUE(Below(kReports, kNackGenerator));
  // What parity recovers is not asked for.
  EXPECT_TRUE(Below(kForwardErrorCorrection, kNackGenerator));
  // Redundancy is opened after repair, and remembered wrapped.
  EXPECT_TRUE(Below(kNackGenerator, kRedundancy));
  EXPECT_TRUE(Below(kNackResponder, kRedundancy));
  // Order is made when all repair had its chance.
  for (const InterceptorKind kind : {kForwardErrorCorrection, kNackGenerator, kRedundancy}) {
    EXPECT_TRUE(Below(kind, kJitterBuffer));
  }
  // Headers have their final length before they are copied.
  EXPECT_TRUE(Below(kNackResponder, kExtensionWriter));
  EXPECT_TRUE(Below(kForwardErrorCorrection, kExtensionWriter));
}

}  // namespace
}  // namespace sluice
