#ifndef QUIC_HTTP3_HTTP_CLIENT_STREAMS_H_
#define QUIC_HTTP3_HTTP_CLIENT_STREAMS_H_

#include <array>
#include <cstddef>
#include <cstdint>

#include "absl/types/span.h"
#include "quic/connection/connection_handler.h"
#include "quic/http3/http_error_code.h"

namespace sluice {

// Reads the unidirectional streams of a client (RFC 9114 sections 6.2 and 7.2, RFC 9204 section
// 4.2) and tells which rule it broke. Nothing that may be said there changes what a server does
// that neither pushes nor has a dynamic table nor schedules answers, so that nothing is kept but
// where each stream is. Allocates nothing. One thread.
class HttpClientStreams {
 public:
  // Three, what a client makes up to see whether unknown ones are ignored, and some to come.
  static constexpr size_t kMaxStreams = 8;
  // Of settings: all that are registered, and as many that nobody knows.
  static constexpr size_t kMaxSettings = 32;
  // Of a SETTINGS frame: as many of the longest.
  static constexpr size_t kMaxSettingsFrame = kMaxSettings * 16;
  // Bytes on all of these streams between two requests: hundreds of priorities that a page sends
  // with each. Nobody waits for what is only noise.
  static constexpr size_t kMaxBytesPerRequest = size_t{16} * 1024;
  // What a stream counts as besides its bytes, so that those without any are not free: a few
  // hundred may come and go between two requests.
  static constexpr size_t kBytesPerStream = 64;

  enum class Verdict : uint8_t {
    kTaken,
    // A stream of a type that is not known: the client may stop. Told once of each.
    kUnknownStream,
    // A rule was broken: the connection ends with fault().
    kFault,
  };

  // The client opened a stream.
  [[nodiscard]] Verdict OnOpened() { return Count(kBytesPerStream); }
  // A stream's next bytes; `fin`: the last ones, maybe none.
  [[nodiscard]] Verdict OnData(StreamId id, absl::Span<const uint8_t> bytes, bool fin);
  // The client gave it up.
  [[nodiscard]] Verdict OnReset(StreamId id) { return End(id); }
  // It is gone, after its end.
  void OnClosed(StreamId id);
  // A request came: there is a reason for more.
  void OnRequest() { bytes_ = 0; }

  // After kFault.
  HttpErrorCode fault() const { return fault_; }
  bool settings_received() const { return settings_received_; }

 private:
  enum class Type : uint8_t { kComing, kControl, kQpackEncoder, kQpackDecoder, kUnknown };

  // A number whose bytes come one after the other.
  struct Partial {
    std::array<uint8_t, 8> bytes{};
    size_t size = 0;

    // Takes bytes from the front of `rest`; whether the number is complete.
    bool Read(absl::Span<const uint8_t>& rest, uint64_t& out);
  };

  struct Stream {
    StreamId id = -1;
    Type type = Type::kComing;
    Partial type_bytes{};
  };

  // Where the control stream is in a frame.
  enum class At : uint8_t {
    kType,
    kLength,
    kSettingId,
    kSettingValue,
    kNumber,
    kPriority,
    kIgnored
  };

  Verdict Fault(HttpErrorCode code);
  Verdict Count(size_t bytes);
  Stream* Find(StreamId id);
  Stream* FindOrAdd(StreamId id);
  Verdict End(StreamId id);
  Verdict OnType(Stream& stream, uint64_t type);
  Verdict ReadControl(absl::Span<const uint8_t> bytes);
  Verdict ReadEncoder(absl::Span<const uint8_t> bytes);
  Verdict ReadDecoder(absl::Span<const uint8_t> bytes);

  // Frames of the control stream.
  Verdict OnFrameHead();
  Verdict OnSetting(uint64_t id, uint64_t value);
  Verdict OnNumber(uint64_t number);
  // A number within what is left of a frame. kTaken with `complete` false: more is to come.
  Verdict ReadNumber(absl::Span<const uint8_t>& rest, bool& complete, uint64_t& out);

  HttpErrorCode fault_ = HttpErrorCode::kNone;
  std::array<Stream, kMaxStreams> streams_{};
  bool control_opened_ = false;
  bool encoder_opened_ = false;
  bool decoder_opened_ = false;
  size_t bytes_ = 0;

  // Of the control stream.
  At at_ = At::kType;
  Partial partial_;
  uint64_t frame_type_ = 0;
  uint64_t left_ = 0;
  bool settings_received_ = false;
  uint64_t setting_ = 0;
  std::array<uint64_t, kMaxSettings> settings_{};
  size_t setting_count_ = 0;
  // Push ids of MAX_PUSH_ID, which only grow, and of GOAWAY, which only shrink.
  uint64_t max_push_id_ = 0;
  uint64_t goaway_push_id_ = ~uint64_t{0};

  // Of the decoder's stream: within the number of a cancelled stream, and how far that is.
  bool in_cancellation_ = false;
  size_t cancellation_size_ = 0;
};

}  // namespace sluice

#endif  // QUIC_HTTP3_HTTP_CLIENT_STREAMS_H_
