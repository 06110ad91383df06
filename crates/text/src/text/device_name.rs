//! File names that Windows reserves for devices, in every folder.

/// Whether a path component is a Windows device name, with any extension.
pub fn is_device_name(component: &str) -> bool {
    let base = component
        .split('.')
        .next()
        .unwrap_or_default()
        .trim_end()
        .to_ascii_lowercase();
    match base.as_str() {
        "con" | "prn" | "aux" | "nul" => true,
        other => other
            .strip_prefix("com")
            .or(other.strip_prefix("lpt"))
            .is_some_and(|n| matches!(n.as_bytes(), [b'1'..=b'9'])),
    }
}
