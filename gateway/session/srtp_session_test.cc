// SRTP with all that it offers, through the door of the room, on every engine that this machine
// has.

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "base/testing/seeded_random.h"
#include "base/timestamp.h"
#include "gateway/errors/error_detail.h"
#include "gateway/leg/key_limit.h"
#include "gateway/leg/leg_snapshot.h"
#include "gateway/leg/leg_spec.h"
#include "gateway/leg/packet_verdict.h"
#include "gateway/leg/srtp_options.h"
#include "gateway/session/session_event.h"
#include "gateway/session/session_table.h"
#include "gateway/session/testing/session_harness.h"
#include "gtest/gtest.h"
#include "srtp/cipher_suite.h"
#include "srtp/crypto/cpu_features.h"
#include "srtp/crypto/crypto_engine.h"
#include "srtp/crypto/engine_choice.h"
#include "srtp/master_key.h"
#include "srtp/mki.h"
#include "srtp/packet_kind.h"
#include "srtp/srtp_policy.h"
#include "srtp/testing/packet_builder.h"

namespace sluice {
namespace {

using Verdict = PacketVerdict;

Mki MkiOf(uint8_t byte) { return *Mki::Create(std::vector<uint8_t>{byte}); }

std::string Subject(const absl::Status& status) {
  const std::optional<ErrorDetail> detail = GetErrorDetail(status);
  return detail.has_value() ? detail->subject : "no detail";
}

class SrtpSessionTest : public testing::TestWithParam<EngineKind> {
 protected:
  // A bridged call of two peers.
  struct Call {
    Call(const TestPeerOptions& a_options, const TestPeerOptions& b_options,
         size_t extra_srtp_bytes = 0)
        : harness(HarnessOptions(extra_srtp_bytes)), a(a_options), b(b_options) {
      harness.CreateSession("call");
      a_leg = harness.AddLeg("call", "a", a);
      b_leg = harness.AddLeg("call", "b", b);
    }
    uint64_t Count(const std::string& leg, Verdict verdict) {
      return VerdictCount(harness.Leg("call", leg), verdict);
    }
    absl::Status Update(const std::string& leg, LegUpdate update) {
      return harness.table().UpdateLeg(harness.now(), "call", leg, std::move(update));
    }

    SessionHarness harness;
    TestPeer a;
    TestPeer b;
    LegHandle a_leg;
    LegHandle b_leg;
  };

