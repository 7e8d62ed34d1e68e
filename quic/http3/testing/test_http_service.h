#ifndef QUIC_HTTP3_TESTING_TEST_HTTP_SERVICE_H_
#define QUIC_HTTP3_TESTING_TEST_HTTP_SERVICE_H_

#include <cstddef>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "base/timestamp.h"
#include "quic/connection/connection_handler.h"
#include "quic/http3/http_service.h"

namespace sluice {

// Answers "/echo" with the request's body; "/count" with as many pieces of kPieceSize as its query
// says; "/late" when the test wants, "/never" likewise not; everything else with 404. Remembers
// what it was asked.
class TestHttpService : public HttpService {
 public:
  static constexpr size_t kPieceSize = 10'000;

  struct Asked {
    std::string method;
    std::string path;
    std::string query;
    std::string authority;
    std::string authorization;
    std::string content_type;
    std::string origin;
    std::string body;
    bool early = false;
  };

  void OnRequest(Timestamp now, const HttpCall& call, const HttpRequest& request) override;
  void OnCancelled(const HttpCall& call, HttpCancelCause cause) override;
  void OnWritable(Timestamp now, const HttpCall& call) override;

  std::vector<Asked> asked;
  std::vector<HttpCancelCause> cancelled;
  // Of "/late" and "/never".
  std::vector<HttpCall> waiting;
  int blocked = 0;

 private:
  void Count(Timestamp now, const HttpCall& call);

  // Of "/count": how many pieces are left.
  std::map<StreamId, int> left_;
};

}  // namespace sluice

#endif  // QUIC_HTTP3_TESTING_TEST_HTTP_SERVICE_H_
