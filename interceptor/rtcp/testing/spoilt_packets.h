#ifndef INTERCEPTOR_RTCP_TESTING_SPOILT_PACKETS_H_
#define INTERCEPTOR_RTCP_TESTING_SPOILT_PACKETS_H_

#include <cstdint>

#include "absl/functional/function_ref.h"
#include "absl/types/span.h"

namespace sluice {

// Calls `f` with variants of an RTCP packet of one kind: cut to each shorter length, with the
// length field as it was and as it then should be; padded by every count in its last byte; and each
// byte replaced by values that counts and lengths trip over. The bytes of each call have a heap
// block of their own size, so that AddressSanitizer sees a read behind them.
void ForEachSpoiltPacket(absl::Span<const uint8_t> packet,
                         absl::FunctionRef<void(absl::Span<const uint8_t>)> f);

}  // namespace sluice

#endif  // INTERCEPTOR_RTCP_TESTING_SPOILT_PACKETS_H_
