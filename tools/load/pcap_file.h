#ifndef TOOLS_LOAD_PCAP_FILE_H_
#define TOOLS_LOAD_PCAP_FILE_H_

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "base/timestamp.h"
#include "quic/connection/udp_path.h"

namespace sluice {

// UDP datagrams as a file of the kind that tcpdump writes, for Wireshark: packets begin with an IP
// header (LINKTYPE_RAW). What is not known of a header is what a host writes by default; checksums
// are 0, which is "none". One thread.
class PcapFile {
 public:
  // A new file, or one that was there, emptied. The system's code and words when that cannot be.
  static absl::StatusOr<PcapFile> Create(const std::string& path);

  // A datagram that went from one address to the other. `now` is since the time line's beginning,
  // whatever that is; both addresses are of one family. What cannot be written is missing.
  void Add(Timestamp now, const UdpAddress& from, const UdpAddress& to, Ecn ecn,
           absl::Span<const uint8_t> datagram);

 private:
  struct Close {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };
  explicit PcapFile(std::FILE* file) : file_(file) {}

  std::unique_ptr<std::FILE, Close> file_;
};

}  // namespace sluice

#endif  // TOOLS_LOAD_PCAP_FILE_H_
