//! Tests of the library and the program from outside, in one binary: one link instead of thirty.

mod support;

#[cfg(unix)]
mod acp;
#[cfg(unix)]
mod acp_buffers;
#[cfg(unix)]
mod acp_more;
#[cfg(unix)]
mod acp_sessions;
mod adapter;
mod answers;
mod apply_command;
mod apply_question;
mod architectures;
#[cfg(unix)]
mod asked_again;
mod bounded_fuzz;
#[cfg(unix)]
mod build_options;
mod bundled_model;
mod chat_templates;
#[cfg(unix)]
mod check_command;
#[cfg(unix)]
mod config_command;
mod conformance;
mod damage;
#[cfg(unix)]
mod device;
#[cfg(unix)]
mod documentation;
#[cfg(unix)]
mod each_command;
mod edit_command;
mod edit_over_a_server;
mod engine;
mod eval;
mod eval_command;
mod eval_page;
mod eval_reports;
mod everywhere;
mod examples;
#[cfg(target_os = "linux")]
mod failing_machine;
#[cfg(unix)]
mod failing_models;
#[cfg(unix)]
mod first_model;
mod flow;
#[cfg(unix)]
mod follow_up;
#[cfg(target_os = "linux")]
mod hostile_folder;
mod house;
#[cfg(unix)]
mod install;
#[cfg(unix)]
mod interruption;
mod json_schema;
mod layers;
mod left_out;
#[cfg(unix)]
mod mcp;
#[cfg(unix)]
mod misspelt;
#[cfg(unix)]
mod models_command;
mod openai_engine;
#[cfg(unix)]
mod own_store;
mod package;
mod places;
#[cfg(all(feature = "portable", target_os = "linux"))]
mod portable;
mod python_benches;
mod random_model;
mod read_once;
mod real_clients;
mod real_model;
mod real_tools;
#[cfg(unix)]
mod repair;
#[cfg(unix)]
mod repair_command;
#[cfg(unix)]
mod review;
#[cfg(target_os = "linux")]
mod sandbox;
mod scenarios;
mod schemas;
#[cfg(unix)]
mod screen;
#[cfg(unix)]
mod scripted_model;
#[cfg(unix)]
mod session_command;
#[cfg(unix)]
mod sketches;
#[cfg(unix)]
mod skill;
mod steps;
mod training_data;
#[cfg(unix)]
mod undo_command;
#[cfg(unix)]
mod wanted;
mod warnings;
#[cfg(unix)]
mod watch_command;
mod zoo;
