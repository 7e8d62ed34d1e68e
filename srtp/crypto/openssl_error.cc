#include "srtp/crypto/openssl_error.h"

#include <openssl/err.h>

namespace sluice {

void DrainOpensslErrors() { ERR_clear_error(); }

// Clearing needs the queue, and so makes it.
void PrepareOpensslErrors() { ERR_clear_error(); }

bool HasOpensslErrors() { return ERR_peek_error() != 0; }

}  // namespace sluice
