#include "tools/ctl/demo/call_report.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace sluice {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

// Ten seconds in which nothing went wrong.
DirectionEvidence Good() {
  return {.from = "alice",
          .to = "bob",
          .sent = 500,
          .received = 500,
          .forwarded = 500,
          .missed = 0,
          .last_reject = "",
          .decoded_samples = 480'000,
          .tone_hz = 440,
          .blocks = 100,
          .blocks_with_tone = 100};
}

template <typename Change>
std::vector<std::string> FaultsAfter(Change change) {
  DirectionEvidence evidence = Good();
  change(evidence);
  return FindFaults(evidence);
}

TEST(CallReportTest, AGoodCallHasNoFaults) {
  EXPECT_THAT(FindFaults(Good()), IsEmpty());
  EXPECT_EQ(LostPackets(Good()), 0u);
  EXPECT_EQ(RenderReport({Good()}),
            "DIRECTION     SENT BY SOURCE  GATEWAY RECEIVED  FORWARDED  LOST  "
            "DECODED AT THE FAR END\n"
            "alice -> bob             500               500        500     0  "
            "500 (10.0 s, 440 Hz tone in 100 %)\n");
}

TEST(CallReportTest, EveryPlaceWhereAPacketCanGetLostHasItsSentence) {
  EXPECT_THAT(FaultsAfter([](auto& e) { e.sent.reset(); }),
              ElementsAre("alice -> bob: the sender did not say how many packets it sent"));
  EXPECT_THAT(FaultsAfter([](auto& e) { e.sent = 0; }),
              ElementsAre("alice -> bob: nothing was sent"));
  EXPECT_THAT(FaultsAfter([](auto& e) {
                e.received = e.forwarded = 499;
                e.last_reject = "auth_failed";
              }),
              ElementsAre("alice -> bob: the gateway accepted 499 of 500 packets (last reject: "
                          "auth_failed)"));
  EXPECT_THAT(FaultsAfter([](auto& e) { e.forwarded = 0; }),
              ElementsAre("alice -> bob: the gateway forwarded 0 of 500 packets"));
  EXPECT_THAT(FaultsAfter([](auto& e) { e.missed = 2; }),
              ElementsAre(HasSubstr("counts 2 packets lost")));
  EXPECT_THAT(FaultsAfter([](auto& e) { e.decoded_samples = 0; }),
              ElementsAre("alice -> bob: the receiver decoded 0 of 500 packets"));
}

TEST(CallReportTest, SilenceIsNotAnArrival) {
  EXPECT_THAT(
      FaultsAfter([](auto& e) { e.blocks_with_tone = 79; }),
      ElementsAre("alice -> bob: what the receiver decoded is the tone of 440 Hz in 79 % of "
                  "the time only"));
  EXPECT_THAT(FaultsAfter([](auto& e) { e.blocks_with_tone = 80; }), IsEmpty());
  // Exactly 80 % decoded.
  EXPECT_THAT(FaultsAfter([](auto& e) { e.decoded_samples = 384'000; }), IsEmpty());
  EXPECT_FALSE(FaultsAfter([](auto& e) { e.decoded_samples = 383'999; }).empty());
}

TEST(CallReportTest, AMomentProvesNothing) {
  EXPECT_THAT(FaultsAfter([](auto& e) {
                e.sent = e.received = e.forwarded = 2;
                e.decoded_samples = 1920;
                e.blocks = e.blocks_with_tone = 0;
              }),
              ElementsAre(HasSubstr("too short")));
}

TEST(CallReportTest, MoreThanWasSentIsAFaultToo) {
  EXPECT_THAT(FaultsAfter([](auto& e) { e.forwarded = 501; }),
              ElementsAre(HasSubstr("forwarded 501 of 500")));
  EXPECT_EQ(LostPackets([] {
              DirectionEvidence e = Good();
              e.forwarded = 501;
              return e;
            }()),
            0u);
}

TEST(CallReportTest, ScriptsGetTheSame) {
  DirectionEvidence bad = Good();
  bad.forwarded = 490;
  const google::protobuf::Struct report = ReportToJson({Good(), bad});
  EXPECT_FALSE(report.fields().at("ok").bool_value());
  const auto& row = report.fields().at("directions").list_value().values(1).struct_value().fields();
  EXPECT_EQ(row.at("lost").number_value(), 10);
  EXPECT_EQ(row.at("faults").list_value().values_size(), 1);
  EXPECT_TRUE(ReportToJson({Good()}).fields().at("ok").bool_value());
}

}  // namespace
}  // namespace sluice
