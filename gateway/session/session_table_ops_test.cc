// Random operations on a SessionTable beside a model that is too simple to be wrong.

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/testing/seeded_random.h"
#include "base/time_delta.h"
#include "base/timestamp.h"
#include "gateway/leg/leg_snapshot.h"
#include "gateway/leg/leg_spec.h"
#include "gateway/leg/packet_verdict.h"
#include "gateway/session/outbox.h"
#include "gateway/session/session_spec.h"
#include "gateway/session/session_table.h"
#include "gateway/session/testing/session_harness.h"
#include "gtest/gtest.h"
#include "srtp/cipher_suite.h"
#include "srtp/packet_arena.h"

namespace sluice {
namespace {

using Verdict = PacketVerdict;

constexpr size_t kSessions = 4;
constexpr size_t kLegs = 10;
constexpr size_t kLegsPerSession = 4;
constexpr size_t kDestinations = 2;
const SessionTimeouts kTimeouts = {.idle = TimeDelta::Seconds(20),
                                   .offer = TimeDelta::Seconds(40),
                                   .absolute = TimeDelta::Seconds(400),
                                   .hold = TimeDelta::Seconds(90)};

struct ModelLeg {
  std::unique_ptr<TestPeer> peer;
  LegHandle handle;
  bool hold = false;
  std::optional<MasterKey> prepared;
  uint64_t outgoing = 0;
  std::map<Verdict, uint64_t> received;
};

struct ModelSession {
  Timestamp created = Timestamp::Zero();
  Timestamp quiet_since = Timestamp::Zero();
  bool active = false;
  bool on_hold = false;
  // In the order of their addition.
  std::vector<std::string> order;
  std::map<std::string, ModelLeg> legs;
  std::optional<std::map<std::string, std::vector<std::string>>> rules;

  std::vector<std::string> DestinationsOf(const std::string& leg) const {
    if (rules.has_value()) {
      const auto rule = rules->find(leg);
      return rule == rules->end() ? std::vector<std::string>() : rule->second;
    }
    if (order.size() != 2) {
      return {};
    }
    return {order[0] == leg ? order[1] : order[0]};
  }
  void NoteHold(Timestamp now) {
    bool all = !legs.empty();
    for (const auto& [id, leg] : legs) {
      all = all && leg.hold;
    }
    if (all != on_hold) {
      on_hold = all;
      quiet_since = now;
    }
  }
  std::pair<Timestamp, EndReason> End() const {
    std::pair<Timestamp, EndReason> end = {created + kTimeouts.absolute,
                                           EndReason::kAbsoluteTimeout};
    const auto sooner = [&end](Timestamp at, EndReason reason) {
      if (at < end.first) {
        end = {at, reason};
      }
    };
    if (!active) {
      sooner(created + kTimeouts.offer, EndReason::kOfferTimeout);
    } else if (on_hold) {
      sooner(quiet_since + kTimeouts.hold, EndReason::kHoldTimeout);
    } else {
      sooner(quiet_since + kTimeouts.idle, EndReason::kIdleTimeout);
    }
    return end;
  }
};

class Ops {
 public:
  explicit Ops(uint64_t seed) : random_(seed), harness_(Options()) {}

  void Step() {
    static constexpr struct {
      size_t weight;
      void (Ops::*run)();
    } kOps[] = {{12, &Ops::CreateSession}, {3, &Ops::DeleteSession},  {24, &Ops::AddLeg},
                {4, &Ops::RemoveLeg},      {12, &Ops::SetForwarding}, {12, &Ops::SetHold},
                {12, &Ops::ChangeKeys},    {12, &Ops::Advance},       {84, &Ops::Packets}};
    size_t draw = random_.Below(175);
    for (const auto& op : kOps) {
      if (draw < op.weight) {
        (this->*op.run)();
        break;
      }
      draw -= op.weight;
    }
    Check();
  }

  // Deletes everything that is left.
  void Finish() {
    while (!sessions_.empty()) {
      Delete(sessions_.begin()->first);
    }
    Check();
    EXPECT_EQ(harness_.arena().free(), harness_.arena().capacity());
    EXPECT_EQ(harness_.table().NextTimeout(), Timestamp::PlusInfinity());
    EXPECT_GT(forwarded_, 100u) << "the test must do something";
    EXPECT_GE(end_reasons_.size(), 3u) << "sessions must end in several ways";
  }

 private:
  static SessionHarness::Options Options() {
    SessionHarness::Options options;
    options.limits = {.sessions = kSessions,
                      .legs = kLegs,
                      .legs_per_session = kLegsPerSession,
                      .streams_per_leg = 32,
                      .receive_batch = 8,
                      .destinations_per_leg = kDestinations};
    return options;
  }

