// Package chart draws levels as SVG.
package chart

import (
	"fmt"
	"io"

	"example.org/tidestation/internal/store"
)

const (
	width  = 720
	height = 240
	top    = 6.0
)

// Draw writes a line from the first to the last level.
func Draw(w io.Writer, levels []store.Level) {
	fmt.Fprintf(w, `<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d">`, width, height)
	fmt.Fprint(w, `<polyline fill="none" stroke="navy" points="`)
	for i, level := range levels {
		x := float64(i) / float64(len(levels)) * width
		y := height - level.Metres/top*height
		fmt.Fprintf(w, "%.1f,%.1f ", x, y)
	}
	fmt.Fprint(w, `"/></svg>`)
}
