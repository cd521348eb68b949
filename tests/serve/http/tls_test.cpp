#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>

#include "common/error.h"
#include "common/files/atomic_file.h"
#include "serve/http/http_server.h"
#include "tests/serve/http_client.h"
#include "tests/support/temporary_folder.h"

namespace gloss {
namespace {

template <auto kFree>
struct Freed {
  template <typename T>
  void operator()(T* value) const {
    kFree(value);
  }
};
using Key = std::unique_ptr<EVP_PKEY, Freed<EVP_PKEY_free>>;
using Certificate = std::unique_ptr<X509, Freed<X509_free>>;

/// A client of TLS over a connection of an HttpClient.
class TlsClient {
 public:
  explicit TlsClient(const std::string& address, int version = 0) : plain_(address), tls_(SSL_new(context_.get())) {
    SSL_set_security_level(tls_.get(), 0);  // else old versions fail by the client's own rules
    SSL_set_min_proto_version(tls_.get(), version);
    SSL_set_max_proto_version(tls_.get(), version);
    SSL_set_fd(tls_.get(), plain_.descriptor());
    connected_ = SSL_connect(tls_.get()) == 1;
  }
  bool is_connected() const { return connected_; }
  std::string subject() const {
    const Certificate certificate(SSL_get1_peer_certificate(tls_.get()));
    std::string name(80, '\0');
    X509_NAME_get_text_by_NID(X509_get_subject_name(certificate.get()), NID_commonName, name.data(), 80);
    return name.c_str();
  }
  void send(const std::string& bytes) { SSL_write(tls_.get(), bytes.data(), static_cast<int>(bytes.size())); }
  /// Returns the bytes that end with `end`, or all until the server ends the connection.
  std::string read(const std::string& end = "never") {
    std::string bytes;
    for (char c = 0; !bytes.ends_with(end) && SSL_read(tls_.get(), &c, 1) == 1;) bytes += c;
    return bytes;
  }
  /// Returns whether the server has told that it sends nothing more: else bytes may have been cut off on their way.
  bool was_told_the_end() const { return (SSL_get_shutdown(tls_.get()) & SSL_RECEIVED_SHUTDOWN) != 0; }

 private:
  std::unique_ptr<SSL_CTX, Freed<SSL_CTX_free>> context_{SSL_CTX_new(TLS_client_method())};
  HttpClient plain_;
  std::unique_ptr<SSL, Freed<SSL_free>> tls_;
  bool connected_ = false;
};

class TlsTest : public testing::Test {
 protected:
  std::string file(const char* name) const { return (folder_.path() / name).string(); }

  /// Writes NAME.key and, signed by itself, NAME.pem.
  void write_certificate(const std::string& name, const char* type = "ED25519") {
    const Key key(std::string(type) == "RSA" ? EVP_RSA_gen(2048) : EVP_PKEY_Q_keygen(nullptr, nullptr, type));
    const Certificate certificate(X509_new());
    X509_set_version(certificate.get(), X509_VERSION_3);
    X509_gmtime_adj(X509_getm_notBefore(certificate.get()), 0);
    X509_gmtime_adj(X509_getm_notAfter(certificate.get()), 3600);
    X509_set_pubkey(certificate.get(), key.get());
    auto* const subject = X509_get_subject_name(certificate.get());
    X509_NAME_add_entry_by_txt(subject, "CN", MBSTRING_ASC, reinterpret_cast<const unsigned char*>(name.c_str()), -1,
                               -1, 0);
    X509_set_issuer_name(certificate.get(), subject);
    EXPECT_GT(X509_sign(certificate.get(), key.get(), std::string(type) == "RSA" ? EVP_sha256() : nullptr), 0);
    const auto write = [&](const std::string& path, auto add) {
      const std::unique_ptr<BIO, Freed<BIO_free_all>> output(BIO_new_file(path.c_str(), "w"));
      EXPECT_EQ(add(output.get()), 1);
    };
    write(file((name + ".pem").c_str()), [&](BIO* output) { return PEM_write_bio_X509(output, certificate.get()); });
    write(file((name + ".key").c_str()), [&](BIO* output) {
      return PEM_write_bio_PrivateKey(output, key.get(), nullptr, nullptr, 0, nullptr, nullptr);
    });
    write(file((name + ".encrypted").c_str()), [&](BIO* output) {
      return PEM_write_bio_PKCS8PrivateKey(output, key.get(), EVP_aes_256_cbc(), "secret", 6, nullptr, nullptr);
    });
  }

