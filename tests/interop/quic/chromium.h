#ifndef TESTS_INTEROP_QUIC_CHROMIUM_H_
#define TESTS_INTEROP_QUIC_CHROMIUM_H_

#include <cstdint>
#include <string>
#include <vector>

namespace sluice {

// A server on 127.0.0.1 that the browser knows as https://localhost:<port> and asks over HTTP/3
// only. `certificate` is its own, as PEM: it is trusted because of its key.
struct ChromiumServer {
  uint16_t port = 0;
  std::string certificate;
};

// The page of the first server at `path`, when its script has run, as HTML, and what Chromium
// complains of. Chromium is the Debian package.
std::string ChromiumDump(const std::vector<ChromiumServer>& servers, const std::string& path = "/");

}  // namespace sluice

#endif  // TESTS_INTEROP_QUIC_CHROMIUM_H_
