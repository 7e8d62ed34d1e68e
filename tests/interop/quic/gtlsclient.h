#ifndef TESTS_INTEROP_QUIC_GTLSCLIENT_H_
#define TESTS_INTEROP_QUIC_GTLSCLIENT_H_

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "quic/connection/udp_path.h"
#include "tests/e2e/child_process.h"
#include "tests/e2e/scratch_folder.h"

namespace sluice {

// ngtcp2's example client, which speaks HTTP/3. Its TLS is GnuTLS; its transport is ngtcp2 as ours
// is, but with all the parts that a client needs around it its own. It exits with 0 whatever
// happens, so a test looks at what came and at what it says.
class GtlsClient {
 public:
  // Where it sends to.
  explicit GtlsClient(const UdpAddress& server) : server_(server) {}

  // Asks for /bytes/<size> of each, which are different, all on one connection, and leaves when all
  // are answered; what it says is the answer. `flags` are its own. Fails the test when it does not
  // leave.
  std::string Fetch(const std::vector<size_t>& sizes, std::vector<std::string> flags = {});
  // The same in two parts, so that several run at once.
  void Begin(const std::vector<size_t>& sizes, std::vector<std::string> flags = {});
  std::string Finish();

  // Whether each body is what it must be; fails the test with which is not.
  bool AllArrived(const std::vector<size_t>& sizes) const;
  // What Fetch got; empty for nothing.
  std::string Body(size_t size) const;
  // A file of its own, that stays between one Fetch and the next.
  std::string File(const std::string& name) const { return folder_.File(name); }

 private:
  const UdpAddress server_;
  const ScratchFolder folder_;
  std::unique_ptr<ChildProcess> child_;
};

// How often a line of a log has `text`.
int CountLines(const std::string& log, const std::string& text);

}  // namespace sluice

#endif  // TESTS_INTEROP_QUIC_GTLSCLIENT_H_
