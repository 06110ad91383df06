//! What `slotwright models --json` prints: one object, whose schema is `schemas/models.json`.

use crate::app::report::{CommandReport, ErrorReport, Status};
use crate::engine::adapter::has_own_adapter;
use crate::engine::device::Devices;
use crate::models::choice::BUNDLED_RIGHT;
use crate::models::header::Header;
use crate::models::{Fitness, Flawed, Machine, Model, Unread};
use schemars::JsonSchema;
use serde::Serialize;
use std::collections::BTreeSet;

/// The models on this machine.
#[derive(Clone, Debug, Default, Serialize, JsonSchema)]
pub struct ModelsReport {
    /// `done`, unless the list could not be made.
    pub status: Status,
    /// Those that can be used, the one first that is expected to get most right.
    pub models: Vec<ModelReport>,
    /// Those that cannot.
    pub unusable: Vec<UnusableReport>,
    /// What could not be looked through.
    pub unread: Vec<Unread>,
    /// What a model may compute on, the processor first.
    pub devices: Vec<DeviceReport>,
    /// The kinds of devices that this build knows and that cannot be used, each with the reason.
    pub unusable_devices: Vec<String>,
    /// Why there is no list.
    pub error: Option<ErrorReport>,
}

/// The result of `slotwright models pull`, `import`, `remove` and `default`.
#[derive(Clone, Debug, Default, Serialize, JsonSchema)]
pub struct StoreReport {
    /// `already_done` where there was nothing to do.
    pub status: Status,
    /// What `--model` takes; `None` if there is no such model, or none any more.
    pub name: Option<String>,
    /// The file, or the first of its parts.
    pub path: Option<String>,
    /// The size, of all parts.
    pub bytes: Option<u64>,
    /// The licence, as its publisher calls it, if it was fetched.
    pub licence: Option<String>,
    /// Why it was not done.
    pub error: Option<ErrorReport>,
}

/// A model that can be used.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct ModelReport {
    /// What `--model` takes.
    pub name: String,
    /// Who keeps it: `slotwright`, `folder`, `ollama`, `lmstudio`, `hf`, `llama.cpp`, `jan`,
    /// `gpt4all`; `bundled` for the one inside the program.
    pub store: String,
    /// Other stores with the same file.
    pub also_in: Vec<String>,
    /// Other names of the same file, which `--model` takes as well.
    pub also_called: Vec<String>,
    /// The file, or the first of its parts; `None` for the one inside the program.
    pub path: Option<String>,
    /// The size, of all parts.
    pub bytes: u64,
    /// How the weights are quantized, as in `Q4_K_M`.
    pub quantization: Option<String>,
    /// As llama.cpp calls it.
    pub architecture: String,
    /// The longest context that it was trained for, in tokens.
    pub context_tokens: Option<u64>,
    /// Bytes of memory that a long question needs.
    pub needed_memory: u64,
    /// Whether the machine has as many, and a third more.
    pub fits: bool,
    /// The share of 255 small tasks that came out right, in percent, if this file was measured.
    pub right_percent: Option<u8>,
    /// Whether slotwright has an adapter for it.
    pub has_adapter: bool,
    /// Whether it is used if no model is named.
    pub is_default: bool,
    /// Whether it may be: `good`, `too_large`, `not_for_questions` or `too_weak`.
    pub fitness: String,
    /// The same in words; empty if it may be.
    pub remark: String,
}

/// A model that cannot be used.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct UnusableReport {
    /// Its name.
    pub name: String,
    /// Who keeps it.
    pub store: String,
    /// What is there of it.
    pub path: String,
    /// The size of that.
    pub bytes: u64,
    /// Why it cannot be used, in a word for programs.
    pub kind: String,
    /// The same in a sentence.
    pub reason: String,
}

