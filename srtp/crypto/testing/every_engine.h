#ifndef SRTP_CRYPTO_TESTING_EVERY_ENGINE_H_
#define SRTP_CRYPTO_TESTING_EVERY_ENGINE_H_

#include <memory>
#include <string>
#include <vector>

#include "srtp/crypto/crypto_engine.h"

namespace sluice {

struct NamedEngine {
  std::string name;
  std::unique_ptr<CryptoEngine> engine;
};

// BoringSSL's, then intel-ipsec-mb's at every level and with every division of HMACs that this CPU
// can run: on one that can run all of them also those which are chosen elsewhere. A new engine is
// added here and thereby tested.
std::vector<NamedEngine> EveryEngine();

// As EveryEngine, without BoringSSL's: nothing on a CPU that runs nothing else.
std::vector<NamedEngine> EveryIpsecMbEngine();

}  // namespace sluice

#endif  // SRTP_CRYPTO_TESTING_EVERY_ENGINE_H_