  static SessionHarness::Options HarnessOptions(size_t extra_srtp_bytes) {
    SessionHarness::Options options;
    options.limits.extra_srtp_bytes = extra_srtp_bytes;
    options.engine = GetParam();
    return options;
  }
  static TestPeerOptions Plain(uint8_t host) { return {.host = host}; }
  static TestPeerOptions Secure(uint8_t host, SuiteId suite = SuiteId::kAeadAes128Gcm) {
    return {.host = host, .suite = suite};
  }
};

INSTANTIATE_TEST_SUITE_P(Engines, SrtpSessionTest,
                         testing::ValuesIn(UsableEngines(DetectCpuFeatures())),
                         [](const auto& engine) { return std::string(EngineName(engine.param)); });

TEST_P(SrtpSessionTest, WholeBatchesGoThroughEverySuite) {
  for (const CipherSuite& suite : kCipherSuites) {
    Call call(Secure(1, suite.id), Secure(2, SuiteId::kAes256CmHmacSha1_80));
    for (int round = 0; round < 3; ++round) {
      std::vector<Bytes> plain;
      for (int i = 0; i < 31; ++i) {
        call.harness.Queue(call.a_leg, Component::kRtp, call.a.rtp, call.a.NextRtp());
        plain.push_back(call.a.last_plain());
      }
      call.harness.Queue(call.a_leg, Component::kRtcp, call.a.rtcp, call.a.NextRtcp());
      call.harness.Deliver();
      const std::vector<SentPacket> sent = call.harness.TakeSent();
      ASSERT_EQ(sent.size(), 32u) << suite.name;
      for (size_t i = 0; i < plain.size(); ++i) {
        EXPECT_EQ(call.b.Open(sent[i].bytes, PacketKind::kRtp), plain[i]) << suite.name;
      }
      EXPECT_EQ(call.b.Open(sent[31].bytes, PacketKind::kRtcp), call.a.last_plain());
      call.harness.ReceiveRtp(call.b_leg, call.b);
      const std::vector<SentPacket> back = call.harness.TakeSent();
      ASSERT_EQ(back.size(), 1u);
      EXPECT_EQ(call.a.Open(back[0].bytes, PacketKind::kRtp), call.b.last_plain()) << suite.name;
    }
  }
}

TEST_P(SrtpSessionTest, PacketsNameTheirKey) {
  TestPeerOptions a = Secure(1);
  a.mki = MkiOf(1);
  Call call(a, Plain(2));
  call.harness.ReceiveRtp(call.a_leg, call.a);
  const MasterKey second = call.a.AddKey(MkiOf(2));
  call.harness.ReceiveRtp(call.a_leg, call.a);
  EXPECT_EQ(call.Count("a", Verdict::kForwarded), 1u);
  EXPECT_EQ(call.Count("a", Verdict::kUnknownMki), 1u);
  LegUpdate update;
  update.remote_key = second.Clone();
  update.remote_mki = MkiOf(2);
  ASSERT_TRUE(call.Update("a", std::move(update)).ok());
  call.harness.ReceiveRtp(call.a_leg, call.a);
  EXPECT_EQ(call.Count("a", Verdict::kForwarded), 2u);
  EXPECT_EQ(call.harness.Leg("call", "a").last_reject, Verdict::kUnknownMki);
}

TEST_P(SrtpSessionTest, CryptexHidesExtensionsBetweenTwoLegsThatRequireIt) {
  SrtpOptions cryptex;
  cryptex.policy.cryptex = CryptexPolicy::kRequired;
  TestPeerOptions a = Secure(1, SuiteId::kAesCm128HmacSha1_80);
  TestPeerOptions b = Secure(2);
  a.peer_options = a.gateway_options = cryptex;
  b.peer_options = b.gateway_options = cryptex;
  Call call(a, b);
  const Bytes secret = {0x5E, 0xC2, 0xE7, 0x5E, 0xC2, 0xE7};
  const Bytes plain = RtpPacketBuilder()
                          .WithSsrc(1)
                          .WithCsrcs({0xC5C5C5C5})
                          .AddOneByteExtension(1, secret)
                          .WithPayloadSize(50)
                          .Build();
  const Bytes wire = call.a.Protected(plain, PacketKind::kRtp);
  call.harness.Receive(call.a_leg, Component::kRtp, call.a.rtp, wire);
  const std::vector<SentPacket> sent = call.harness.TakeSent();
  ASSERT_EQ(sent.size(), 1u);
  for (const Bytes* bytes : {&wire, &sent[0].bytes}) {
    EXPECT_EQ(std::search(bytes->begin(), bytes->end(), secret.begin(), secret.end()),
              bytes->end());
  }
  EXPECT_EQ(call.b.Open(sent[0].bytes, PacketKind::kRtp), plain);
}

TEST_P(SrtpSessionTest, AReadableExtensionIsRefusedWhereCryptexIsRequired) {
  Call call(Secure(1), Plain(2));
  TestPeer c(Secure(3));
  LegSpec spec = c.Spec("c");
  spec.remote_options.policy.cryptex = CryptexPolicy::kRequired;
  const auto leg =
      call.harness.table().AddLeg(call.harness.now(), "call", std::move(spec), c.Local());
  ASSERT_TRUE(leg.ok()) << leg.status();
  const Bytes plain = RtpPacketBuilder().AddOneByteExtension(1, Bytes{7}).Build();
  call.harness.Receive(*leg, Component::kRtp, c.rtp, c.Protected(plain, PacketKind::kRtp));
  EXPECT_EQ(call.Count("c", Verdict::kCryptexRefused), 1u);
}

// What keys came to, without the rest of what happened.
std::vector<std::string> KeyLimits(SessionHarness& harness) {
  std::vector<std::string> limits;
  for (const SessionEvent& event : harness.TakeEvents()) {
    if (event.kind == SessionEventKind::kKeyLimitReached) {
      EXPECT_EQ(event.session_id.view(), "call");
      EXPECT_EQ(event.time, harness.now());
      limits.push_back(std::string(event.leg_id.view()) +
                       (event.direction == StreamDirection::kSent ? " sent" : " received") +
                       (event.limit == KeyLimit::kHard ? " hard" : " soft"));
    }
  }
  return limits;
}

TEST_P(SrtpSessionTest, LimitsOfKeysAreCountedAndToldOnce) {
  TestPeerOptions a = Secure(1);
  TestPeerOptions b = Secure(2, SuiteId::kAesCm128HmacSha1_80);
  a.peer_options.policy.rtp_lifetime = {4, 6};
  b.gateway_options.policy.rtp_lifetime = {3, 5};
  for (const bool one_batch : {false, true}) {
    Call call(a, b);
    for (int i = 0; i < 10; ++i) {
      call.harness.Queue(call.a_leg, Component::kRtp, call.a.rtp, call.a.NextRtp());
      if (!one_batch) {
        call.harness.Deliver();
      }
    }
    call.harness.Deliver();
    const std::vector<std::string> expected =
        one_batch ? std::vector<std::string>{"a received soft", "a received hard", "b sent soft",
                                             "b sent hard"}
                  : std::vector<std::string>{"b sent soft", "a received soft", "b sent hard",
                                             "a received hard"};
    EXPECT_EQ(KeyLimits(call.harness), expected);
    EXPECT_EQ(call.harness.TakeSent().size(), 5u);
    EXPECT_EQ(call.Count("a", Verdict::kForwarded), 6u);
    EXPECT_EQ(call.Count("a", Verdict::kReceiveRekeyNeeded), 4u);
    EXPECT_EQ(call.Count("b", Verdict::kSent), 5u);
    EXPECT_EQ(call.Count("b", Verdict::kSendRekeyNeeded), 1u);

    // New keys in both directions, and it goes on.
    LegUpdate update;
    update.remote_key = call.a.Rekey();
    ASSERT_TRUE(call.Update("a", std::move(update)).ok());
    SeededRandom random(1);
    const MasterKey key = MasterKey::Generate(SuiteId::kAesCm128HmacSha1_80, random);
    LegUpdate local;
    local.prepare_local_key = key.Clone();
    local.activate_local_key = true;
    ASSERT_TRUE(call.Update("b", std::move(local)).ok());
    call.b.InstallGatewayKey(key);
    for (int i = 0; i < 3; ++i) {
      call.harness.ReceiveRtp(call.a_leg, call.a);
    }
    EXPECT_EQ(KeyLimits(call.harness), std::vector<std::string>{"b sent soft"});
    const std::vector<SentPacket> sent = call.harness.TakeSent();
    ASSERT_EQ(sent.size(), 3u);
    EXPECT_TRUE(call.b.Open(sent[0].bytes, PacketKind::kRtp).has_value());
  }
}

TEST_P(SrtpSessionTest, LegsShareWhatGoesBeyondTheUsual) {
  TestPeerOptions wide = Secure(3);
  wide.peer_options.rtp_replay_window = 32'768;
  // For one such leg with eight streams, and a little.
  constexpr size_t kBudget = 40 * 1024;
  Call call(Secure(1), Plain(2), kBudget);
  SessionTable& table = call.harness.table();
  const Timestamp now = call.harness.now();
  const TestPeer c(wide);
  wide.host = 4;
  const TestPeer d(wide);
  ASSERT_TRUE(table.AddLeg(now, "call", c.Spec("c"), c.Local()).ok());
  EXPECT_GT(table.extra_srtp().used, kBudget * 9 / 10);
  const absl::Status refused = table.AddLeg(now, "call", d.Spec("d"), d.Local()).status();
  EXPECT_EQ(refused.code(), absl::StatusCode::kResourceExhausted);
  EXPECT_EQ(Subject(refused), "extra_srtp_kib");
  EXPECT_EQ(table.leg_count(), 3u);
  LegUpdate widen;
  widen.remote_options = wide.peer_options;
  EXPECT_EQ(Subject(call.Update("a", std::move(widen))), "extra_srtp_kib");
  EXPECT_EQ(table.extra_srtp().refused, 2u);
  EXPECT_EQ(call.harness.Leg("call", "a").remote_options->rtp_replay_window, 1024u);

  // Whoever needs less, or goes, makes room.
  LegUpdate narrow;
  narrow.remote_options.emplace();
  ASSERT_TRUE(call.Update("c", std::move(narrow)).ok());
  EXPECT_EQ(table.extra_srtp().used, 0u);
  ASSERT_TRUE(table.AddLeg(now, "call", d.Spec("d"), d.Local()).ok());
  ASSERT_TRUE(table.RemoveLeg(now, "call", "d").ok());
  EXPECT_EQ(table.extra_srtp().used, 0u);
  ASSERT_TRUE(table.AddLeg(now, "call", d.Spec("d"), d.Local()).ok());
  ASSERT_TRUE(table.DeleteSession(now, "call").ok());
  EXPECT_EQ(table.extra_srtp().used, 0u);
}

}  // namespace
}  // namespace sluice
