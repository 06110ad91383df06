package scores

import (
	"encoding/json"
	"fmt"
	"os"
)

type Score struct {
	Player string `json:"player"`
	Points int    `json:"points"`
}

func readScores(path string) ([]Score, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("read scores: %v", err)
	}
	var list []Score
	err = json.Unmarshal(data, &list)
	return list, err
}
