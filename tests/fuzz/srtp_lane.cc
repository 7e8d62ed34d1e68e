#include "tests/fuzz/srtp_lane.h"

#include <optional>
#include <utility>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/byte_order.h"
#include "base/check.h"
#include "srtp/crypto/engine_choice.h"
#include "srtp/crypto/openssl_error.h"

namespace sluice {
namespace {

std::vector<PacketLoan> Load(PacketArena& arena, absl::Span<const LanePacket> packets) {
  std::vector<PacketLoan> loans;
  loans.reserve(packets.size());
  for (const LanePacket& packet : packets) {
    loans.push_back(arena.Lend());
    SLUICE_CHECK(loans.back() && loans.back().Resize(packet.bytes.size()));
    CopyBytes(loans.back().bytes(), packet.bytes);
  }
  return loans;
}

void Describe(const std::optional<WindowState>& window, std::string& text) {
  if (window.has_value()) {
    absl::StrAppend(&text, window->highest, ":", absl::StrJoin(window->words, ","));
  }
  text.push_back(';');
}

}  // namespace

SrtpLaneMemory::SrtpLaneMemory(EngineKind kind) : engine(MakeEngine(kind)) {}

SrtpLane::SrtpLane(SrtpLaneMemory& memory, const MasterKey& key, const SrtpSenderOptions& sender,
                   const SrtpReceiverOptions& receiver)
    : memory_(memory), sender_options_(sender), receiver_options_(receiver) {
  absl::StatusOr<std::unique_ptr<SrtpSender>> made_sender =
      SrtpSender::Create(key, sender, *memory.engine);
  SLUICE_CHECK(made_sender.ok()) << made_sender.status().message();
  sender_ = *std::move(made_sender);
  absl::StatusOr<std::unique_ptr<SrtpReceiver>> made_receiver =
      SrtpReceiver::Create(key, receiver, *memory.engine);
  SLUICE_CHECK(made_receiver.ok()) << made_receiver.status().message();
  receiver_ = *std::move(made_receiver);
}

void SrtpLane::Protect(absl::Span<LanePacket> packets) {
  std::vector<PacketLoan> loans = Load(memory_.packets, packets);
  std::vector<ProtectJob> jobs;
  for (size_t i = 0; i < packets.size(); ++i) {
    jobs.push_back({sender_.get(), &loans[i], packets[i].kind, ProtectVerdict::kMalformed});
  }
  sluice::Protect(absl::MakeSpan(jobs), *memory_.engine);
  SLUICE_CHECK(!HasOpensslErrors());
  for (size_t i = 0; i < packets.size(); ++i) {
    packets[i].sent = jobs[i].verdict;
    packets[i].bytes.assign(loans[i].bytes().begin(), loans[i].bytes().end());
  }
}

void SrtpLane::Unprotect(absl::Span<LanePacket> packets, bool scratch) {
  std::vector<PacketLoan> loans = Load(memory_.packets, packets);
  std::vector<UnprotectJob> jobs;
  for (size_t i = 0; i < packets.size(); ++i) {
    jobs.push_back({receiver_.get(), &loans[i], packets[i].kind, UnprotectVerdict::kMalformed});
  }
  PacketLoan taken = scratch ? PacketLoan() : memory_.scratch.Lend();
  const size_t free = memory_.scratch.free();
  sluice::Unprotect(absl::MakeSpan(jobs), memory_.scratch, *memory_.engine);
  SLUICE_CHECK(memory_.scratch.free() == free);
  SLUICE_CHECK(!HasOpensslErrors());
  for (size_t i = 0; i < packets.size(); ++i) {
    packets[i].received = jobs[i].verdict;
    packets[i].bytes.assign(loans[i].bytes().begin(), loans[i].bytes().end());
  }
}

bool SrtpLane::RestartSender(const MasterKey& key, const Mki& mki, const RestoreMargin& margin) {
  SrtpSenderOptions options = sender_options_;
  options.mki = mki;
  std::unique_ptr<SrtpSender> sender = *SrtpSender::Create(key, options, *memory_.engine);
  if (!sender->RestoreStreams(sender_->ExportStreams(), margin).ok()) {
    return false;
  }
  sender_options_ = options;
  sender_ = std::move(sender);
  return true;
}

bool SrtpLane::RestartReceiver(const MasterKey& key, const Mki& mki) {
  SrtpReceiverOptions options = receiver_options_;
  options.mki = mki;
  std::unique_ptr<SrtpReceiver> receiver = *SrtpReceiver::Create(key, options, *memory_.engine);
  if (!receiver->RestoreStreams(receiver_->ExportStreams()).ok()) {
    return false;
  }
  receiver_options_ = options;
  receiver_ = std::move(receiver);
  return true;
}

std::string SrtpLane::SenderState() const {
  std::string text = absl::StrCat(sender_->forgotten_streams(), ",", sender_->rekey_due(), "\n");
  for (const SenderStreamState& stream : sender_->ExportStreams()) {
    absl::StrAppend(&text, stream.ssrc.value(), " ", stream.key.value(), " ",
                    stream.next_rtcp_index, " ");
    Describe(stream.rtp, text);
    text.push_back('\n');
  }
  return text;
}

std::string SrtpLane::ReceiverState() const {
  std::string text =
      absl::StrCat(receiver_->forgotten_streams(), ",", receiver_->rekey_due(), "\n");
  for (const ReceiverStreamState& stream : receiver_->ExportStreams()) {
    absl::StrAppend(&text, stream.ssrc.value(), " ", stream.key.value(), " ");
    Describe(stream.rtp, text);
    Describe(stream.rtcp, text);
    text.push_back('\n');
  }
  return text;
}

}  // namespace sluice
