//! What a model computes on: the processor, or a device with memory of its own.

use serde::{Deserialize, Serialize};

/// What the person wants a model to compute on.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum DeviceChoice {
    /// A device if there is one, else the processor.
    #[default]
    Auto,
    /// The processor.
    Cpu,
    /// The device of this name, as [`Device::name`].
    Named(String),
}

impl DeviceChoice {
    /// As the person says it: `auto`, `cpu`, or a name.
    pub fn of(word: &str) -> DeviceChoice {
        match word {
            "auto" => DeviceChoice::Auto,
            "cpu" => DeviceChoice::Cpu,
            name => DeviceChoice::Named(name.to_owned()),
        }
    }
}

/// A device other than the processor.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Device {
    /// llama.cpp's name: `Vulkan0`, `CUDA0`.
    pub name: String,
    /// What its maker calls it.
    pub description: String,
    /// Bytes of its memory that are free.
    pub free: u64,
    /// Bytes of its memory.
    pub total: u64,
}

/// What models can compute on here.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Devices {
    /// The processor and its instructions, as in [`super::ModelInfo::computes_on`].
    pub processor: String,
    /// The devices, in llama.cpp's order.
    pub devices: Vec<Device>,
    /// The kinds of devices that this build knows and that cannot be used, each with the reason.
    pub unusable: Vec<String>,
}
