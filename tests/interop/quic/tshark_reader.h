#ifndef TESTS_INTEROP_QUIC_TSHARK_READER_H_
#define TESTS_INTEROP_QUIC_TSHARK_READER_H_

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "quic/codec/transport_parameters.h"

namespace sluice {

// Reads QUIC in a file of packets with tshark, of the Debian package.
class TsharkReader {
 public:
  // The port is that of the server; `keys` is in the format of SSLKEYLOGFILE.
  TsharkReader(std::string packets_file, std::string keys_file, uint16_t port)
      : packets_file_(std::move(packets_file)), keys_file_(std::move(keys_file)), port_(port) {}

  // One line a packet that `filter` lets pass, fields by semicolons; a field that is there several
  // times has commas.
  std::vector<std::string> Decode(const std::string& filter,
                                  const std::vector<std::string>& fields) const;

  // Fails the test unless the EncryptedExtensions of one handshake are there and say exactly
  // these values.
  void ExpectServerParameters(const EndpointParameters& expected) const;

 private:
  const std::string packets_file_;
  const std::string keys_file_;
  const uint16_t port_;
};

// As a filter: the message with a server's transport parameters.
inline constexpr char kEncryptedExtensions[] = "tls.handshake.type == 8";

}  // namespace sluice

#endif  // TESTS_INTEROP_QUIC_TSHARK_READER_H_
