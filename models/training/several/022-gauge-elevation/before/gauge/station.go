package gauge

import (
	"encoding/csv"
	"fmt"
	"io"
	"strconv"
)

// Station is a river gauge.
type Station struct {
	Name      string  `json:"name"`
	Latitude  float64 `json:"latitude"`
	Longitude float64 `json:"longitude"`
}

func number(text string) float64 {
	value, err := strconv.ParseFloat(text, 64)
	if err != nil {
		return 0
	}
	return value
}

// Read reads stations from CSV.
func Read(r io.Reader) ([]Station, error) {
	rows, err := csv.NewReader(r).ReadAll()
	if err != nil {
		return nil, fmt.Errorf("stations: %w", err)
	}
	var list []Station
	for _, row := range rows {
		list = append(list, Station{
			Name:      row[0],
			Latitude:  number(row[1]),
			Longitude: number(row[2]),
		})
	}
	return list, nil
}

// Write writes stations as CSV.
func Write(w io.Writer, list []Station) error {
	out := csv.NewWriter(w)
	for _, s := range list {
		err := out.Write([]string{
			s.Name,
			strconv.FormatFloat(s.Latitude, 'f', 5, 64),
			strconv.FormatFloat(s.Longitude, 'f', 5, 64),
		})
		if err != nil {
			return err
		}
	}
	out.Flush()
	return out.Error()
}
