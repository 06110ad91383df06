//! `schemas/` is made from the types, and this test says so when it is not. To refresh it:
//! `UPDATE_SCHEMAS=1 cargo test --release --test it schemas::`

use schemars::{JsonSchema, schema_for};
use slotwright::app::{ApplyReport, EachReport, Report};
use slotwright::cli::{ConfigReport, ModelsReport, RepairReport, StoreReport};
use slotwright::config::{person_schema, project_schema};
use slotwright::eval::record::Evaluation;
use slotwright::slots::{Create, Insert, Pick, Replace, ReplaceAll};
use std::path::Path;

fn check<T: JsonSchema>(name: &str) {
    check_schema(name, &schema_for!(T));
}

fn check_schema(name: &str, schema: &impl serde::Serialize) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("schemas")
        .join(name);
    let fresh = serde_json::to_string_pretty(schema).unwrap() + "\n";
    if std::env::var_os("UPDATE_SCHEMAS").is_some() {
        std::fs::write(&path, &fresh).unwrap();
    }
    let there = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(
        there == fresh,
        "schemas/{name} is out of date: UPDATE_SCHEMAS=1 cargo test --release --test it schemas::"
    );
}

#[test]
fn schemas_are_fresh() {
    check::<Pick>("pick.json");
    check::<Replace>("replace.json");
    check::<ReplaceAll>("replace_all.json");
    check::<Insert>("insert.json");
    check::<Create>("create.json");
    check::<Report>("report.json");
    check::<ApplyReport>("apply.json");
    check::<EachReport>("each.json");
    check::<RepairReport>("repair.json");
    check::<ModelsReport>("models.json");
    check::<StoreReport>("model.json");
    check::<Evaluation>("eval.json");
    check::<ConfigReport>("config.json");
    check_schema("config_file.json", &person_schema());
    check_schema("project_file.json", &project_schema());
}

/// The structured content of each tool's results.
#[test]
fn the_results_of_mcp_are_fresh() {
    check_schema("mcp_results.json", &slotwright::mcp::result_schemas());
}

/// What an agent is told of the tools of `slotwright mcp`: their words and their schemas.
#[cfg(unix)]
#[test]
fn the_tools_of_mcp_are_fresh() {
    let dir = crate::support::folder(&[]);
    let mut server = crate::support::rpc::RpcProgram::start(dir.path(), &["mcp"], |_| {});
    crate::mcp::hello(&mut server, "2025-11-25");
    let listed = server.ask("tools/list", serde_json::json!({}));
    check_schema("mcp_tools.json", &listed["tools"]);
}
