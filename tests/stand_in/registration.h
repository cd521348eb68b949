#pragma once

#include <ATen/core/Generator.h>
#include <c10/core/Device.h>

namespace gloss::stand_in {

// Registers the operators, those that autocast casts for, and what LibTorch asks of a device.
void register_operators();
void register_attention();
void register_autocast();
void register_device();

/// Lets Tensor::set_data, and with it Module::to, replace a tensor of the CPU by one of a stand-in device, as LibTorch
/// does for the devices of its own list.
void register_variable_hooks();

/// Returns the random numbers of a device, as a generator that its kernels can use.
at::Generator host_generator(const at::Generator& generator);
const at::Generator& default_generator(c10::DeviceIndex device);

}  // namespace gloss::stand_in