  std::string RandomSession() { return absl::StrCat("session-", random_.Below(kSessions + 1)); }
  std::string RandomLeg() { return absl::StrCat("leg-", random_.Below(kLegsPerSession + 1)); }
  SessionTable& table() { return harness_.table(); }
  Timestamp now() { return harness_.now(); }
  ModelSession* FindSession(const std::string& id) {
    const auto found = sessions_.find(id);
    return found == sessions_.end() ? nullptr : &found->second;
  }
  ModelLeg* FindLeg(const std::string& session, const std::string& leg) {
    ModelSession* model = FindSession(session);
    return model == nullptr || !model->legs.contains(leg) ? nullptr : &model->legs.at(leg);
  }
  size_t LegCount() const {
    size_t count = 0;
    for (const auto& [id, session] : sessions_) {
      count += session.legs.size();
    }
    return count;
  }

  void CreateSession() {
    SessionSpec spec;
    spec.id = RandomSession();
    spec.timeouts = kTimeouts;
    const std::string id = spec.id;
    const bool expected = !sessions_.contains(id) && sessions_.size() < kSessions;
    ASSERT_EQ(table().CreateSession(now(), std::move(spec)).ok(), expected);
    if (expected) {
      sessions_[id].created = now();
      sessions_[id].quiet_since = now();
    }
  }

  void DeleteSession() {
    const std::string id = RandomSession();
    if (FindSession(id) != nullptr) {
      Delete(id);
    } else {
      ASSERT_FALSE(table().DeleteSession(now(), id).ok());
    }
  }

  void Delete(const std::string& id) {
    const absl::StatusOr<EndedSession> ended = table().DeleteSession(now(), id);
    ASSERT_TRUE(ended.ok());
    CheckEnded(id, *ended, EndReason::kDeleted);
  }

  void CheckEnded(const std::string& id, const EndedSession& ended, EndReason reason) {
    const ModelSession& model = sessions_.at(id);
    ASSERT_EQ(ended.report.end_reason, reason) << id;
    ASSERT_EQ(ended.report.legs.size(), model.legs.size());
    ASSERT_EQ(ended.sockets.size(), 2 * model.legs.size());
    for (const LegSnapshot& leg : ended.report.legs) {
      CheckLeg(leg, model.legs.at(leg.id));
    }
    for (const auto& [leg_id, leg] : model.legs) {
      stale_.push_back(leg.handle);
    }
    end_reasons_.insert(reason);
    sessions_.erase(id);
  }

  void AddLeg() {
    const std::string session = RandomSession();
    const std::string leg = RandomLeg();
    ModelSession* model = FindSession(session);
    const SuiteId suites[] = {SuiteId::kAeadAes128Gcm, SuiteId::kAesCm128HmacSha1_80};
    TestPeerOptions options;
    options.host = ++hosts_;
    if (random_.Below(2) == 0) {
      options.suite = suites[random_.Below(2)];
    }
    auto peer = std::make_unique<TestPeer>(options);
    peer->set_ssrc(++ssrcs_);
    const absl::StatusOr<LegHandle> handle =
        table().AddLeg(now(), session, peer->Spec(leg), peer->Local());
    const bool expected = model != nullptr && !model->legs.contains(leg) &&
                          model->legs.size() < kLegsPerSession && LegCount() < kLegs;
    ASSERT_EQ(handle.ok(), expected) << handle.status();
    if (expected) {
      model->order.push_back(leg);
      ModelLeg& added = model->legs[leg];
      added.peer = std::move(peer);
      added.handle = *handle;
      model->NoteHold(now());
    }
  }

  void RemoveLeg() {
    const std::string session = RandomSession();
    const std::string leg = RandomLeg();
    ModelLeg* const model_leg = FindLeg(session, leg);
    const absl::StatusOr<LegSnapshot> removed = table().RemoveLeg(now(), session, leg);
    ASSERT_EQ(removed.ok(), model_leg != nullptr);
    if (model_leg == nullptr) {
      return;
    }
    CheckLeg(*removed, *model_leg);
    stale_.push_back(model_leg->handle);
    ModelSession& model = sessions_.at(session);
    model.legs.erase(leg);
    std::erase(model.order, leg);
    if (model.rules.has_value()) {
      model.rules->erase(leg);
      for (auto& [from, to] : *model.rules) {
        std::erase(to, leg);
      }
    }
    model.NoteHold(now());
  }

