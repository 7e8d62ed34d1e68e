#include "gateway/leg/media_formats.h"

#include <cstddef>

#include "absl/strings/match.h"
#include "absl/strings/string_view.h"
#include "gateway/leg/interceptor_options.h"

namespace sluice {
namespace {

// Encoding names that say more than a clock rate (RFC 4855 section 3: without regard to case).
struct NamedFormat {
  absl::string_view name;
  PayloadRole role;
  PayloadCodec codec;
  bool video;
};
constexpr NamedFormat kNamedFormats[] = {
    {"rtx", PayloadRole::kRetransmission, PayloadCodec::kOther, false},
    {"red", PayloadRole::kRedundancy, PayloadCodec::kOther, false},
    {"flexfec-03", PayloadRole::kForwardErrorCorrection, PayloadCodec::kOther, false},
    {"VP8", PayloadRole::kMedia, PayloadCodec::kVp8, true},
    {"VP9", PayloadRole::kMedia, PayloadCodec::kVp9, true},
    {"H264", PayloadRole::kMedia, PayloadCodec::kH264, true},
    {"H265", PayloadRole::kMedia, PayloadCodec::kH265, true},
    {"AV1", PayloadRole::kMedia, PayloadCodec::kAv1, true},
};

struct NamedExtension {
  absl::string_view uri;
  uint8_t StreamExtensions::*id;
};
constexpr NamedExtension kNamedExtensions[] = {
    {kTransportSequenceUri, &StreamExtensions::transport_sequence},
    {kAbsoluteSendTimeUri, &StreamExtensions::absolute_send_time},
    {kAudioLevelUri, &StreamExtensions::audio_level},
    {kMidUri, &StreamExtensions::mid},
    {kRtpStreamIdUri, &StreamExtensions::rtp_stream_id},
    {kRepairedRtpStreamIdUri, &StreamExtensions::repaired_rtp_stream_id},
};

StreamFeedback Either(const StreamFeedback& a, const StreamFeedback& b) {
  return {.nack = a.nack || b.nack,
          .picture_loss_indication = a.picture_loss_indication || b.picture_loss_indication,
          .full_intra_request = a.full_intra_request || b.full_intra_request,
          .receiver_estimate = a.receiver_estimate || b.receiver_estimate,
          .transport_wide = a.transport_wide || b.transport_wide,
          .congestion_control = a.congestion_control || b.congestion_control};
}

}  // namespace

MediaFormats::MediaFormats(absl::Span<const PayloadDescription> payload_types,
                           absl::Span<const HeaderExtension> extensions) {
  index_.fill(kNone);
  rows_.reserve(payload_types.size());
  for (const PayloadDescription& type : payload_types) {
    if (type.payload_type.value() >= index_.size() || rows_.size() == kNone) {
      continue;
    }
    Row row;
    row.format.payload_type = type.payload_type;
    row.format.clock_rate = type.clock_rate;
    row.format.associated = type.associated.value_or(PayloadType(0));
    row.feedback = type.feedback;
    // Only video has key frames to ask for.
    row.video = type.feedback.picture_loss_indication || type.feedback.full_intra_request;
    for (const NamedFormat& named : kNamedFormats) {
      if (absl::EqualsIgnoreCase(type.encoding_name, named.name)) {
        row.format.role = named.role;
        row.format.codec = named.codec;
        row.video = row.video || named.video;
      }
    }
    index_[type.payload_type.value()] = static_cast<uint8_t>(rows_.size());
    rows_.push_back(row);
  }
  for (const HeaderExtension& extension : extensions) {
    for (const NamedExtension& named : kNamedExtensions) {
      if (extension.uri == named.uri) {
        extensions_.*named.id = extension.id;
      }
    }
  }
}

const MediaFormats::Row* MediaFormats::FindRow(PayloadType payload_type) const {
  const uint8_t row = index_[payload_type.value() & 0x7F];
  return row == kNone ? nullptr : &rows_[row];
}

const PayloadFormat* MediaFormats::Find(PayloadType payload_type) const {
  const Row* const row = FindRow(payload_type);
  return row == nullptr ? nullptr : &row->format;
}

const PayloadFormat* MediaFormats::FindRetransmissionOf(PayloadType payload_type) const {
  for (const Row& row : rows_) {
    if (row.format.role == PayloadRole::kRetransmission && row.format.associated == payload_type) {
      return &row.format;
    }
  }
  return nullptr;
}

StreamInfo MediaFormats::Describe(Ssrc ssrc, PayloadType payload_type) const {
  StreamInfo info;
  info.ssrc = ssrc;
  info.extensions = extensions_;
  const Row* const first = FindRow(payload_type);
  if (first != nullptr) {
    // What is agreed on for an encoding holds for it in any wrapping (RFC 2198).
    const bool wraps = first->format.role == PayloadRole::kRedundancy;
    const Row* const wrapped = wraps ? FindRow(first->format.associated) : nullptr;
    info.feedback =
        wrapped != nullptr ? Either(first->feedback, wrapped->feedback) : first->feedback;
    info.video = first->video || (wrapped != nullptr && wrapped->video);
    // Fits: it is the first.
    (void)info.AddFormat(first->format);
  }
  const auto goes_with = [&](const Row& row) {
    return row.format.role != PayloadRole::kMedia && row.format.associated == payload_type;
  };
  for (const bool related : {true, false}) {
    for (const Row& row : rows_) {
      if (&row != first && goes_with(row) == related) {
        // What does not fit is not known to the stream's interceptors.
        (void)info.AddFormat(row.format);
      }
    }
  }
  return info;
}

}  // namespace sluice
