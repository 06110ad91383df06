use std::error::Error;
use std::fs;
use std::path::Path;

pub fn load_port(file: &Path) -> Result<u16, Box<dyn Error>> {
    let text = fs::read_to_string(file)?;
    let port = text.trim().parse::<u16>()?;
    if port < 1024 {
        return Err("privileged port".into());
    }
    Ok(port)
}
