//! Where a model is placed: on which device, and how much of it.

use crate::engine::device::{Device, DeviceChoice, Devices};
use crate::models::Sizes;
use llama_cpp_2::model::params::LlamaModelParams;
use llama_cpp_2::{LlamaBackendDevice, LlamaBackendDeviceType, list_llama_ggml_backend_devices};
use std::path::Path;
use std::pin::Pin;

/// The most tokens in one call. llama.cpp aborts the process if there are more.
pub(super) const BATCH_TOKENS: usize = 512;

/// What is loaded of llama.cpp's backends. It is made first: while there is none, llama.cpp searches for
/// one, in the current folder too.
pub struct Backends {
    /// The variant of the processor's code, or the instructions that are used.
    variant: Option<String>,
    /// See [`Devices::unusable`].
    unusable: Vec<String>,
}

impl Backends {
    /// Loads the processor's code, and that of devices unless the choice is the processor.
    pub fn load(choice: &DeviceChoice) -> Result<Backends, String> {
        #[cfg(feature = "portable")]
        return Ok(Backends {
            variant: Some(crate::engine::backends::load_best()?),
            unusable: match choice {
                DeviceChoice::Cpu => Vec::new(),
                DeviceChoice::Auto | DeviceChoice::Named(_) => {
                    crate::engine::backends::load_devices()
                }
            },
        });
        #[cfg(not(feature = "portable"))]
        {
            let _ = choice; // all that was built is there
            Ok(Backends {
                #[cfg(target_arch = "x86_64")]
                variant: Some(crate::engine::instructions::used()),
                #[cfg(not(target_arch = "x86_64"))]
                variant: None,
                #[cfg(feature = "devices")]
                unusable: Vec::new(),
                #[cfg(not(feature = "devices"))]
                unusable: vec!["GPUs: this build has code for the CPU only".to_owned()],
            })
        }
    }

    /// What there is.
    pub fn devices(self) -> Devices {
        let found = list_llama_ggml_backend_devices();
        Devices {
            processor: self.computes_on(None),
            devices: found.iter().filter(|it| is_gpu(it)).map(device).collect(),
            unusable: self.unusable,
        }
    }

    /// See [`crate::engine::ModelInfo::computes_on`].
    pub fn computes_on(&self, placement: Option<&Placement>) -> String {
        let mut names: Vec<String> = placement.iter().map(|it| it.device.name.clone()).collect();
        let all = list_llama_ggml_backend_devices().into_iter();
        names.extend(all.filter(|it| !is_gpu(it)).map(|it| it.name));
        let names = names.join(", ");
        match &self.variant {
            Some(variant) => format!("{names} ({variant})"),
            None => names,
        }
    }

    /// The device of a choice; `None` for the processor.
    pub fn choose(&self, choice: &DeviceChoice) -> Result<Option<Placement>, String> {
        let found: Vec<_> = list_llama_ggml_backend_devices()
            .into_iter()
            .filter(is_gpu)
            .collect();
        match choice {
            DeviceChoice::Cpu => Ok(None),
            DeviceChoice::Auto => Ok(likeliest(found).map(Placement::of)),
            DeviceChoice::Named(name) => match found.iter().find(|it| it.name == *name) {
                Some(device) => Ok(Some(Placement::of(device.clone()))),
                None => Err(unknown(name, &found, &self.unusable)),
            },
        }
    }
}

/// A device of one's own before one that shares the processor's memory, then the one with the most
/// memory free.
fn likeliest(found: Vec<LlamaBackendDevice>) -> Option<LlamaBackendDevice> {
    let rank = |it: &LlamaBackendDevice| {
        let is_own = it.device_type == LlamaBackendDeviceType::Gpu;
        (is_own, it.memory_free)
    };
    found.into_iter().reduce(|best, next| {
        if rank(&next) > rank(&best) {
            next
        } else {
            best
        }
    })
}

fn is_gpu(device: &LlamaBackendDevice) -> bool {
    matches!(
        device.device_type,
        LlamaBackendDeviceType::Gpu | LlamaBackendDeviceType::IntegratedGpu
    )
}

fn device(found: &LlamaBackendDevice) -> Device {
    Device {
        name: found.name.clone(),
        description: found.description.clone(),
        free: found.memory_free as u64,
        total: found.memory_total as u64,
    }
}

