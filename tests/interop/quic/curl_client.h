#ifndef TESTS_INTEROP_QUIC_CURL_CLIENT_H_
#define TESTS_INTEROP_QUIC_CURL_CLIENT_H_

#include <cstdint>
#include <string>
#include <vector>

#include "tests/e2e/scratch_folder.h"

namespace sluice {

// HTTP/3 by libcurl, of a server on 127.0.0.1 whose certificate is for "localhost".
class CurlClient {
 public:
  // `root` is what it trusts, as PEM.
  CurlClient(uint16_t port, const std::string& root);

  // The version and status of HTTP, the fields and the body, as curl_request prints them; or what
  // went wrong. `flags` are those of curl_request.
  std::string Request(const std::string& path, std::vector<std::string> flags = {}) const;

 private:
  const uint16_t port_;
  const ScratchFolder folder_;
  const std::string root_file_;
};

// What is behind the fields of such an answer.
std::string BodyOf(const std::string& answer);

}  // namespace sluice

#endif  // TESTS_INTEROP_QUIC_CURL_CLIENT_H_
