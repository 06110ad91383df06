use std::fmt;
use std::str::FromStr;

/// What the sky does at a station.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Weather {
    Clear,
    Cloudy,
    Rain,
    Snow,
    Sleet,
}

impl fmt::Display for Weather {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = match self {
            Weather::Clear => "clear",
            Weather::Cloudy => "cloudy",
            Weather::Rain => "rain",
            Weather::Snow => "snow",
            Weather::Sleet => "sleet",
        };
        f.write_str(text)
    }
}

/// A word that names no weather.
#[derive(Debug, PartialEq, Eq)]
pub struct UnknownWeather(pub String);

impl FromStr for Weather {
    type Err = UnknownWeather;

    fn from_str(word: &str) -> Result<Self, Self::Err> {
        match word {
            "clear" => Ok(Weather::Clear),
            "cloudy" => Ok(Weather::Cloudy),
            "rain" => Ok(Weather::Rain),
            "snow" => Ok(Weather::Snow),
            "sleet" => Ok(Weather::Sleet),
            other => Err(UnknownWeather(other.to_string())),
        }
    }
}