fn unknown(name: &str, found: &[LlamaBackendDevice], unusable: &[String]) -> String {
    let mut known: Vec<&str> = found.iter().map(|it| it.name.as_str()).collect();
    known.push("cpu");
    let why: String = unusable.iter().map(|it| format!("; {it}")).collect();
    format!(
        "there is no device {name:?}; there is {}{why}",
        known.join(", ")
    )
}

/// A model on a device, or a part of it there and the rest on the processor.
pub struct Placement {
    device: LlamaBackendDevice,
    /// Layers on the device, the last one with the output; `None` if it has all.
    n_layers: Option<u32>,
}

/// Tokens of a context that must fit beside the weights: two prompts as long as are usual on a
/// device.
#[cfg(feature = "devices")]
const CONTEXT_TOKENS: u32 = 16_384;

/// Bytes that stay free on the device, as llama.cpp's own programs have it: for the screen and for
/// what the driver needs.
#[cfg(feature = "devices")]
const MARGIN: usize = 1 << 30;

impl Placement {
    fn of(device: LlamaBackendDevice) -> Placement {
        Placement {
            device,
            n_layers: None,
        }
    }

    /// The device's name.
    pub fn name(&self) -> &str {
        &self.device.name
    }

    /// Says to llama.cpp where the model goes. `None`: on the processor.
    pub fn place(placement: Option<&Placement>, params: LlamaModelParams) -> LlamaModelParams {
        let devices: Vec<usize> = placement.iter().map(|it| it.device.index).collect();
        let params = params
            .with_devices(&devices)
            .expect("llama.cpp has just listed it");
        match placement {
            Some(_) => params,
            None => params.with_n_gpu_layers(0),
        }
    }

    /// Leaves layers on the processor that the device has no memory for, by llama.cpp's own
    /// reckoning. That reads the file once more, so a model that fits by far is not asked about.
    #[cfg(feature = "devices")]
    pub fn fit(
        &mut self,
        mut params: Pin<&mut LlamaModelParams>,
        path: &Path,
        sizes: Sizes,
    ) -> Result<(), String> {
        use llama_cpp_2::context::params::LlamaContextParams;

        let needed = sizes.needed(u64::from(CONTEXT_TOKENS), BATCH_TOKENS as u64);
        if needed.saturating_add(2 * MARGIN as u64) <= self.device.memory_free as u64 {
            return Ok(());
        }

        let path = std::ffi::CString::new(path.as_os_str().as_encoded_bytes())
            .map_err(|error| error.to_string())?;
        let mut context = LlamaContextParams::default()
            .with_n_ctx(std::num::NonZeroU32::new(CONTEXT_TOKENS))
            .with_n_batch(BATCH_TOKENS as u32)
            .with_n_ubatch(BATCH_TOKENS as u32);
        let mut margins = vec![MARGIN; llama_cpp_2::max_devices()];
        params
            .as_mut()
            .fit_params(
                &path,
                &mut context,
                &mut margins,
                CONTEXT_TOKENS,
                llama_cpp_sys_2::GGML_LOG_LEVEL_ERROR,
            )
            .map_err(|_| self.too_small())?;
        // Below 0 are all of them.
        self.n_layers = u32::try_from(params.n_gpu_layers()).ok();
        match self.n_layers {
            Some(0) => Err(self.too_small()),
            _ => Ok(()),
        }
    }

    /// A build for the processor alone places nothing.
    #[cfg(not(feature = "devices"))]
    pub fn fit(&mut self, _: Pin<&mut LlamaModelParams>, _: &Path, _: Sizes) -> Result<(), String> {
        Ok(())
    }

    #[cfg(feature = "devices")]
    fn too_small(&self) -> String {
        format!(
            "it has no memory for a part of the model: {} are free",
            self.free()
        )
    }

    fn free(&self) -> String {
        let gib = self.device.memory_free as f64 / f64::from(1 << 30);
        format!("{gib:.1} GiB")
    }

    /// A line for the person. `n_layers`: how many the model has, with the output.
    pub fn described(&self, n_layers: u32) -> String {
        let Device {
            name, description, ..
        } = device(&self.device);
        match self.n_layers.filter(|&n| n < n_layers) {
            None => format!("computing on {name} ({description})"),
            Some(n) => format!(
                "computing on {name} ({description}): {n} of {n_layers} layers, the others on the \
                 CPU, since it has {} free",
                self.free()
            ),
        }
    }
}
