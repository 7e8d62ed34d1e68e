#ifndef GATEWAY_LEG_LEG_CHAIN_H_
#define GATEWAY_LEG_LEG_CHAIN_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "base/data_rate.h"
#include "base/random_source.h"
#include "base/time_delta.h"
#include "base/timestamp.h"
#include "gateway/leg/chain_parts.h"
#include "gateway/leg/interceptor_options.h"
#include "gateway/leg/leg_snapshot.h"
#include "gateway/leg/media_description.h"
#include "gateway/leg/media_formats.h"
#include "interceptor/chain.h"
#include "interceptor/packet_log/packet_log_ring.h"
#include "interceptor/stream_info.h"
#include "srtp/rtp_packet_view.h"
#include "srtp/rtp_types.h"

namespace sluice {

// The interceptors of one leg, and which streams they know: those that were seen, since no
// signalling of ours has to name SSRCs. Memory is taken in Create; no other call allocates,
// Snapshot apart. One thread.
class LegChain {
 public:
  // Streams in each direction that interceptors work on: audio, three layers of video and a second
  // of each have eight. What comes beyond passes without them.
  static constexpr size_t kMaxStreams = 16;
  // A new stream takes the place of one that was silent for so long, as long as a source may be
  // silent (RFC 3550 section 6.3.5), and of no other: who draws a new SSRC for each packet gets
  // nothing by it.
  static constexpr TimeDelta kQuietBeforeReplaced = TimeDelta::Seconds(10);

  struct Media {
    absl::Span<const PayloadDescription> payload_types;
    absl::Span<const HeaderExtension> extensions;
    absl::Span<const StreamGroup> groups;
  };

  // `secure`: the leg's packets are SRTP. `packet_log` is where the log goes, null without one, and
  // outlives the chain. Null when `options` leave nothing to do.
  static absl::StatusOr<std::unique_ptr<LegChain>> Create(const InterceptorOptions& options,
                                                          const Media& media, bool secure,
                                                          PacketLogRing* packet_log,
                                                          const ChainEnvironment& environment);
  // The chain is about to be replaced by one that takes over the packet log: it logs no more, and
  // leaves the ring open.
  void ReleasePacketLog();
  InterceptorChain& chain() { return *chain_; }
  Timestamp NextTimeout() const { return chain_->NextTimeout(); }

  // To be called for each packet before the chain has it, so that it knows the stream.
  void Prepare(Timestamp now, PacketDirection direction, const RtpPacketView& packet) {
    if (packet.ssrc() != last_ssrc_[static_cast<size_t>(direction)]) {
      PrepareOther(now, direction, packet);
    }
  }

  // Whether an estimate is worth an event: it is the first, or an eighth away from the last that
  // was.
  bool TakeTarget(DataRate target);

  // The peer wanted a key frame and its source was not asked: too many wanted one at once.
  void CountKeyFrameNotAsked() { ++key_frames_not_asked_; }

  // Figures of the stream; nothing when there are none.
  std::optional<StreamFeedbackSnapshot> StreamFeedback(Ssrc ssrc, StreamDirection direction) const;
  // Sets what a snapshot says of interceptors, options apart.
  void AddTo(LegSnapshot& snapshot) const;

 private:
  struct Stream {
    // Of the media.
    Ssrc ssrc{0};
    PayloadType payload_type{0};
    bool active = false;
    bool has_retransmission = false;
    Timestamp last_packet = Timestamp::MinusInfinity();
  };
  using Streams = std::array<Stream, kMaxStreams>;

  LegChain(const InterceptorOptions& options, const Media& media,
           const ChainEnvironment& environment);

  Streams& streams(PacketDirection direction) { return streams_[static_cast<size_t>(direction)]; }
  void PrepareOther(Timestamp now, PacketDirection direction, const RtpPacketView& packet);
  void AddStream(Timestamp now, PacketDirection direction, const RtpPacketView& packet);
  // An SSRC for retransmissions or parity that nothing was signalled of.
  void JoinStream(Timestamp now, const RtpPacketView& packet, const PayloadFormat& format);
  // Frees a place of the direction, if one is free or quiet.
  bool MakeRoom(Timestamp now, PacketDirection direction);
  Ssrc DrawSsrc();

  const MediaFormats formats_;
  const std::vector<StreamGroup> groups_;
  RandomSource& random_;
  std::unique_ptr<InterceptorChain> chain_;
  // Owned by the chain.
  ChainParts parts_;

  // By direction and slot.
  std::array<Streams, 2> streams_;
  // Whose place in streams_ is up to date; nothing: none.
  std::array<std::optional<Ssrc>, 2> last_ssrc_;
  uint64_t streams_refused_ = 0;
  uint64_t key_frames_not_asked_ = 0;
  std::optional<DataRate> told_target_;
  const bool parity_;
};

}  // namespace sluice

#endif  // GATEWAY_LEG_LEG_CHAIN_H_
