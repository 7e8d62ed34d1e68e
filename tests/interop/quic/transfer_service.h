#ifndef TESTS_INTEROP_QUIC_TRANSFER_SERVICE_H_
#define TESTS_INTEROP_QUIC_TRANSFER_SERVICE_H_

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "base/timestamp.h"
#include "quic/http3/http_service.h"

namespace sluice {

// What a test server has for clients that transfer something:
//   GET  /bytes/N   TransferBytes(N)
//   POST /echo      the body, with its type
//   GET  /healthz   as a gateway says it
//   GET  /          a page, if there is one
// Anything else is 404. One thread, but for the counters.
class TransferService : public HttpService {
 public:
  // Of /bytes/N.
  static constexpr size_t kMaxSize = size_t{64} << 20;

  explicit TransferService(std::string page = "") : page_(std::move(page)) {}

  void OnRequest(Timestamp now, const HttpCall& call, const HttpRequest& request) override;
  void OnCancelled(const HttpCall& call, HttpCancelCause cause) override;
  void OnWritable(Timestamp now, const HttpCall& call) override;

  // Any thread.
  uint64_t requests() const { return requests_; }
  // Of these, that came in 0-RTT.
  uint64_t early_requests() const { return early_requests_; }

 private:
  struct Answer {
    std::string body;
    size_t sent = 0;
  };

  void Begin(Timestamp now, const HttpCall& call, HttpAnswer fields, std::string body);
  void Pump(Timestamp now, const HttpCall& call);

  const std::string page_;
  // Those that are not out.
  absl::flat_hash_map<HttpCall, Answer> answers_;
  std::atomic<uint64_t> requests_ = 0;
  std::atomic<uint64_t> early_requests_ = 0;
};

}  // namespace sluice

#endif  // TESTS_INTEROP_QUIC_TRANSFER_SERVICE_H_
