#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include <sys/types.h>

namespace gloss::faults {

/// Calls that can be made to fail; each stands for all functions of the C library that do it.
enum class Call {
  kOpen,
  kWrite,
  kSync,
  kRename,
  kLink,
  kClose,
  kTruncate,
  kMakeFolder,
  kRemove,
  // Of sockets:
  kSocket,
  kBind,
  kListen,
  kAccept,
  kConnect,
  kOption,  ///< and a socket's names
  kSend,
  kReceive
};

/// Stands for the path of every socket.
inline constexpr std::string_view kSockets = "socket:";

enum class Fault {
  kNone,
  kFail,    ///< the call is not made and reports an error; only close closes all the same, as Linux does
  kShort,   ///< a write writes half of its bytes, and the next one fails
  kKill,    ///< the process is killed before the call
  kTear,    ///< the process is killed after the call; a write has written half
  kSignal,  ///< the process is sent a signal, and the call is made
  kPower,   ///< as kKill, and all that was not flushed to the disk is lost
  kEnd,     ///< a read of a socket finds that the other side has closed it
};

struct Decision {
  Fault fault = Fault::kNone;
  int error = 0;   ///< kFail: for errno
  int signal = 0;  ///< kSignal
};

/// Counts the calls on paths below a folder and says which are to fail, as the environment asks:
///
///     GLOSS_FAULT_FOLDER       only paths below it are looked at, with "socket:" only sockets; without it nothing is
///     GLOSS_FAULT_PROCESS      only the process with this RANK, or "starter", without one, is looked at (default: all)
///     GLOSS_FAULT_CALLS        those counted: open,write,sync,rename,link,close,truncate,mkdir,remove,socket,
///                              bind,listen,accept,connect,option,send,receive (default: all)
///     GLOSS_FAULT_AT           the number, from 1, of the call that fails; without it none does
///     GLOSS_FAULT_KIND         ENOSPC (default), EIO, short, kill, tear, power or SIGTERM; of sockets: network, an
///                              error that suits the call, or closed: the other side has closed the socket
///     GLOSS_FAULT_PERSISTENT   1: the later ones fail too
///     GLOSS_FAULT_REPORT       a file to which a line is added for each call: its number, what, the path, "fails" if
///     so GLOSS_FAULT_NO_TMPFILE   1: the file system has no O_TMPFILE
class FaultPlan {
 public:
  /// That of the process, never destroyed.
  static FaultPlan& get();

  bool watches(std::string_view path) const;
  bool has_nameless_files() const { return !no_tmpfile_; }
  const std::string& report() const { return report_; }
  /// Counts a call on a path that is watched. Keeps errno. Not safe for threads: the caller holds a lock.
  Decision count(Call call, const std::string& path);

 private:
  FaultPlan();

  std::string folder_, calls_, report_, kind_;
  std::int64_t at_ = 0, counted_ = 0;
  bool persistent_ = false, no_tmpfile_ = false;
  bool half_written_ = false;  ///< by a short write
};

}  // namespace gloss::faults
