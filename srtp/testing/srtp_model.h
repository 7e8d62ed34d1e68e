#ifndef SRTP_TESTING_SRTP_MODEL_H_
#define SRTP_TESTING_SRTP_MODEL_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <list>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "srtp/packet_kind.h"
#include "srtp/srtp_policy.h"
#include "srtp/verdict.h"

namespace sluice {

// What senders and receivers ought to do, without any bits, bytes or cryptography: sets of numbers,
// maps and lists. Knows the true index and key of every packet; keys are numbers of the test's
// choice.

// What is true of a packet.
struct ModelPacket {
  PacketKind kind;
  uint32_t ssrc;
  // RTP.
  uint16_t sequence;
  // The sender's answer.
  uint64_t index;
  int key;
};

// What a window must know: all numbers ever taken.
class ModelWindow {
 public:
  explicit ModelWindow(uint64_t size) : size_(size) {}

  enum class Answer { kFresh, kTaken, kTooOld };
  Answer Ask(uint64_t index) const;
  void Take(uint64_t index) { taken_.insert(index); }
  // That one and all below it.
  void TakeAllUpTo(uint64_t index) { floor_ = index; }

  std::optional<uint64_t> highest() const;
  // The index of that sequence number nearest to the highest, the same rollover at a tie.
  uint64_t Nearest(uint16_t sequence) const;

 private:
  uint64_t size_;
  std::set<uint64_t> taken_;
  std::optional<uint64_t> floor_;
};

// Streams in the order of their use, and where those ended that lost their places.
template <typename Stream>
class ModelTable {
 public:
  struct End {
    std::optional<uint64_t> rtp;
    std::optional<uint64_t> rtcp;
  };

  ModelTable(size_t capacity, size_t remembered) : capacity_(capacity), remembered_(remembered) {}

  Stream* Find(uint32_t ssrc) {
    const auto found = streams_.find(ssrc);
    return found == streams_.end() ? nullptr : &found->second;
  }
  void Touch(uint32_t ssrc) {
    newest_first_.remove(ssrc);
    newest_first_.push_front(ssrc);
  }
  // Where an SSRC ended that has no place.
  std::optional<End> Remembered(uint32_t ssrc) const {
    const auto found = ends_.find(ssrc);
    return found == ends_.end() ? std::nullopt : std::optional<End>(found->second);
  }
  // Puts out the one longest silent if need be.
  Stream& Add(uint32_t ssrc, Stream stream) {
    ends_.erase(ssrc);
    ended_first_.remove(ssrc);
    if (full()) {
      const uint32_t oldest = newest_first_.back();
      if (ends_.size() == remembered_) {
        ends_.erase(ended_first_.front());
        ended_first_.pop_front();
        ++forgotten_;
      }
      ends_[oldest] = streams_.at(oldest).Ended();
      ended_first_.push_back(oldest);
      streams_.erase(oldest);
      newest_first_.pop_back();
    }
    Touch(ssrc);
    return streams_.emplace(ssrc, std::move(stream)).first->second;
  }
  Stream& Oldest() { return streams_.at(newest_first_.back()); }

  bool full() const { return streams_.size() == capacity_; }
  uint64_t forgotten() const { return forgotten_; }
  std::map<uint32_t, Stream>& streams() { return streams_; }
  const std::list<uint32_t>& newest_first() const { return newest_first_; }

 private:
  const size_t capacity_;
  const size_t remembered_;
  std::map<uint32_t, Stream> streams_;
  std::list<uint32_t> newest_first_;
  std::map<uint32_t, End> ends_;
  std::list<uint32_t> ended_first_;
  uint64_t forgotten_ = 0;
};

// How many packets keys protected or opened.
class ModelLifetimes {
 public:
  explicit ModelLifetimes(const SrtpPolicy& policy)
      : rtp_(policy.rtp_lifetime), rtcp_(policy.rtcp_lifetime) {}

  void Count(int key, PacketKind kind) { ++used_[key][kind == PacketKind::kRtp ? 0 : 1]; }
  bool Expired(int key, PacketKind kind) const {
    return kind == PacketKind::kRtp ? Used(key, 0) >= rtp_.hard : Used(key, 1) >= rtcp_.hard;
  }
  bool Due(int key) const { return Used(key, 0) >= rtp_.soft || Used(key, 1) >= rtcp_.soft; }

 private:
  uint64_t Used(int key, size_t kind) const {
    const auto found = used_.find(key);
    return found == used_.end() ? 0 : found->second[kind];
  }

  const KeyLifetime rtp_;
  const KeyLifetime rtcp_;
  std::map<int, std::array<uint64_t, 2>> used_;
};

struct ModelOptions {
  size_t max_streams;
  size_t remembered_streams;
  // Of a sender for RTP only.
  uint64_t rtp_window;
  uint64_t rtcp_window;
  SrtpPolicy policy;
};

class SenderModel {
 public:
  SenderModel(const ModelOptions& options, int key);

  void SendWith(int key) { sending_ = key; }
  // No live key any more.
  void Retire(int key);
  // The verdict; with kOk, index and key of the packet.
  ProtectVerdict Send(ModelPacket& packet);

  bool rekey_due() const { return lifetimes_.Due(sending_); }
  uint64_t forgotten() const { return table_.forgotten(); }
  // Most recently used first.
  std::vector<uint32_t> Ssrcs() const;
  // Nothing: no RTP was sent.
  std::optional<uint64_t> HighestRtp(uint32_t ssrc);

 private:
  struct Stream {
    ModelWindow taken;
    uint64_t next_rtcp = 0;
    // Live keys only.
    std::set<int> sent_under = {};

    ModelTable<Stream>::End Ended() const;
  };

  const ModelOptions options_;
  int sending_;
  ModelLifetimes lifetimes_;
  ModelTable<Stream> table_;
};

class ReceiverModel {
 public:
  // Whether packets say their key.
  ReceiverModel(const ModelOptions& options, bool has_mki, int key);

  // The live keys; without MKI the current one first.
  std::list<int>& keys() { return keys_; }
  UnprotectVerdict Receive(const ModelPacket& packet);

  bool rekey_due() const;
  uint64_t forgotten() const { return table_.forgotten(); }
  std::vector<uint32_t> Ssrcs() const;
  std::optional<uint64_t> HighestRtp(uint32_t ssrc);

 private:
  struct Stream {
    ModelWindow rtp;
    ModelWindow rtcp;
    bool rollover_known = false;

    ModelTable<Stream>::End Ended() const { return {rtp.highest(), rtcp.highest()}; }
  };

  // What is known of the SSRC, by its place or from memory.
  Stream Known(uint32_t ssrc);
  // Keys that may open the packet.
  std::vector<int> Candidates(const ModelPacket& packet) const;
  UnprotectVerdict Judge(const Stream& stream, const ModelPacket& packet) const;

  const ModelOptions options_;
  const bool has_mki_;
  std::list<int> keys_;
  ModelLifetimes lifetimes_;
  ModelTable<Stream> table_;
};

}  // namespace sluice

#endif  // SRTP_TESTING_SRTP_MODEL_H_
