#include "tools/ctl/demo/demo_call.h"

#include <openssl/rand.h>
#include <poll.h>

#include <algorithm>
#include <cstdint>
#include <utility>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/time/clock.h"
#include "proto/signalling/v1/signalling_service.pb.h"
#include "tools/ctl/demo/ffmpeg_media.h"
#include "tools/ctl/rpc_error.h"
#include "tools/ctl/stats_view.h"

namespace sluice {
namespace {

namespace v1 = ::sluice::gateway::v1;
using Stub = GatewayClient::Stub;

constexpr char kAlice[] = "alice";
constexpr char kBob[] = "bob";
// Apart by a fifth, so that nobody mistakes an echo for the other side.
constexpr int kAlicesToneHz = 440;
constexpr int kBobsToneHz = 660;

// How often the table is drawn.
constexpr absl::Duration kRefresh = absl::Seconds(1);
// How often something without a file descriptor is looked at.
constexpr absl::Duration kTick = absl::Milliseconds(20);
// Until ffmpeg has started. A machine that compiles on all cores may need long.
constexpr absl::Duration kStartTimeout = absl::Seconds(20);
// Until ffmpeg has ended in good order.
constexpr absl::Duration kEndTimeout = absl::Seconds(5);
// Until the last packets are through the gateway, and through a decoder.
constexpr absl::Duration kDrainTimeout = absl::Seconds(3);
// The gateway ends the session by itself if we die without deleting it.
constexpr int kOrphanTimeoutSeconds = 30;
// Sources are late to start when the machine is busy; more than this late is a fault.
constexpr absl::Duration kSourceTolerance = absl::Seconds(20);

absl::Status FromRpc(const grpc::Status& status) {
  if (status.ok()) return absl::OkStatus();
  return absl::Status(static_cast<absl::StatusCode>(status.error_code()), RenderRpcError(status));
}

// What all legs of the demo have in common.
v1::LegConfig ConfigOf(const FarEnd& end) {
  v1::LegConfig config;
  *config.mutable_remote() = end.Remote();
  v1::PayloadType& opus = *config.add_payload_types();
  opus.set_number(kAudioPayloadType);
  opus.set_encoding_name("opus");
  opus.set_clock_rate_hz(kAudioSampleRate);
  return config;
}

std::string NewSessionId() {
  uint8_t bytes[4];
  RAND_bytes(bytes, sizeof(bytes));
  return absl::StrCat("demo-", absl::BytesToHexString(absl::string_view(
                                   reinterpret_cast<const char*>(bytes), sizeof(bytes))));
}

// The suite that ffmpeg and every other SRTP endpoint has.
v1::SrtpKey NewKey() {
  uint8_t bytes[30];
  RAND_bytes(bytes, sizeof(bytes));
  v1::SrtpKey key;
  key.set_suite(v1::CRYPTO_SUITE_AES_CM_128_HMAC_SHA1_80);
  key.set_master_key_and_salt(bytes, sizeof(bytes));
  return key;
}

const v1::LegStats& LegOf(const v1::SessionStats& stats, const std::string& leg_id) {
  for (const v1::LegStats& leg : stats.legs()) {
    if (leg.leg_id() == leg_id) return leg;
  }
  return v1::LegStats::default_instance();
}

uint64_t Forwarded(const v1::SessionStats& stats, const std::string& to) {
  return SumStreams(LegOf(stats, to), v1::DIRECTION_SENT).packets;
}

DirectionEvidence Direction(const FarEnd& from, const FarEnd& to, const v1::SessionStats& stats) {
  const v1::LegStats& leg = LegOf(stats, from.name());
  const StreamSums received = SumStreams(leg, v1::DIRECTION_RECEIVED);
  return {.from = from.name(),
          .to = to.name(),
          .sent = from.SentPackets(),
          .received = received.packets,
          .forwarded = Forwarded(stats, to.name()),
          .missed = received.packets_lost,
          .last_reject = leg.last_reject(),
          .decoded_samples = to.heard().samples(),
          .tone_hz = from.options().sends_hz,
          .blocks = to.heard().blocks(),
          .blocks_with_tone = to.heard().blocks_with_tone()};
}

std::string ProgressLine(absl::Duration elapsed, const v1::SessionStats& stats,
                         const std::map<std::string, LegRates>& rates) {
  std::string line = absl::StrFormat("%3d s", absl::ToInt64Seconds(elapsed));
  for (const auto& [from, to] : {std::pair(kAlice, kBob), {kBob, kAlice}}) {
    const StreamSums in = SumStreams(LegOf(stats, from), v1::DIRECTION_RECEIVED);
    const auto rate = rates.find(from);
    absl::StrAppend(&line, "   ", from, " -> ", to, ": ", Forwarded(stats, to), " forwarded, ",
                    rate == rates.end() ? 0 : rate->second.packets_received_per_second,
                    " packets/s, ", in.packets_lost, " lost");
  }
  return line;
}

}  // namespace

DemoCall::DemoCall(const DemoOptions& options, Console& console, GatewayClient& client,
                   const StopSignal& stop, ScratchFolder folder)
    : options_(options),
      console_(console),
      client_(client),
      stop_(stop),
      folder_(std::move(folder)),
      session_id_(NewSessionId()) {}

absl::StatusOr<std::unique_ptr<DemoCall>> DemoCall::Create(const DemoOptions& options,
                                                           Console& console, GatewayClient& client,
                                                           const StopSignal& stop) {
  absl::StatusOr<ScratchFolder> folder = ScratchFolder::Create();
  if (!folder.ok()) return folder.status();
  std::unique_ptr<DemoCall> call(new DemoCall(options, console, client, stop, *std::move(folder)));
  const auto make = [&](const char* name, int sends, int hears, std::unique_ptr<FarEnd>& end) {
    auto made =
        FarEnd::Create({.name = name, .ip = options.media_ip, .sends_hz = sends, .hears_hz = hears},
                       call->folder_);
    if (made.ok()) end = *std::move(made);
    return made.status();
  };
  absl::Status status = make(kAlice, kAlicesToneHz, kBobsToneHz, call->alice_);
  if (status.ok()) status = make(kBob, kBobsToneHz, kAlicesToneHz, call->bob_);
  if (!status.ok()) return status;
  return call;
}

DemoCall::~DemoCall() {
  // Nobody is left to tell if this fails; the gateway ends the session by its timeouts then.
  DeleteSession().IgnoreError();
}

absl::Status DemoCall::Play() {
  if (absl::Status status = CreateSession(); !status.ok()) return status;
  const v1::SrtpKey alices_key = NewKey();
  v1::AddLegResponse alice, bob;
  if (absl::Status status = AddLeg(*bob_, std::nullopt, bob); !status.ok()) return status;
  if (absl::Status status = StartSink(*bob_, std::nullopt); !status.ok()) return status;
  absl::Status status =
      options_.quic.empty() ? AddLeg(*alice_, alices_key, alice) : JoinOverQuic(alices_key, alice);
  // Whoever listens misses nothing: bob does, so alice may speak as soon as she is in.
  if (status.ok()) {
    status = alice_->StartSource(alice.leg().local_rtp(), alice.leg().local_rtcp(), alices_key,
                                 options_.seconds);
  }
  if (status.ok()) status = StartSink(*alice_, alice.local_key());
  if (status.ok()) {
    status = bob_->StartSource(bob.leg().local_rtp(), bob.leg().local_rtcp(), std::nullopt,
                               options_.seconds);
  }
  using Step = absl::Status (DemoCall::*)();
  for (const Step step : {&DemoCall::Talk, &DemoCall::EndSources, &DemoCall::AwaitForwarding,
                          &DemoCall::EndSinks, &DemoCall::Leave, &DemoCall::DeleteSession}) {
    if (status.ok()) status = (this->*step)();
  }
  if (status.ok()) CollectEvidence();
  return status;
}

absl::Status DemoCall::CreateSession() {
  v1::CreateSessionRequest request;
  request.set_session_id(session_id_);
  request.mutable_config()->mutable_idle_timeout()->set_seconds(kOrphanTimeoutSeconds);
  request.mutable_config()->mutable_offer_timeout()->set_seconds(kOrphanTimeoutSeconds);
  (*request.mutable_config()->mutable_labels())["made-by"] = "sluicectl demo";
  v1::CreateSessionResponse response;
  absl::Status status = FromRpc(client_.Call(&Stub::CreateSession, request, response));
  session_exists_ = status.ok();
  if (status.ok()) {
    console_.Say(absl::StrCat(
        "session ", session_id_, ": alice (SRTP) <-> bob (RTP), ",
        options_.seconds > 0 ? absl::StrCat(options_.seconds, " s") : std::string("until Ctrl-C")));
  }
  return status;
}

absl::Status DemoCall::AddLeg(const FarEnd& end, const std::optional<v1::SrtpKey>& key,
                              v1::AddLegResponse& response) {
  v1::AddLegRequest request;
  request.set_session_id(session_id_);
  request.set_leg_id(end.name());
  *request.mutable_config() = ConfigOf(end);
  request.mutable_config()->set_kind(key.has_value() ? v1::LEG_KIND_SRTP : v1::LEG_KIND_RTP);
  if (key.has_value()) *request.mutable_config()->mutable_remote_key() = *key;
  return FromRpc(client_.Call(&Stub::AddLeg, request, response));
}

absl::Status DemoCall::JoinOverQuic(const v1::SrtpKey& key, v1::AddLegResponse& response) {
  v1::CreateParticipantTokenRequest token_request;
  token_request.set_session_id(session_id_);
  token_request.set_leg_id(kAlice);
  v1::CreateParticipantTokenResponse token;
  absl::Status status = FromRpc(client_.Call(&Stub::CreateParticipantToken, token_request, token));
  if (!status.ok()) return status;
  SignallingOptions options = options_.signalling;
  options.target = options_.quic;
  options.token = token.token();
  auto participant = DemoParticipant::Create(options);
  if (!participant.ok()) return participant.status();
  participant_ = *std::move(participant);
  signalling::v1::JoinRequest request;
  *request.mutable_config() = ConfigOf(*alice_);
  *request.add_offered_keys() = key;
  signalling::v1::JoinResponse joined;
  status = FromRpc(participant_->Join(request, joined));
  if (!status.ok()) return status;
  *response.mutable_leg() = joined.leg();
  *response.mutable_local_key() = joined.local_key();
  console_.Say(RenderQuicStory(kAlice, participant_->story()));
  return absl::OkStatus();
}

std::optional<QuicStory> DemoCall::quic_story() const {
  if (participant_ == nullptr) return std::nullopt;
  return participant_->story();
}

absl::Status DemoCall::StartSink(FarEnd& end, const std::optional<v1::SrtpKey>& key) {
  if (absl::Status status = end.StartSink(key); !status.ok()) return status;
  absl::Status status;
  const bool listening = PumpUntil(kStartTimeout, [&] {
    if (stop_.received()) status = absl::CancelledError("stopped before the call began");
    const absl::StatusOr<bool> listens = end.SinkListens();
    if (!listens.ok()) status = listens.status();
    return !status.ok() || *listens;
  });
  if (!status.ok()) return status;
  if (!listening) {
    return absl::DeadlineExceededError(
        absl::StrCat("ffmpeg's receiver did not listen in time:\n", LastWords()));
  }
  return absl::OkStatus();
}

absl::Status DemoCall::Talk() {
  const absl::Time start = absl::Now();
  const absl::Duration at_most = options_.seconds > 0
                                     ? absl::Seconds(options_.seconds) + kSourceTolerance
                                     : absl::InfiniteDuration();
  absl::Time next = start + kRefresh;
  while (!stop_.received() && !(alice_->SourceEnded() && bob_->SourceEnded())) {
    if (absl::Status status = CheckProcesses(); !status.ok()) return status;
    const absl::Time now = absl::Now();
    if (now - start > at_most) {
      return absl::DeadlineExceededError(
          absl::StrCat("ffmpeg's senders did not end in time:\n", LastWords()));
    }
    if (now >= next) {
      v1::SessionStats stats;
      if (absl::Status status = GetStats(stats); !status.ok()) return status;
      ShowProgress(now - start, stats);
      while (next <= now) next += kRefresh;
    }
    Pump(std::min(next - now, kTick));
  }
  return absl::OkStatus();
}

absl::Status DemoCall::EndSources() {
  alice_->StopSource();
  bob_->StopSource();
  if (!PumpUntil(kEndTimeout, [&] { return alice_->SourceEnded() && bob_->SourceEnded(); })) {
    return absl::DeadlineExceededError(
        absl::StrCat("ffmpeg's senders do not stop:\n", LastWords()));
  }
  return CheckProcesses();
}

// What was sent last may still be on its way; nothing more comes, so the counters come to rest.
// That they do not is no error here: the evidence will show it.
absl::Status DemoCall::AwaitForwarding() {
  absl::Status status;
  PumpUntil(kDrainTimeout, [&] {
    v1::SessionStats stats;
    status = GetStats(stats);
    return !status.ok() || (Forwarded(stats, kBob) >= alice_->SentPackets().value_or(0) &&
                            Forwarded(stats, kAlice) >= bob_->SentPackets().value_or(0));
  });
  return status;
}

absl::Status DemoCall::EndSinks() {
  const auto heard = [](const FarEnd& end, const FarEnd& from) {
    return end.heard().samples() >= from.SentPackets().value_or(0) * kSamplesPerPacket;
  };
  PumpUntil(kDrainTimeout, [&] { return heard(*alice_, *bob_) && heard(*bob_, *alice_); });
  alice_->StopSink();
  bob_->StopSink();
  // Not in time is no error: they are killed then, and have given us what they had.
  PumpUntil(kEndTimeout, [&] {
    return alice_->SinkEnded() && alice_->sink_fd() < 0 && bob_->SinkEnded() && bob_->sink_fd() < 0;
  });
  return absl::OkStatus();
}

absl::Status DemoCall::Leave() {
  if (participant_ == nullptr) return absl::OkStatus();
  signalling::v1::LeaveResponse response;
  absl::Status status = FromRpc(participant_->Leave(response));
  if (status.ok()) alices_stats_ = response.final_stats();
  return status;
}

absl::Status DemoCall::DeleteSession() {
  if (!std::exchange(session_exists_, false)) return absl::OkStatus();
  v1::DeleteSessionRequest request;
  request.set_session_id(session_id_);
  v1::DeleteSessionResponse response;
  absl::Status status = FromRpc(client_.Call(&Stub::DeleteSession, request, response));
  final_stats_ = response.final_stats();
  // Her leg went before the session.
  if (alices_stats_.has_value() && LegOf(final_stats_, kAlice).leg_id().empty()) {
    *final_stats_.add_legs() = *alices_stats_;
  }
  return status;
}

void DemoCall::CollectEvidence() {
  evidence_ = {Direction(*alice_, *bob_, final_stats_), Direction(*bob_, *alice_, final_stats_)};
}

void DemoCall::Pump(absl::Duration at_most) {
  // A negative descriptor is passed over. The signal stays readable: once it is known, waiting for
  // it would be no waiting.
  pollfd entries[] = {{.fd = alice_->sink_fd(), .events = POLLIN, .revents = 0},
                      {.fd = bob_->sink_fd(), .events = POLLIN, .revents = 0},
                      {.fd = stop_.received() ? -1 : stop_.fd(), .events = POLLIN, .revents = 0}};
  const int64_t ms = absl::ToInt64Milliseconds(at_most);
  poll(entries, std::size(entries), static_cast<int>(std::max<int64_t>(ms, 1)));
  alice_->ReadSink();
  bob_->ReadSink();
}

template <typename Condition>
bool DemoCall::PumpUntil(absl::Duration at_most, Condition condition) {
  const absl::Time deadline = absl::Now() + at_most;
  while (!condition()) {
    if (absl::Now() > deadline) return false;
    Pump(kTick);
  }
  return true;
}

absl::Status DemoCall::GetStats(v1::SessionStats& stats) {
  v1::GetStatsRequest request;
  request.set_session_id(session_id_);
  v1::GetStatsResponse response;
  absl::Status status = FromRpc(client_.Call(&Stub::GetStats, request, response));
  stats = response.stats();
  return status;
}

void DemoCall::ShowProgress(absl::Duration elapsed, const v1::SessionStats& stats) {
  const auto& rates = rates_.Update(stats);
  if (!console_.interactive()) {
    console_.Say(ProgressLine(elapsed, stats, rates));
    return;
  }
  console_.Redraw(absl::StrCat(RenderStats(stats, rates, false), "\n",
                               absl::ToInt64Seconds(elapsed), " s; Ctrl-C ends the call\n"));
}

absl::Status DemoCall::CheckProcesses() {
  if (absl::Status status = alice_->CheckProcesses(); !status.ok()) return status;
  return bob_->CheckProcesses();
}

std::string DemoCall::LastWords() const {
  return absl::StrCat(alice_->LastWords(), bob_->LastWords());
}

}  // namespace sluice
