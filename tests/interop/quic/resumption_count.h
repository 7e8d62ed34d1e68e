#ifndef TESTS_INTEROP_QUIC_RESUMPTION_COUNT_H_
#define TESTS_INTEROP_QUIC_RESUMPTION_COUNT_H_

#include <atomic>
#include <cstdint>
#include <memory>

#include "absl/strings/string_view.h"
#include "quic/connection/quic_connection.h"
#include "quic/server/served_connection.h"

namespace sluice {

// A protocol that is what another one is, and counts connections which go on with a session of
// before. The thread of the connections, but for the counter.
class ResumptionCount : public ConnectionProtocol {
 public:
  // `protocol` outlives it.
  explicit ResumptionCount(ConnectionProtocol& protocol) : protocol_(protocol) {}

  absl::string_view name() const override { return protocol_.name(); }
  uint64_t no_error() const override { return protocol_.no_error(); }
  // Comes after the ClientHello, which says it.
  std::unique_ptr<ServedConnection> Serve(QuicConnection& connection) override {
    if (connection.resumed()) ++resumed_;
    return protocol_.Serve(connection);
  }
  void OnTurnEnd() override { protocol_.OnTurnEnd(); }

  // Any thread.
  uint64_t resumed() const { return resumed_; }

 private:
  ConnectionProtocol& protocol_;
  std::atomic<uint64_t> resumed_ = 0;
};

}  // namespace sluice

#endif  // TESTS_INTEROP_QUIC_RESUMPTION_COUNT_H_
