#pragma once

#include <chrono>
#include <cstdint>
#include <exception>
#include <string>

#include <torch/csrc/distributed/c10d/Store.hpp>
#include <torch/csrc/distributed/c10d/TCPStore.hpp>

#include "common/system/descriptor.h"
#include "common/system/process_place.h"

namespace gloss {

// Rendezvous: process 0 opens a store at the address and port of the run (c10d's TCPStore), and the others connect to
// it. Processes exchange numbers and texts under keys of the store.

/// Time for all processes to join.
inline constexpr std::chrono::minutes kToJoin{10};

/// Returns a store that this process serves at a port, through a socket that listens there, or one of c10d's, at all
/// interfaces, if that is closed. Throws IoError if the port is taken.
c10::intrusive_ptr<c10d::TCPStore> serve_store(std::uint16_t port, Descriptor socket);

/// Opens the store, in process 0. Throws IoError if the port is taken.
c10::intrusive_ptr<c10d::Store> open_store(const ProcessPlace& place);

/// Connects to the store; waits until process 0 has opened it. Throws Stopped after a signal, LostProcessError after
/// kToJoin, UsageError if it is the store of another run, or if process 0 does not reach the port that it has opened.
c10::intrusive_ptr<c10d::Store> connect_to_store(const ProcessPlace& place);

/// Marks in the store that the process with this number is there, before it writes anything else.
void take_place_in(c10d::Store& store, const ProcessPlace& place);

/// Waits until all processes are at this point. Throws UsageError if two have taken the same place or they were started
/// as different numbers of them, else as `connect_to_store`.
void meet_in(c10d::Store& store, const ProcessPlace& place);

/// Returns the part of a store that holds the keys of one attempt of a run (ProcessPlace).
c10::intrusive_ptr<c10d::Store> store_of_run(c10::intrusive_ptr<c10d::Store> store, const std::string& job,
                                             const std::string& attempt);

/// Returns the message of an exception of c10d without the period and the stack of calls that follows.
std::string c10d_message(const std::exception& fault);

/// Keeps c10d from printing stacks of calls as warnings and errors. Its exceptions have their text, too.
void keep_c10d_quiet();

}  // namespace gloss
