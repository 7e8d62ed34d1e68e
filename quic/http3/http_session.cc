#include "quic/http3/http_session.h"

#include <nghttp3/nghttp3.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <utility>

#include "absl/memory/memory.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "base/byte_order.h"
#include "base/check.h"

namespace sluice {
namespace {

// Pieces that nghttp3 tells of at a time: a frame's head, its fields, and a spare one.
constexpr size_t kPieces = 4;

absl::string_view TextOf(nghttp3_rcbuf* buffer) {
  const nghttp3_vec bytes = nghttp3_rcbuf_get_buf(buffer);
  return {reinterpret_cast<const char*>(bytes.base), bytes.len};
}

}  // namespace

nghttp3_callbacks HttpSession::Callbacks() {
  nghttp3_callbacks callbacks{};
  callbacks.recv_header = [](nghttp3_conn*, int64_t id, int32_t, nghttp3_rcbuf* name,
                             nghttp3_rcbuf* value, uint8_t, void* self, void*) {
    static_cast<HttpSession*>(self)->events_.OnField(id, TextOf(name), TextOf(value));
    return 0;
  };
  callbacks.end_headers = [](nghttp3_conn*, int64_t id, int, void* self, void*) {
    static_cast<HttpSession*>(self)->events_.OnFieldsEnd(id);
    return 0;
  };
  callbacks.recv_trailer = [](nghttp3_conn*, int64_t id, int32_t, nghttp3_rcbuf* name,
                              nghttp3_rcbuf* value, uint8_t, void* self, void*) {
    static_cast<HttpSession*>(self)->events_.OnTrailer(id, TextOf(name), TextOf(value));
    return 0;
  };
  callbacks.recv_data = [](nghttp3_conn*, int64_t id, const uint8_t* data, size_t size, void* self,
                           void*) {
    static_cast<HttpSession*>(self)->events_.OnBody(id, absl::MakeConstSpan(data, size));
    return 0;
  };
  // That is how it tells of a request that is none.
  callbacks.stop_sending = [](nghttp3_conn*, int64_t, uint64_t, void* self, void*) {
    static_cast<HttpSession*>(self)->malformed_ = true;
    return 0;
  };
  return callbacks;
}

HttpSession::HttpSession(HttpSessionEvents& events, HttpStreams& streams)
    : events_(events), streams_(streams) {}

std::unique_ptr<HttpSession> HttpSession::Create(HttpSessionEvents& events, HttpStreams& streams) {
  auto session = absl::WrapUnique(new HttpSession(events, streams));
  return session->Open() ? std::move(session) : nullptr;
}

HttpSession::~HttpSession() { nghttp3_conn_del(conn_); }

bool HttpSession::Open() {
  const nghttp3_callbacks callbacks = Callbacks();
  nghttp3_settings settings;
  nghttp3_settings_default(&settings);
  settings.max_field_section_size = kMaxHttpFieldSection;
  settings.qpack_max_dtable_capacity = 0;
  settings.qpack_encoder_max_dtable_capacity = 0;
  settings.qpack_blocked_streams = 0;
  if (nghttp3_conn_server_new(&conn_, &callbacks, &settings, &memory_.mem(), this) != 0) {
    return false;
  }
  for (StreamId& id : own_) {
    const std::optional<StreamId> opened = streams_.OpenUnidirectional();
    if (!opened.has_value()) return false;
    id = *opened;
  }
  if (nghttp3_conn_bind_control_stream(conn_, own_[0]) != 0 ||
      nghttp3_conn_bind_qpack_streams(conn_, own_[1], own_[2]) != 0) {
    return false;
  }
  return Pump(-1, {}) >= 0;
}

HttpSession::Verdict HttpSession::Fail(HttpErrorCode code) {
  failure_ = code;
  return Verdict::kFailed;
}

HttpSession::Verdict HttpSession::Judge(nghttp3_ssize error) {
  switch (error) {
    case NGHTTP3_ERR_MALFORMED_HTTP_HEADER:
    case NGHTTP3_ERR_MALFORMED_HTTP_MESSAGING:
      return Verdict::kMalformed;
    // More memory than a connection may have, or a field that nobody would wait for.
    case NGHTTP3_ERR_NOMEM:
    case NGHTTP3_ERR_QPACK_HEADER_TOO_LARGE:
      return Fail(HttpErrorCode::kExcessiveLoad);
    default:
      return Fail(static_cast<HttpErrorCode>(
          nghttp3_err_infer_quic_app_error_code(static_cast<int>(error))));
  }
}

HttpSession::Verdict HttpSession::Read(StreamId id, absl::Span<const uint8_t> bytes) {
  SLUICE_DCHECK(failure_ == HttpErrorCode::kNone && IsBidirectional(id) && !IsOpenedByServer(id));
  largest_ = std::max(largest_, id);
  malformed_ = false;
  const nghttp3_ssize result =
      nghttp3_conn_read_stream(conn_, id, bytes.data(), bytes.size(), /*fin=*/0);
  if (result < 0) return Judge(result);
  return malformed_ ? Verdict::kMalformed : Verdict::kTaken;
}

HttpSession::Verdict HttpSession::ReadEnd(StreamId id) {
  SLUICE_DCHECK(failure_ == HttpErrorCode::kNone);
  const nghttp3_ssize result = nghttp3_conn_read_stream(conn_, id, nullptr, 0, /*fin=*/1);
  if (result >= 0) return Verdict::kTaken;
  // There is no frame that could be out of place: there was none at all.
  if (result == NGHTTP3_ERR_H3_FRAME_UNEXPECTED) return Verdict::kIncomplete;
  // RFC 9114 section 7.1: also a frame that ends within its type is cut off.
  if (result == NGHTTP3_ERR_H3_GENERAL_PROTOCOL_ERROR) return Fail(HttpErrorCode::kFrameError);
  return Judge(result);
}

HttpSession::Verdict HttpSession::EncodeFields(
    StreamId id, absl::Span<const nghttp3_nv> fields,
    absl::FunctionRef<void(absl::Span<const uint8_t>)> send) {
  SLUICE_DCHECK(failure_ == HttpErrorCode::kNone);
  const int error =
      nghttp3_conn_submit_response(conn_, id, fields.data(), fields.size(), /*dr=*/nullptr);
  if (error != 0) return Judge(error);
  std::array<uint8_t, kMaxAnswerFields> frame;
  const nghttp3_ssize size = Pump(id, absl::MakeSpan(frame));
  if (size < 0) return Judge(size);
  if (static_cast<size_t>(size) > frame.size()) return Verdict::kMalformed;
  send(absl::MakeConstSpan(frame).first(static_cast<size_t>(size)));
  return Verdict::kTaken;
}

void HttpSession::Forget(StreamId id) {
  if (failure_ != HttpErrorCode::kNone) return;
  // Fails only for one that it does not know.
  static_cast<void>(nghttp3_conn_close_stream(conn_, id, NGHTTP3_H3_NO_ERROR));
}

HttpSession::Verdict HttpSession::AnnounceGoaway() {
  const int error = nghttp3_conn_submit_shutdown_notice(conn_);
  return error != 0 ? Judge(error) : FlushControl();
}

HttpSession::Verdict HttpSession::SendGoaway(StreamId& first_refused) {
  // As nghttp3 counts; it has read whatever was read.
  first_refused = largest_ + 4;
  const int error = nghttp3_conn_shutdown(conn_);
  return error != 0 ? Judge(error) : FlushControl();
}

HttpSession::Verdict HttpSession::FlushControl() {
  SLUICE_DCHECK(failure_ == HttpErrorCode::kNone);
  const nghttp3_ssize result = Pump(-1, {});
  return result < 0 ? Judge(result) : Verdict::kTaken;
}

nghttp3_ssize HttpSession::Pump(StreamId request, absl::Span<uint8_t> frame) {
  control_waits_ = false;
  for (const StreamId id : own_) static_cast<void>(nghttp3_conn_unblock_stream(conn_, id));
  size_t of_request = 0;
  while (true) {
    std::array<nghttp3_vec, kPieces> pieces;
    int64_t id = -1;
    int fin = 0;
    const nghttp3_ssize count =
        nghttp3_conn_writev_stream(conn_, &id, &fin, pieces.data(), pieces.size());
    if (count < 0) return count;
    if (id == -1) return static_cast<nghttp3_ssize>(of_request);
    size_t taken = 0;
    size_t offered = 0;
    for (const nghttp3_vec& piece : absl::MakeConstSpan(pieces).first(static_cast<size_t>(count))) {
      const auto bytes = absl::MakeConstSpan(piece.base, piece.len);
      if (id != request) {
        if (taken == offered) taken += streams_.Write(id, bytes, false);
      } else {
        if (of_request + bytes.size() <= frame.size()) CopyBytes(frame.subspan(of_request), bytes);
        of_request += bytes.size();
        taken += bytes.size();
      }
      offered += bytes.size();
    }
    int error = nghttp3_conn_add_write_offset(conn_, id, taken);
    // What the connection has taken it has copied, and keeps until it arrives: nghttp3 need not.
    if (error == 0) error = nghttp3_conn_add_ack_offset(conn_, id, taken);
    if (error != 0) return error;
    if (taken == offered) continue;
    nghttp3_conn_block_stream(conn_, id);
    control_waits_ = true;
  }
}

}  // namespace sluice