  HttpServerSettings settings(const char* certificate = "a.pem", const char* key = "a.key") const {
    return {.listen = {"127.0.0.1:0"},
            .certificate = file(certificate),
            .private_key = file(key),
            .limits = {.request = std::chrono::seconds(1)}};
  }

  void start() {
    write_certificate("a");
    server_.emplace(settings(), HttpHandlers{.refusal = [](const HttpRequest&) { return std::nullopt; },
                                             .body_limit = [](const HttpRequest&) { return 1000; },
                                             .answer = [](auto exchange) { exchange->respond({.body = "yes"}); },
                                             .done = [](const auto&, const auto&) {}});
    thread_ = std::thread([this] { server_->run(); });
  }
  void TearDown() override {
    if (!thread_.joinable()) return;
    server_->stop();
    thread_.join();
  }
  std::string address() const { return server_->addresses().front(); }

  TemporaryFolder folder_;
  std::optional<HttpServer> server_;
  std::thread thread_;
};

TEST_F(TlsTest, ServesVersions12And13AndTellsTheEndOfAnAnswer) {
  start();
  for (const int version : {TLS1_2_VERSION, TLS1_3_VERSION}) {
    TlsClient client(address(), version);
    ASSERT_TRUE(client.is_connected());
    client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n");
    EXPECT_THAT(client.read("yes"), testing::HasSubstr("200"));
    client.send("GET / HTTP/1.0\r\n\r\n");
    EXPECT_THAT(client.read(), testing::EndsWith("yes"));
    EXPECT_TRUE(client.was_told_the_end());
  }
  EXPECT_FALSE(TlsClient(address(), TLS1_1_VERSION).is_connected());
}

TEST_F(TlsTest, ClosesConnectionsThatDoNotSpeakTls) {
  start();
  HttpClient silent(address()), plain(address());
  plain.request("GET", "/");
  EXPECT_TRUE(plain.is_closed());
  EXPECT_TRUE(silent.is_closed());
}

TEST_F(TlsTest, RefusesFilesThatCannotBeUsed) {
  write_certificate("a");
  write_certificate("b");
  write_certificate("rsa", "RSA");
  write_file(file("cut"), "-----BEGIN PRIVATE KEY-----\nMC4C");
  for (const auto* key : {"b.key", "rsa.key", "a.encrypted", "a.pem", "cut"})
    EXPECT_THROW(HttpServer(settings("a.pem", key), {}), IoError) << key;
  for (const auto* certificate : {"a.key", "cut", "missing"})
    EXPECT_THROW(HttpServer(settings(certificate), {}), IoError) << certificate;
  EXPECT_THROW(HttpServer(settings("a.pem", "missing"), {}), IoError);
  EXPECT_NO_THROW(HttpServer(settings(), {}));
}

TEST_F(TlsTest, ARenewedCertificateIsForNewConnections) {
  start();
  TlsClient before(address());
  EXPECT_EQ(before.subject(), "a");
  write_certificate("b");
  write_file(file("a.key"), read_file(file("b.key"), 10000));
  EXPECT_THROW(server_->reload_certificate(), IoError);
  EXPECT_EQ(TlsClient(address()).subject(), "a");
  write_file(file("a.pem"), read_file(file("b.pem"), 10000));
  server_->reload_certificate();
  EXPECT_EQ(TlsClient(address()).subject(), "b");
  before.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n");
  EXPECT_THAT(before.read("yes"), testing::HasSubstr("200"));
}

}  // namespace
}  // namespace gloss
