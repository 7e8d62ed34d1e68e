#include "srtp/testing/srtp_model.h"

#include <algorithm>
#include <cstdlib>
#include <utility>

namespace sluice {
namespace {

// Sequence numbers wrap here.
constexpr int64_t kRollover = 0x10000;

UnprotectVerdict VerdictOf(ModelWindow::Answer answer) {
  switch (answer) {
    case ModelWindow::Answer::kFresh:
      return UnprotectVerdict::kOk;
    case ModelWindow::Answer::kTaken:
      return UnprotectVerdict::kReplayed;
    case ModelWindow::Answer::kTooOld:
      break;
  }
  return UnprotectVerdict::kTooOld;
}

}  // namespace

ModelWindow::Answer ModelWindow::Ask(uint64_t index) const {
  const std::optional<uint64_t> last = highest();
  if (!last.has_value() || index > *last) return Answer::kFresh;
  if (*last - index >= size_) return Answer::kTooOld;
  const bool taken = taken_.count(index) != 0 || (floor_.has_value() && index <= *floor_);
  return taken ? Answer::kTaken : Answer::kFresh;
}

std::optional<uint64_t> ModelWindow::highest() const {
  if (taken_.empty()) return floor_;
  return std::max(*taken_.rbegin(), floor_.value_or(0));
}

uint64_t ModelWindow::Nearest(uint16_t sequence) const {
  if (!highest().has_value()) return sequence;
  const auto last = static_cast<int64_t>(*highest());
  const int64_t same = last / kRollover * kRollover + sequence;
  int64_t nearest = same;
  for (const int64_t other : {same - kRollover, same + kRollover}) {
    if (other >= 0 && std::abs(other - last) < std::abs(nearest - last)) nearest = other;
  }
  return static_cast<uint64_t>(nearest);
}

SenderModel::SenderModel(const ModelOptions& options, int key)
    : options_(options),
      sending_(key),
      lifetimes_(options.policy),
      table_(options.max_streams, options.remembered_streams) {}

void SenderModel::Retire(int key) {
  for (auto& [ssrc, stream] : table_.streams()) {
    stream.sent_under.erase(key);
  }
}

ProtectVerdict SenderModel::Send(ModelPacket& packet) {
  if (lifetimes_.Expired(sending_, packet.kind)) {
    return ProtectVerdict::kRekeyNeeded;
  }
  Stream* stream = table_.Find(packet.ssrc);
  if (stream == nullptr) {
    if (table_.full() && !table_.Oldest().sent_under.empty()) {
      return ProtectVerdict::kTooManyStreams;
    }
    Stream added{ModelWindow(options_.rtp_window)};
    if (const auto end = table_.Remembered(packet.ssrc)) {
      if (end->rtp.has_value()) added.taken.TakeAllUpTo(*end->rtp);
      if (end->rtcp.has_value()) added.next_rtcp = *end->rtcp + 1;
    }
    stream = &table_.Add(packet.ssrc, std::move(added));
  }
  table_.Touch(packet.ssrc);
  stream->sent_under.insert(sending_);
  if (packet.kind == PacketKind::kRtcp) {
    packet.index = stream->next_rtcp++;
  } else {
    packet.index = stream->taken.Nearest(packet.sequence);
    if (stream->taken.Ask(packet.index) != ModelWindow::Answer::kFresh) {
      return ProtectVerdict::kIndexReused;
    }
    stream->taken.Take(packet.index);
  }
  packet.key = sending_;
  lifetimes_.Count(sending_, packet.kind);
  return ProtectVerdict::kOk;
}

std::vector<uint32_t> SenderModel::Ssrcs() const {
  return {table_.newest_first().begin(), table_.newest_first().end()};
}

std::optional<uint64_t> SenderModel::HighestRtp(uint32_t ssrc) {
  return table_.Find(ssrc)->taken.highest();
}

ModelTable<SenderModel::Stream>::End SenderModel::Stream::Ended() const {
  return {taken.highest(), next_rtcp == 0 ? std::nullopt : std::optional<uint64_t>(next_rtcp - 1)};
}

ReceiverModel::ReceiverModel(const ModelOptions& options, bool has_mki, int key)
    : options_(options),
      has_mki_(has_mki),
      keys_({key}),
      lifetimes_(options.policy),
      table_(options.max_streams, options.remembered_streams) {}

ReceiverModel::Stream ReceiverModel::Known(uint32_t ssrc) {
  if (const Stream* stream = table_.Find(ssrc)) {
    return *stream;
  }
  Stream stream{ModelWindow(options_.rtp_window), ModelWindow(options_.rtcp_window)};
  if (const auto end = table_.Remembered(ssrc)) {
    if (end->rtp.has_value()) stream.rtp.TakeAllUpTo(*end->rtp);
    if (end->rtcp.has_value()) stream.rtcp.TakeAllUpTo(*end->rtcp);
  }
  return stream;
}

std::vector<int> ReceiverModel::Candidates(const ModelPacket& packet) const {
  std::vector<int> candidates;
  for (const int key : keys_) {
    if (!has_mki_ || key == packet.key) candidates.push_back(key);
  }
  return candidates;
}

// It opens when its true index and its true key are among what may be tried. When it does not open,
// the verdict is that of the nearest index if there was nothing to try.
UnprotectVerdict ReceiverModel::Judge(const Stream& stream, const ModelPacket& packet) const {
  std::vector<uint64_t> indices;
  if (packet.kind == PacketKind::kRtcp) {
    indices = {packet.index};
  } else {
    const auto nearest = static_cast<int64_t>(stream.rtp.Nearest(packet.sequence));
    indices.push_back(static_cast<uint64_t>(nearest));
    for (const int64_t other : {nearest + kRollover, nearest - kRollover}) {
      if (!stream.rollover_known && other >= 0) indices.push_back(static_cast<uint64_t>(other));
    }
  }
  const ModelWindow& window = packet.kind == PacketKind::kRtp ? stream.rtp : stream.rtcp;
  UnprotectVerdict verdict = VerdictOf(window.Ask(indices[0]));
  bool tried = false;
  for (const uint64_t index : indices) {
    if (window.Ask(index) != ModelWindow::Answer::kFresh) continue;
    for (const int key : Candidates(packet)) {
      if (lifetimes_.Expired(key, packet.kind)) {
        verdict = UnprotectVerdict::kRekeyNeeded;
        continue;
      }
      tried = true;
      if (index == packet.index && key == packet.key) return UnprotectVerdict::kOk;
    }
  }
  return tried ? UnprotectVerdict::kAuthFailed : verdict;
}

UnprotectVerdict ReceiverModel::Receive(const ModelPacket& packet) {
  if (has_mki_ && Candidates(packet).empty()) {
    return UnprotectVerdict::kUnknownMki;
  }
  Stream known = Known(packet.ssrc);
  const UnprotectVerdict verdict = Judge(known, packet);
  if (verdict != UnprotectVerdict::kOk) {
    return verdict;
  }
  Stream* stream = table_.Find(packet.ssrc);
  if (stream == nullptr) {
    stream = &table_.Add(packet.ssrc, std::move(known));
  }
  table_.Touch(packet.ssrc);
  if (packet.kind == PacketKind::kRtp) {
    stream->rtp.Take(packet.index);
    stream->rollover_known = true;
  } else {
    stream->rtcp.Take(packet.index);
  }
  lifetimes_.Count(packet.key, packet.kind);
  return UnprotectVerdict::kOk;
}

bool ReceiverModel::rekey_due() const {
  if (!has_mki_) {
    return lifetimes_.Due(keys_.front());
  }
  return std::any_of(keys_.begin(), keys_.end(), [&](int key) { return lifetimes_.Due(key); });
}

std::vector<uint32_t> ReceiverModel::Ssrcs() const {
  return {table_.newest_first().begin(), table_.newest_first().end()};
}

std::optional<uint64_t> ReceiverModel::HighestRtp(uint32_t ssrc) {
  return table_.Find(ssrc)->rtp.highest();
}

}  // namespace sluice