/// What a model may compute on.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct DeviceReport {
    /// What `--device` takes.
    pub name: String,
    /// What it is: of the processor the instructions that are used, else what its maker calls it.
    pub description: String,
    /// Bytes of its own memory that are free; `None` for the processor.
    pub free_memory: Option<u64>,
    /// Bytes of its own memory; `None` for the processor.
    pub total_memory: Option<u64>,
}

impl CommandReport for ModelsReport {
    const ONLY_SHOWS: bool = true;

    fn end(&mut self) -> (&mut Status, &mut Option<ErrorReport>) {
        (&mut self.status, &mut self.error)
    }
}

impl CommandReport for StoreReport {
    const INTERRUPTED: &'static str = "interrupted; nothing was changed";

    fn end(&mut self) -> (&mut Status, &mut Option<ErrorReport>) {
        (&mut self.status, &mut self.error)
    }
}

impl StoreReport {
    /// Says which model it is about.
    pub(super) fn name(&mut self, model: &Model) {
        self.name = Some(model.name.clone());
        self.path = Some(model.path.to_string_lossy().into_owned());
        self.bytes = Some(model.bytes);
    }
}

impl ModelReport {
    pub(super) fn of(model: &Model, machine: &Machine, is_default: bool) -> ModelReport {
        let fitness = model.fitness(machine);
        let mut also_in = BTreeSet::new();
        let mut also_called = BTreeSet::new();
        for (store, name) in &model.others {
            also_in.insert(store.name().to_owned());
            also_called.insert(name.clone());
        }
        also_in.remove(model.store.name());
        also_called.remove(&model.name);

        ModelReport {
            name: model.name.clone(),
            store: model.store.name().to_owned(),
            also_in: also_in.into_iter().collect(),
            also_called: also_called.into_iter().collect(),
            path: Some(model.path.to_string_lossy().into_owned()),
            bytes: model.bytes,
            quantization: model.quantization(),
            architecture: model.header.architecture.clone(),
            context_tokens: model.header.context_tokens,
            needed_memory: model.needs(),
            fits: model.fits(machine),
            right_percent: model.entry.and_then(|entry| entry.right),
            has_adapter: model.header.name.as_deref().is_some_and(has_own_adapter),
            is_default,
            fitness: fitness.kind().to_owned(),
            remark: fitness.remark().to_owned(),
        }
    }

    pub(super) fn bundled(header: &Header, bytes: u64, is_default: bool) -> ModelReport {
        ModelReport {
            name: "bundled".to_owned(),
            store: "bundled".to_owned(),
            also_in: Vec::new(),
            also_called: Vec::new(),
            path: None,
            bytes,
            quantization: header.quantization.map(str::to_owned),
            architecture: header.architecture.clone(),
            context_tokens: header.context_tokens,
            needed_memory: bytes,
            fits: true,
            right_percent: Some(BUNDLED_RIGHT),
            has_adapter: false,
            is_default,
            fitness: Fitness::Good.kind().to_owned(),
            remark: "simple edits only".to_owned(),
        }
    }
}

impl DeviceReport {
    pub(super) fn all(devices: &Devices) -> Vec<DeviceReport> {
        let processor = DeviceReport {
            name: "cpu".to_owned(),
            description: devices.processor.clone(),
            free_memory: None,
            total_memory: None,
        };
        let others = devices.devices.iter().map(|device| DeviceReport {
            name: device.name.clone(),
            description: device.description.clone(),
            free_memory: Some(device.free),
            total_memory: Some(device.total),
        });
        std::iter::once(processor).chain(others).collect()
    }
}

impl UnusableReport {
    pub(super) fn of(flawed: &Flawed) -> UnusableReport {
        UnusableReport {
            name: flawed.name.clone(),
            store: flawed.store.name().to_owned(),
            path: flawed.path.to_string_lossy().into_owned(),
            bytes: flawed.bytes,
            kind: flawed.reason.kind().to_owned(),
            reason: flawed.reason.to_string(),
        }
    }
}
