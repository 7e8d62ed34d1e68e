#ifndef QUIC_HTTP3_HTTP_SESSION_H_
#define QUIC_HTTP3_HTTP_SESSION_H_

#include <nghttp3/nghttp3.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>

#include "absl/functional/function_ref.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "quic/connection/connection_handler.h"
#include "quic/http3/http_error_code.h"
#include "quic/http3/http_limits.h"
#include "quic/http3/http_state_memory.h"
#include "quic/http3/http_streams.h"

namespace sluice {

// Told of what is read on the stream of a request, while it is read. Views last for the call.
// Nothing of the session may be called.
class HttpSessionEvents {
 public:
  virtual ~HttpSessionEvents() = default;

  virtual void OnField(StreamId id, absl::string_view name, absl::string_view value) = 0;
  virtual void OnFieldsEnd(StreamId id) = 0;
  virtual void OnTrailer(StreamId id, absl::string_view name, absl::string_view value) = 0;
  virtual void OnBody(StreamId id, absl::Span<const uint8_t> bytes) = 0;
};

// HTTP/3 of one connection as nghttp3 speaks it, within a bounded memory: frames and fields of
// requests, fields of answers, and our own control and QPACK streams. Does not see the client's
// unidirectional streams (http_client_streams.h) nor bodies of answers (http_outflow.h). Without a
// dynamic table in either direction, so that no stream waits for another and a field costs no more
// than its bytes. One thread.
class HttpSession {
 public:
  enum class Verdict : uint8_t {
    kTaken,
    // It is no request: message_error, of the stream (RFC 9114 section 4.1.2).
    kMalformed,
    // The stream ended before anything was asked: request_incomplete, of the stream (section 4.1).
    kIncomplete,
    // A rule was broken: the connection ends with failure(). Nothing may be called any more.
    kFailed,
  };

  // Opens the server's streams and writes SETTINGS. Null when the client does not allow three
  // streams (section 6.2), or for lack of memory. The others outlive it.
  static std::unique_ptr<HttpSession> Create(HttpSessionEvents& events, HttpStreams& streams);
  ~HttpSession();
  HttpSession(const HttpSession&) = delete;
  HttpSession& operator=(const HttpSession&) = delete;

  // The next bytes of a request, maybe none, and its end. After anything but kTaken the stream is
  // not to be read any more.
  [[nodiscard]] Verdict Read(StreamId id, absl::Span<const uint8_t> bytes);
  [[nodiscard]] Verdict ReadEnd(StreamId id);
  // Gives the HEADERS frame of an answer to `send`, once, on a stream that was read. kMalformed if
  // it is longer than may be, which is our mistake.
  [[nodiscard]] Verdict EncodeFields(StreamId id, absl::Span<const nghttp3_nv> fields,
                                     absl::FunctionRef<void(absl::Span<const uint8_t>)> send);
  // The stream is of no more use. Also for one that was never read.
  void Forget(StreamId id);

  // GOAWAY (section 5.2): first that one will come, then the first id that is not served any more.
  [[nodiscard]] Verdict AnnounceGoaway();
  [[nodiscard]] Verdict SendGoaway(StreamId& first_refused);

  // Writes what waits on our own streams. There is something while control_waits().
  [[nodiscard]] Verdict FlushControl();
  bool control_waits() const { return control_waits_; }

  HttpErrorCode failure() const { return failure_; }
  const HttpStateMemory& memory() const { return memory_; }

 private:
  // Of the HEADERS frame of an answer.
  static constexpr size_t kMaxAnswerFields = 4096;

  HttpSession(HttpSessionEvents& events, HttpStreams& streams);
  bool Open();
  Verdict Fail(HttpErrorCode code);
  // What an error of nghttp3 on the stream of a request means.
  Verdict Judge(nghttp3_ssize error);
  // Writes what nghttp3 has for our own streams, and what it has for `request` into `frame`, as far
  // as there is room. How many bytes that would have been; a negative one is nghttp3's error.
  nghttp3_ssize Pump(StreamId request, absl::Span<uint8_t> frame);

  static nghttp3_callbacks Callbacks();

  HttpSessionEvents& events_;
  HttpStreams& streams_;
  HttpStateMemory memory_{kMaxHttpStateMemory};
  nghttp3_conn* conn_ = nullptr;
  std::array<StreamId, 3> own_{};
  // What was read is no request.
  bool malformed_ = false;
  bool control_waits_ = false;
  // The largest one that was read.
  StreamId largest_ = -4;
  HttpErrorCode failure_ = HttpErrorCode::kNone;
};

}  // namespace sluice

#endif  // QUIC_HTTP3_HTTP_SESSION_H_
