// Package tide finds high and low water.
package tide

import "example.org/tidestation/internal/store"

// Turn is a moment of high or low water.
type Turn struct {
	store.Level
	High bool `json:"high"`
}

// Turns looks at width levels on either side.
func Turns(levels []store.Level, width int) []Turn {
	var turns []Turn
	for i := width; i < len(levels)-width; i++ {
		high, low := true, true
		for j := i - width; j <= i+width; j++ {
			if levels[j].Metres > levels[i].Metres {
				high = false
			}
			if levels[j].Metres < levels[i].Metres {
				low = false
			}
		}
		if high != low {
			turns = append(turns, Turn{Level: levels[i], High: high})
		}
	}
	return turns
}