  void SetForwarding() {
    const std::string session = RandomSession();
    std::vector<ForwardingRule> rules;
    std::map<std::string, std::vector<std::string>> model_rules;
    ModelSession* const model = FindSession(session);
    bool expected = model != nullptr;
    const size_t count = random_.Below(4);
    for (size_t i = 0; i < count; ++i) {
      ForwardingRule rule{RandomLeg(), {}};
      const size_t destinations = random_.Below(kDestinations + 2);
      for (size_t j = 0; j < destinations; ++j) {
        rule.to_legs.push_back(RandomLeg());
      }
      const std::set<std::string> distinct(rule.to_legs.begin(), rule.to_legs.end());
      expected = expected && model->legs.contains(rule.from_leg) &&
                 distinct.size() == rule.to_legs.size() && !distinct.contains(rule.from_leg) &&
                 rule.to_legs.size() <= kDestinations && !model_rules.contains(rule.from_leg) &&
                 std::all_of(distinct.begin(), distinct.end(),
                             [&](const std::string& to) { return model->legs.contains(to); });
      model_rules[rule.from_leg] = rule.to_legs;
      rules.push_back(std::move(rule));
    }
    ASSERT_EQ(table().SetForwarding(session, rules).ok(), expected);
    if (expected) {
      model->rules = std::move(model_rules);
    }
  }

  void SetHold() {
    const std::string session = RandomSession();
    const std::string leg = RandomLeg();
    ModelLeg* const model_leg = FindLeg(session, leg);
    LegUpdate update;
    update.hold = random_.Below(2) == 0;
    const bool hold = *update.hold;
    ASSERT_EQ(table().UpdateLeg(now(), session, leg, std::move(update)).ok(), model_leg != nullptr);
    if (model_leg != nullptr) {
      model_leg->hold = hold;
      sessions_.at(session).NoteHold(now());
    }
  }

  void ChangeKeys() {
    const std::string session = RandomSession();
    const std::string leg = RandomLeg();
    ModelLeg* const model_leg = FindLeg(session, leg);
    if (model_leg == nullptr || !model_leg->peer->secure()) {
      return;
    }
    LegUpdate update;
    bool expected = true;
    std::optional<MasterKey> activated;
    switch (random_.Below(3)) {
      case 0:
        update.remote_key = model_leg->peer->Rekey();
        break;
      case 1:
        update.prepare_local_key =
            MasterKey::Generate(harness_.Leg(session, leg).local_suite.value(), random_);
        model_leg->prepared = update.prepare_local_key->Clone();
        break;
      default:
        update.activate_local_key = true;
        expected = model_leg->prepared.has_value();
        activated = std::move(model_leg->prepared);
        model_leg->prepared.reset();
    }
    ASSERT_EQ(table().UpdateLeg(now(), session, leg, std::move(update)).ok(), expected);
    if (activated.has_value()) {
      model_leg->peer->InstallGatewayKey(*activated);
    }
  }

