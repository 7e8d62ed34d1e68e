#ifndef GATEWAY_LEG_LEG_STREAMS_H_
#define GATEWAY_LEG_LEG_STREAMS_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/time_delta.h"
#include "base/timestamp.h"
#include "gateway/leg/leg_snapshot.h"
#include "gateway/leg/rtp_summary.h"
#include "gateway/leg/ssrc_index.h"
#include "gateway/leg/stream_statistics.h"

namespace sluice {

// Statistics of the streams of one leg in one direction: at most `max_streams`, the least recently
// used goes first. All memory is taken in the constructor.
class LegStreams {
 public:
  // A stream that takes the place of one heard within this time is not told as an event, so that a
  // sender which draws a new SSRC for each packet causes no flood: at most `max_streams` events in
  // ten seconds. Ten seconds, because a live stream is not silent longer (RFC 3550 section 6.3.5
  // times a source out after five reports).
  static constexpr TimeDelta kQuietBeforeReplaced = TimeDelta::Seconds(10);

  LegStreams(size_t max_streams, StreamDirection direction)
      : direction_(direction), index_(max_streams), streams_(max_streams) {}

  // True when the packet's stream is new and worth an event.
  bool OnPacket(Timestamp now, const RtpSummary& packet, uint32_t clock_rate);

  size_t size() const { return index_.size(); }
  void AppendTo(std::vector<StreamSnapshot>& snapshots) const;

 private:
  StreamDirection direction_;
  SsrcIndex index_;
  // By slot of the index.
  std::vector<StreamStatistics> streams_;
};

}  // namespace sluice

#endif  // GATEWAY_LEG_LEG_STREAMS_H_
