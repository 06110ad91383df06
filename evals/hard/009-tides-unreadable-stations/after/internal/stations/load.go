package stations

import (
	"encoding/json"
	"fmt"
	"os"
)

// Station is one gauge on the coast.
type Station struct {
	ID   string  `json:"id"`
	Name string  `json:"name"`
	Lat  float64 `json:"lat"`
	Lon  float64 `json:"lon"`
}

// LoadStations reads the list of gauges from a JSON file.
func LoadStations(path string) ([]Station, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	var list []Station
	if err := json.Unmarshal(data, &list); err != nil {
		return nil, fmt.Errorf("stations: %w", err)
	}
	return list, nil
}

// LoadAliases reads other names of gauges, one "alias=id" entry in a JSON object.
func LoadAliases(path string) (map[string]string, error) {
	data, err := os.ReadFile(path)
	if os.IsNotExist(err) {
		return map[string]string{}, nil
	}
	if err != nil {
		return nil, err
	}
	aliases := map[string]string{}
	if err := json.Unmarshal(data, &aliases); err != nil {
		return nil, fmt.Errorf("aliases: %w", err)
	}
	return aliases, nil
}