  void Advance() {
    const TimeDelta step = TimeDelta::Millis(static_cast<int64_t>(random_.Below(30'000)));
    const Timestamp end = now() + step;
    harness_.Advance(step);
    std::map<std::string, std::unique_ptr<EndedSession>> ended;
    for (auto& session : harness_.TakeEnded()) {
      const std::string id = session->report.id;
      ended[id] = std::move(session);
    }
    std::vector<std::string> due;
    for (const auto& [id, session] : sessions_) {
      ASSERT_EQ(ended.contains(id), session.End().first <= end) << id;
      if (ended.contains(id)) {
        due.push_back(id);
      }
    }
    ASSERT_EQ(due.size(), ended.size());
    for (const std::string& id : due) {
      ASSERT_EQ(ended.at(id)->report.sampled, sessions_.at(id).End().first);
      CheckEnded(id, *ended.at(id), sessions_.at(id).End().second);
    }
  }

  // A batch of good and bad datagrams, the same told to the model.
  void Packets() {
    const size_t count = 1 + random_.Below(20);
    for (size_t i = 0; i < count; ++i) {
      const std::string session = RandomSession();
      const std::string leg = RandomLeg();
      ModelLeg* const from = FindLeg(session, leg);
      if (from != nullptr) {
        QueueFor(sessions_.at(session), leg, *from);
      } else if (!stale_.empty()) {
        harness_.Queue(stale_[random_.Below(stale_.size())], Component::kRtp, TestAddress(1, 1),
                       Bytes(20, 0x80));
        ++stale_datagrams_;
      }
    }
    harness_.Deliver();
    harness_.TakeSent();
    harness_.TakeEvents();
  }

  void QueueFor(ModelSession& session, const std::string& leg_id, ModelLeg& leg) {
    TestPeer& peer = *leg.peer;
    const bool rtcp = random_.Below(5) == 0;
    const Component component = rtcp ? Component::kRtcp : Component::kRtp;
    const TransportAddress right = rtcp ? peer.rtcp : peer.rtp;
    const Bytes good = rtcp ? peer.NextRtcp() : peer.NextRtp();
    const auto reject = [&](Component at, const TransportAddress& source, const Bytes& bytes,
                            Verdict verdict, bool truncated = false) {
      harness_.Queue(leg.handle, at, source, bytes, truncated);
      ++leg.received[verdict];
    };
    Bytes bad = good;
    switch (random_.Below(9)) {
      case 0:
        return reject(component, right, Bytes(bad.begin(), bad.begin() + 5), Verdict::kMalformed);
      case 1:
        bad[0] = 0;
        return reject(component, right, bad, Verdict::kNotMedia);
      case 2:
        return reject(component, TestAddress(250, 1), good, Verdict::kUnexpectedSource);
      case 3:
        return reject(rtcp ? Component::kRtp : Component::kRtcp, right, good, Verdict::kWrongPort);
      case 4:
        return reject(component, right, good, Verdict::kTruncated, true);
      case 5:
        if (peer.secure()) {
          bad.back() ^= 0x55;
          return reject(component, right, bad, Verdict::kAuthFailed);
        }
        break;
      default:
        break;
    }
    harness_.Queue(leg.handle, component, right, good);
    session.quiet_since = now();
    session.active = session.active || !rtcp;
    size_t destinations = 0;
    for (const std::string& to : session.DestinationsOf(leg_id)) {
      if (!session.legs.at(to).hold) {
        ++destinations;
        session.legs.at(to).outgoing += leg.hold ? 0 : 1;
      }
    }
    ++leg.received[leg.hold           ? Verdict::kOnHold
                   : destinations > 0 ? Verdict::kForwarded
                                      : Verdict::kNoDestination];
    forwarded_ += leg.hold ? 0 : destinations;
  }

  void CheckLeg(const LegSnapshot& leg, const ModelLeg& model) {
    uint64_t received = 0;
    for (size_t i = 0; i < kPacketVerdictCount; ++i) {
      const auto verdict = static_cast<Verdict>(i);
      if (IsReceivedVerdict(verdict)) {
        const auto expected = model.received.find(verdict);
        ASSERT_EQ(leg.verdicts[i], expected == model.received.end() ? 0 : expected->second)
            << leg.id << " " << VerdictName(verdict);
        received += leg.verdicts[i];
      }
    }
    ASSERT_EQ(received, leg.packets_received) << "a received verdict was lost";
    ASSERT_EQ(SentVerdicts(leg), model.outgoing) << "a sent verdict was lost";
    ASSERT_EQ(leg.hold, model.hold);
  }

  void Check() {
    ASSERT_EQ(table().session_count(), sessions_.size());
    ASSERT_EQ(table().leg_count(), LegCount());
    ASSERT_EQ(table().stale_datagrams(), stale_datagrams_);
    ASSERT_EQ(harness_.arena().free(), harness_.arena().capacity());
    for (const auto& [id, session] : sessions_) {
      const SessionSnapshot snapshot = *table().GetSession(now(), id);
      ASSERT_EQ(snapshot.state, session.active ? SessionState::kActive : SessionState::kOffered);
      ASSERT_EQ(snapshot.legs.size(), session.order.size());
      for (size_t i = 0; i < session.order.size(); ++i) {
        ASSERT_EQ(snapshot.legs[i].id, session.order[i]);
        CheckLeg(snapshot.legs[i], session.legs.at(session.order[i]));
      }
      ASSERT_LE(table().NextTimeout(), session.End().first);
    }
  }

  SeededRandom random_;
  SessionHarness harness_;
  std::map<std::string, ModelSession> sessions_;
  std::vector<LegHandle> stale_;
  uint64_t stale_datagrams_ = 0;
  uint64_t forwarded_ = 0;
  std::set<EndReason> end_reasons_;
  uint8_t hosts_ = 0;
  uint32_t ssrcs_ = 0;
};

TEST(SessionTableOpsTest, AgreesWithTheModelWhateverIsDone) {
  const uint64_t first_seed = SeededRandom::SeedFromEnvOr(1);
  for (uint64_t seed = first_seed; seed < first_seed + 4; ++seed) {
    SCOPED_TRACE(absl::StrCat("replay with SLUICE_TEST_SEED=", seed));
    Ops ops(seed);
    for (int step = 0; step < 10'000; ++step) {
      SCOPED_TRACE(absl::StrCat("step ", step));
      ops.Step();
      if (testing::Test::HasFatalFailure()) {
        return;
      }
    }
    ops.Finish();
  }
}

}  // namespace
}  // namespace sluice
