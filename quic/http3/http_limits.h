#ifndef QUIC_HTTP3_HTTP_LIMITS_H_
#define QUIC_HTTP3_HTTP_LIMITS_H_

#include <cstddef>
#include <cstdint>

#include "absl/status/status.h"
#include "base/time_delta.h"

namespace sluice {

// Of a header section, decoded, with 32 bytes for each field (RFC 9114 section 4.2.2): a token, and
// all that browsers add, are below 4 KiB. What a client is told in SETTINGS. Longer ones get 431.
inline constexpr size_t kMaxHttpFieldSection = size_t{16} * 1024;
// Of a header section; browsers send about 20. More get 431.
inline constexpr size_t kMaxHttpFields = 100;
// Of a request; what the longest one of signalling has. Longer ones get 413.
inline constexpr size_t kMaxHttpBody = size_t{64} * 1024;
// Of everything on the stream of a request, frames that nobody knows included: the longest request
// in the smallest frames that anybody makes of it. What goes beyond is given up.
inline constexpr size_t kMaxHttpRequestBytes = size_t{192} * 1024;
// Of one piece of an answer; the longest message of signalling.
inline constexpr size_t kMaxHttpPiece = size_t{64} * 1024;
// What nghttp3 may allocate for a connection: three of its streams, those of requests, one field of
// each, and once the longest field that it would wait for. Beyond it the connection ends.
inline constexpr size_t kMaxHttpStateMemory = size_t{256} * 1024;

// What the requests of one connection may take up.
struct HttpLimits {
  // Requests at a time: a page has one stream of events and one or two others. 1 to kMaxRequests.
  size_t requests = 16;
  // Of these, how many may have bytes waiting here: a request that is not complete, an answer that
  // the client does not read. 1 to kMaxBuffers.
  size_t buffers = 8;
  // From the opening of a stream to the end of the request. Above zero: a stream on which nothing
  // comes must not stay.
  TimeDelta request_timeout = TimeDelta::Seconds(10);
  // From when something of an answer began to wait for the client's flow control to when all of
  // that must have gone out, and once more from the end of the answer. Above zero: a client that
  // reads nothing must not keep buffers for as long as it likes.
  TimeDelta drain_timeout = TimeDelta::Seconds(10);
  // From the notice that the server stops to the last request that it takes (RFC 9114 section 5.2):
  // requests that were under way when the client learned of it come within a round trip.
  TimeDelta goaway_notice = TimeDelta::Millis(500);

  // Requests are looked for one after the other.
  static constexpr size_t kMaxRequests = 256;
  static constexpr size_t kMaxBuffers = 256;
};

// InvalidArgument, naming the limit that is out of its range.
absl::Status CheckHttpLimits(const HttpLimits& limits);

}  // namespace sluice

#endif  // QUIC_HTTP3_HTTP_LIMITS_H_
