#ifndef QUIC_CONNECTION_CONNECTION_CALLBACKS_H_
#define QUIC_CONNECTION_CONNECTION_CALLBACKS_H_

#include <ngtcp2/ngtcp2.h>

#include <cstdint>

#include "absl/types/span.h"
#include "base/random_source.h"

namespace sluice {

// What ngtcp2 asks of a connection and tells it, as virtual functions. Its user_data is an object
// of this class. Functions that return a number return 0 or an error of ngtcp2.
class ConnectionCallbacks {
 public:
  // All that a connection needs, of either role; `random` goes into settings.rand_ctx.
  static ngtcp2_callbacks Table();
  static ngtcp2_rand_ctx RandomContext(RandomSource& random);

 protected:
  virtual ~ConnectionCallbacks() = default;

  virtual int OnClientInitial() = 0;
  virtual int OnCryptoData(ngtcp2_encryption_level level, absl::Span<const uint8_t> data) = 0;
  virtual int OnHandshakeCompleted() = 0;
  virtual void OnStreamOpened(int64_t id) = 0;
  virtual void OnStreamData(int64_t id, absl::Span<const uint8_t> data, bool fin, bool early) = 0;
  // All bytes of a stream before `offset` have arrived. `stream` is its user data.
  virtual void OnAcknowledged(uint64_t offset, void* stream) = 0;
  virtual void OnStreamClosed(int64_t id, void* stream) = 0;
  virtual void OnStreamReset(int64_t id, uint64_t code) = 0;
  virtual void OnNewConnectionId(ngtcp2_cid& id, absl::Span<uint8_t> token) = 0;
  virtual void OnRetiredConnectionId(const ngtcp2_cid& id) = 0;
  // The client's address is its own, for the first time or after it moved.
  virtual void OnTokenWanted() = 0;
  virtual void OnToken(absl::Span<const uint8_t> token) = 0;
  virtual void OnEarlyDataRejected() = 0;
  virtual void OnStatelessReset() = 0;
  virtual RandomSource& random_source() = 0;

 private:
  friend struct CallbackTable;
};

}  // namespace sluice

#endif  // QUIC_CONNECTION_CONNECTION_CALLBACKS_H_
