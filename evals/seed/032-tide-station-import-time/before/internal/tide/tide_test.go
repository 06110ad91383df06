package tide

import (
	"math"
	"testing"
	"time"

	"example.org/tidestation/internal/store"
)

func TestTurns(t *testing.T) {
	start := time.Date(2024, 3, 1, 0, 0, 0, 0, time.UTC)
	var levels []store.Level
	for i := 0; i < 1490; i++ {
		levels = append(levels, store.Level{
			At:     start.Add(time.Duration(i) * time.Minute),
			Metres: 3 + 2*math.Sin(float64(i)/745*2*math.Pi),
		})
	}
	turns := Turns(levels, 90)
	if len(turns) != 4 {
		t.Fatalf("%d turns", len(turns))
	}
	if !turns[0].High || turns[1].High {
		t.Error("high water comes first")
	}
}
