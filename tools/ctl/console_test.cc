#include "tools/ctl/console.h"

#include <sstream>

#include "gtest/gtest.h"
#include "proto/gateway/v1/gateway_service.pb.h"

namespace sluice {
namespace {

gateway::v1::AddLegResponse Answer() {
  gateway::v1::AddLegResponse answer;
  answer.mutable_local_key()->set_suite(gateway::v1::CRYPTO_SUITE_AEAD_AES_128_GCM);
  answer.mutable_local_key()->set_master_key_and_salt("abc");
  return answer;
}

TEST(ConsoleTest, PeopleGetTextAndScriptsGetJson) {
  std::ostringstream out, err;
  Console console(out, err, false, 80);
  console.Show(Answer(), "text\n");
  console.Say("more");
  EXPECT_EQ(out.str(), "text\nmore\n");
  out.str("");
  console.set_format(OutputFormat::kJson);
  console.Show(Answer(), "text\n");
  console.Say("more");
  EXPECT_EQ(out.str(),
            "{\"localKey\":{\"suite\":\"CRYPTO_SUITE_AEAD_AES_128_GCM\","
            "\"masterKeyAndSalt\":\"YWJj\",\"mki\":\"\"}}\n");
  EXPECT_EQ(err.str(), "");
}

TEST(ConsoleTest, ZerosAreSaidInJson) {
  gateway::v1::LegStats stats;
  stats.set_leg_id("a");
  EXPECT_EQ(ToJsonLine(stats),
            "{\"legId\":\"a\",\"packetsReceived\":\"0\",\"bytesReceived\":\"0\","
            "\"packetsSent\":\"0\",\"bytesSent\":\"0\",\"verdicts\":[],\"streams\":[],"
            "\"lastReject\":\"\",\"interceptorCounters\":[]}");
}

TEST(ConsoleTest, ATerminalIsDrawnOnAgain) {
  std::ostringstream out, err;
  Console console(out, err, true, 8);
  console.Redraw("one\ntwo\n");
  EXPECT_EQ(out.str(), "one\ntwo\n");
  out.str("");
  console.Redraw("a line that would wrap\n");
  EXPECT_EQ(out.str(), "\x1b[2F\x1b[Ja line t\n");
  out.str("");
  console.EndRedraw();
  console.Redraw("below\n");
  EXPECT_EQ(out.str(), "below\n");
}

TEST(ConsoleTest, APipeIsNot) {
  std::ostringstream out, err;
  Console console(out, err, false, 80);
  console.Redraw("one\n");
  console.Redraw("two\n");
  EXPECT_EQ(out.str(), "one\ntwo\n");
}

TEST(ConsoleTest, ComplaintsGoToTheOtherStream) {
  std::ostringstream out, err;
  Console console(out, err, false, 80);
  console.set_format(OutputFormat::kJson);
  console.Complain("no such file\n");
  EXPECT_EQ(out.str(), "");
  EXPECT_EQ(err.str(), "sluicectl: no such file\n");
}

}  // namespace
}  // namespace sluice
