#include "quic/http3/http_client_streams.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "absl/types/span.h"
#include "quic/codec/varint.h"

namespace sluice {
namespace {

// RFC 9114 section 11.2.4, RFC 9204 section 8.2.
constexpr uint64_t kControlStream = 0x00;
constexpr uint64_t kPushStream = 0x01;
constexpr uint64_t kQpackEncoderStream = 0x02;
constexpr uint64_t kQpackDecoderStream = 0x03;

// RFC 9114 section 11.2.1, RFC 9218 section 7.
enum Frame : uint64_t {
  kData = 0x00,
  kHeaders = 0x01,
  // 0x02, 0x06, 0x08 and 0x09 are frames of HTTP/2.
  kPriorityOfHttp2 = 0x02,
  kCancelPush = 0x03,
  kSettings = 0x04,
  kPushPromise = 0x05,
  kPingOfHttp2 = 0x06,
  kGoaway = 0x07,
  kWindowUpdateOfHttp2 = 0x08,
  kContinuationOfHttp2 = 0x09,
  kMaxPushId = 0x0d,
  kPriorityUpdate = 0xf0700,
  kPriorityUpdateOfPush = 0xf0701,
};

// RFC 9114 section 7.2.4.1 and RFC 9220 section 3.
constexpr uint64_t kEnableConnectProtocol = 0x08;
// Settings of HTTP/2 that HTTP/3 has no use for (section 11.2.2).
constexpr bool IsSettingOfHttp2(uint64_t id) { return id == 0 || (id >= 2 && id <= 5); }

// RFC 9204 section 4.3.1: a capacity, which may only be zero.
constexpr uint8_t kSetCapacityZero = 0x20;
// Section 4.4: the first bits of what a decoder says.
constexpr uint8_t kCancellationMask = 0xc0;
constexpr uint8_t kCancellation = 0x40;
// The largest number that stands in those 6 bits; above it bytes follow.
constexpr uint8_t kShortNumber = 0x3f;
// Bytes of 7 bits that follow, for a number of 62 bits.
constexpr size_t kMaxLongNumber = 9;

}  // namespace

bool HttpClientStreams::Partial::Read(absl::Span<const uint8_t>& rest, uint64_t& out) {
  while (!rest.empty()) {
    bytes[size++] = rest[0];
    rest.remove_prefix(1);
    absl::Span<const uint8_t> number = absl::MakeConstSpan(bytes).first(size);
    if (ReadVarint(number, out)) {
      size = 0;
      return true;
    }
  }
  return false;
}

HttpClientStreams::Verdict HttpClientStreams::Fault(HttpErrorCode code) {
  fault_ = code;
  return Verdict::kFault;
}

HttpClientStreams::Verdict HttpClientStreams::Count(size_t bytes) {
  bytes_ += bytes;
  return bytes_ > kMaxBytesPerRequest ? Fault(HttpErrorCode::kExcessiveLoad) : Verdict::kTaken;
}

HttpClientStreams::Stream* HttpClientStreams::Find(StreamId id) {
  const auto found = std::find_if(streams_.begin(), streams_.end(),
                                  [id](const Stream& stream) { return stream.id == id; });
  return found == streams_.end() ? nullptr : &*found;
}

HttpClientStreams::Stream* HttpClientStreams::FindOrAdd(StreamId id) {
  Stream* stream = Find(id);
  if (stream == nullptr && (stream = Find(-1)) != nullptr) *stream = {.id = id};
  return stream;
}

HttpClientStreams::Verdict HttpClientStreams::OnData(StreamId id, absl::Span<const uint8_t> bytes,
                                                     bool fin) {
  Stream* const stream = FindOrAdd(id);
  // The transport allows no more than there are places.
  if (stream == nullptr) return Fault(HttpErrorCode::kExcessiveLoad);
  Verdict verdict = Count(bytes.size());
  if (verdict != Verdict::kTaken) return verdict;
  if (stream->type == Type::kComing) {
    uint64_t type = 0;
    if (!stream->type_bytes.Read(bytes, type)) return fin ? End(id) : Verdict::kTaken;
    verdict = OnType(*stream, type);
  }
  if (verdict == Verdict::kTaken && !bytes.empty()) {
    switch (stream->type) {
      case Type::kControl:
        verdict = ReadControl(bytes);
        break;
      case Type::kQpackEncoder:
        verdict = ReadEncoder(bytes);
        break;
      case Type::kQpackDecoder:
        verdict = ReadDecoder(bytes);
        break;
      case Type::kComing:
      case Type::kUnknown:
        break;
    }
  }
  return fin && verdict == Verdict::kTaken ? End(id) : verdict;
}

// RFC 9114 section 6.2.1, RFC 9204 section 4.2: those that everything depends on do not end. Of
// others the client may think better.
HttpClientStreams::Verdict HttpClientStreams::End(StreamId id) {
  Stream* const stream = Find(id);
  if (stream == nullptr) return Verdict::kTaken;
  const bool critical = stream->type != Type::kComing && stream->type != Type::kUnknown;
  return critical ? Fault(HttpErrorCode::kClosedCriticalStream) : Verdict::kTaken;
}

void HttpClientStreams::OnClosed(StreamId id) {
  Stream* const stream = Find(id);
  if (stream != nullptr) *stream = {};
}

HttpClientStreams::Verdict HttpClientStreams::OnType(Stream& stream, uint64_t type) {
  bool* opened = nullptr;
  switch (type) {
    case kControlStream:
      stream.type = Type::kControl;
      opened = &control_opened_;
      break;
    case kQpackEncoderStream:
      stream.type = Type::kQpackEncoder;
      opened = &encoder_opened_;
      break;
    case kQpackDecoderStream:
      stream.type = Type::kQpackDecoder;
      opened = &decoder_opened_;
      break;
    case kPushStream:
      // Section 6.2.2: only servers push.
      return Fault(HttpErrorCode::kStreamCreationError);
    default:
      stream.type = Type::kUnknown;
      return Verdict::kUnknownStream;
  }
  // One of each (section 6.2.1).
  if (*opened) return Fault(HttpErrorCode::kStreamCreationError);
  *opened = true;
  return Verdict::kTaken;
}

HttpClientStreams::Verdict HttpClientStreams::ReadNumber(absl::Span<const uint8_t>& rest,
                                                         bool& complete, uint64_t& out) {
  absl::Span<const uint8_t> part =
      rest.first(static_cast<size_t>(std::min<uint64_t>(rest.size(), left_)));
  const size_t before = part.size();
  complete = partial_.Read(part, out);
  left_ -= before - part.size();
  rest.remove_prefix(before - part.size());
  // The frame ends in the middle of a number (section 7.1).
  return !complete && left_ == 0 ? Fault(HttpErrorCode::kFrameError) : Verdict::kTaken;
}

HttpClientStreams::Verdict HttpClientStreams::ReadControl(absl::Span<const uint8_t> bytes) {
  Verdict verdict = Verdict::kTaken;
  while (!bytes.empty() && verdict == Verdict::kTaken) {
    uint64_t number = 0;
    bool complete = false;
    switch (at_) {
      case At::kType:
        if (partial_.Read(bytes, frame_type_)) at_ = At::kLength;
        break;
      case At::kLength:
        if (partial_.Read(bytes, left_)) verdict = OnFrameHead();
        break;
      case At::kSettingId:
        verdict = ReadNumber(bytes, complete, setting_);
        // Without a value (section 7.2.4).
        if (complete && left_ == 0) verdict = Fault(HttpErrorCode::kFrameError);
        if (complete) at_ = At::kSettingValue;
        break;
      case At::kSettingValue:
        verdict = ReadNumber(bytes, complete, number);
        if (!complete) break;
        verdict = OnSetting(setting_, number);
        at_ = left_ == 0 ? At::kType : At::kSettingId;
        break;
      case At::kNumber:
      case At::kPriority:
        verdict = ReadNumber(bytes, complete, number);
        if (complete) verdict = OnNumber(number);
        break;
      case At::kIgnored: {
        const auto size = static_cast<size_t>(std::min<uint64_t>(bytes.size(), left_));
        bytes.remove_prefix(size);
        left_ -= size;
        if (left_ == 0) at_ = At::kType;
        break;
      }
    }
  }
  return verdict;
}

HttpClientStreams::Verdict HttpClientStreams::OnFrameHead() {
  // Section 6.2.1: SETTINGS, once, before anything else.
  if (!settings_received_ && frame_type_ != kSettings) {
    return Fault(HttpErrorCode::kMissingSettings);
  }
  at_ = At::kIgnored;
  switch (frame_type_) {
    case kSettings:
      if (settings_received_) return Fault(HttpErrorCode::kFrameUnexpected);
      if (left_ > kMaxSettingsFrame) return Fault(HttpErrorCode::kExcessiveLoad);
      settings_received_ = true;
      at_ = At::kSettingId;
      break;
    case kCancelPush:
    case kGoaway:
    case kMaxPushId:
    case kPriorityUpdate:
      if (left_ == 0) return Fault(HttpErrorCode::kFrameError);
      at_ = frame_type_ == kPriorityUpdate ? At::kPriority : At::kNumber;
      break;
    case kPriorityUpdateOfPush:
      // RFC 9218 section 7.2: of a push that was never promised.
      return Fault(HttpErrorCode::kIdError);
    case kData:
    case kHeaders:
    case kPushPromise:
    case kPriorityOfHttp2:
    case kPingOfHttp2:
    case kWindowUpdateOfHttp2:
    case kContinuationOfHttp2:
      return Fault(HttpErrorCode::kFrameUnexpected);
    default:
      break;
  }
  if (left_ == 0) at_ = At::kType;
  return Verdict::kTaken;
}

HttpClientStreams::Verdict HttpClientStreams::OnSetting(uint64_t id, uint64_t value) {
  const auto end = settings_.begin() + static_cast<std::ptrdiff_t>(setting_count_);
  // Section 7.2.4: none twice, and none of HTTP/2 (7.2.4.1).
  if (IsSettingOfHttp2(id) || std::find(settings_.begin(), end, id) != end) {
    return Fault(HttpErrorCode::kSettingsError);
  }
  if (id == kEnableConnectProtocol && value > 1) return Fault(HttpErrorCode::kSettingsError);
  if (setting_count_ == kMaxSettings) return Fault(HttpErrorCode::kExcessiveLoad);
  settings_[setting_count_++] = id;
  return Verdict::kTaken;
}

HttpClientStreams::Verdict HttpClientStreams::OnNumber(uint64_t number) {
  if (at_ == At::kPriority) {
    // RFC 9218 section 7.2: of a request. What it says of it makes no difference here.
    if (number % 4 != 0) return Fault(HttpErrorCode::kIdError);
    at_ = left_ == 0 ? At::kType : At::kIgnored;
    return Verdict::kTaken;
  }
  // Section 7.1: nothing behind it.
  if (left_ != 0) return Fault(HttpErrorCode::kFrameError);
  at_ = At::kType;
  switch (frame_type_) {
    case kMaxPushId:
      // Section 7.2.7.
      if (number < max_push_id_) return Fault(HttpErrorCode::kIdError);
      max_push_id_ = number;
      return Verdict::kTaken;
    case kGoaway:
      // Section 5.2.
      if (number > goaway_push_id_) return Fault(HttpErrorCode::kIdError);
      goaway_push_id_ = number;
      return Verdict::kTaken;
    default:
      // Section 7.2.3: of a push that was never promised.
      return Fault(HttpErrorCode::kIdError);
  }
}

HttpClientStreams::Verdict HttpClientStreams::ReadEncoder(absl::Span<const uint8_t> bytes) {
  const bool harmless = std::all_of(bytes.begin(), bytes.end(),
                                    [](uint8_t byte) { return byte == kSetCapacityZero; });
  // RFC 9204 section 3.2.3: there is no table, so nothing is to be said of it.
  return harmless ? Verdict::kTaken : Fault(HttpErrorCode::kQpackEncoderStreamError);
}

HttpClientStreams::Verdict HttpClientStreams::ReadDecoder(absl::Span<const uint8_t> bytes) {
  for (const uint8_t byte : bytes) {
    if (in_cancellation_) {
      in_cancellation_ = (byte & 0x80) != 0;
      if (++cancellation_size_ > kMaxLongNumber) {
        return Fault(HttpErrorCode::kQpackDecoderStreamError);
      }
      continue;
    }
    // RFC 9204 sections 4.4.1 and 4.4.3: our answers refer to no table, so that nothing can be
    // acknowledged; an increment of zero is wrong anyway.
    if ((byte & kCancellationMask) != kCancellation) {
      return Fault(HttpErrorCode::kQpackDecoderStreamError);
    }
    in_cancellation_ = (byte & kShortNumber) == kShortNumber;
    cancellation_size_ = 0;
  }
  return Verdict::kTaken;
}

}  // namespace sluice
