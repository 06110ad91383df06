use std::time::Duration;

use reqwest::Client;
use tokio::time::timeout;

use crate::error::CamError;

const PATIENCE: Duration = Duration::from_secs(8);

pub struct Camera {
    client: Client,
    base: String,
    key: String,
}

impl Camera {
    pub fn new(base: &str, key: &str) -> Self {
        Self {
            client: Client::new(),
            base: base.trim_end_matches('/').to_string(),
            key: key.to_string(),
        }
    }

    pub async fn snapshot(&self) -> Result<Vec<u8>, CamError> {
        let request = self.client.get(self.url("snapshot.jpg")).send();
        let response = timeout(PATIENCE, request).await??;
        if !response.status().is_success() {
            return Err(CamError::Refused(response.status().as_u16()));
        }
        Ok(response.bytes().await?.to_vec())
    }

    pub async fn set_light(&self, on: bool) -> Result<(), CamError> {
        let path = if on { "light/on" } else { "light/off" };
        timeout(PATIENCE, self.client.post(self.url(path)).send()).await??;
        Ok(())
    }

    fn url(&self, path: &str) -> String {
        format!("{}/{}?key={}", self.base, path, self.key)
    }
}
