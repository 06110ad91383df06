use std::fmt;

#[derive(Debug)]
pub enum CamError {
    Http(reqwest::Error),
    Slow,
    Refused(u16),
}

impl From<reqwest::Error> for CamError {
    fn from(error: reqwest::Error) -> Self {
        CamError::Http(error)
    }
}

impl From<tokio::time::error::Elapsed> for CamError {
    fn from(_: tokio::time::error::Elapsed) -> Self {
        CamError::Slow
    }
}

impl fmt::Display for CamError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            CamError::Http(error) => write!(f, "camera: {error}"),
            CamError::Slow => write!(f, "camera: no answer"),
            CamError::Refused(code) => write!(f, "camera: status {code}"),
        }
    }
}
