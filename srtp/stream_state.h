#ifndef SRTP_STREAM_STATE_H_
#define SRTP_STREAM_STATE_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "srtp/key_id.h"
#include "srtp/rtp_types.h"

namespace sluice {

// What has to be kept of a stream so that another process can go on with it. Not secret.

// Of one replay window.
struct WindowState {
  uint64_t highest;
  // ReplayWindow::words(). Where the window to be restored has another size, or none are given,
  // everything up to `highest` counts as seen.
  std::vector<uint64_t> words;
};

struct SenderStreamState {
  Ssrc ssrc;
  // The key that is sent with. ROC and sequence number are in the highest index (RFC 3711
  // section 3.3.1).
  KeyId key;
  // Nothing: no RTP was sent.
  std::optional<WindowState> rtp;
  // RFC 3711 section 3.4; 0..2^31 - 1, the last value being "none left".
  uint32_t next_rtcp_index;
};

struct ReceiverStreamState {
  Ssrc ssrc;
  KeyId key;
  std::optional<WindowState> rtp;
  std::optional<WindowState> rtcp;
};

// How far a restored sender jumps ahead of what was exported: more than the packets that one SSRC
// may have sent since the export, because an index used twice repeats a keystream (RFC 3711
// section 9.1). RTP packets up to the margin are refused as kIndexReused; a source goes on and
// leaves it behind.
struct RestoreMargin {
  // 0..kMaxRtp. One second of an SSRC with a thousand packets.
  uint32_t rtp = 1024;
  // 0..kMaxRtcp.
  uint32_t rtcp = 4096;

  // Half of the distance from which on a sequence number would be taken for one of the next
  // rollover (RFC 3711 section 3.3.1).
  static constexpr uint32_t kMaxRtp = 1u << 14;
  static constexpr uint32_t kMaxRtcp = 1u << 20;
};

}  // namespace sluice

#endif  // SRTP_STREAM_STATE_H_
