#ifndef GATEWAY_LEG_KEY_CHANGE_H_
#define GATEWAY_LEG_KEY_CHANGE_H_

#include <cstdint>
#include <optional>

#include "gateway/net/transport_address.h"
#include "srtp/master_key.h"

namespace sluice {

// Where the peer was before an update and is after it, as far as that is known.
struct EndpointMove {
  std::optional<TransportAddress> before;
  std::optional<TransportAddress> after;

  // Another endpoint, perhaps. An address that becomes known is not one: it was there before.
  bool moved() const { return before.has_value() && after.has_value() && *before != *after; }
};

// What one direction of an SRTP leg is keyed by.
struct CryptoParameters {
  // Null: none yet.
  const MasterKey* key = nullptr;
  // Where the peer is by signalling or learning; nullopt: not known.
  std::optional<TransportAddress> remote;
};

enum class KeyChange : uint8_t {
  // The context goes on untouched.
  kKeep,
  // Another key in the same context: rollover counters and SRTCP indices go on (RFC 3711
  // section 3.3.1).
  kRekey,
  // A context that starts at rollover counter 0.
  kNewContext,
};

// What has to happen to the context of one direction when its parameters change. The only place
// that decides it, for both directions:
//  - the same key always keeps its context, wherever the peer moves: starting again under one key
//    would repeat the keystream (RFC 3711 section 9.1) and forget which packets were seen;
//  - a new key together with a new address is another endpoint, which cannot know the rollover
//    counter (RFC 4568 section 7.1.4);
//  - so is a new suite, whose session keys are others;
//  - any other new key is a rekey of the same endpoint.
// An address that becomes known is not new: the endpoint was there before.
KeyChange DecideKeyChange(const CryptoParameters& before, const CryptoParameters& after);

// Whether two keys would make the same session keys under suites that may share them. Stricter than
// ==: a key that is used with another tag length still makes the same keystream.
bool SharesKeystream(const MasterKey& a, const MasterKey& b);

}  // namespace sluice

#endif  // GATEWAY_LEG_KEY_CHANGE_H_
