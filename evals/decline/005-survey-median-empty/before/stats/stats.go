// Package stats holds the few figures that the survey report shows.
package stats

import (
	"math"
	"sort"
)

// Mean returns the average, or false if there are no values.
func Mean(values []float64) (float64, bool) {
	if len(values) == 0 {
		return 0, false
	}
	sum := 0.0
	for _, v := range values {
		sum += v
	}
	return sum / float64(len(values)), true
}

// Median returns the middle value, or false if there are no values.
func Median(values []float64) (float64, bool) {
	n := len(values)
	if n == 0 {
		return 0, false
	}
	sorted := append([]float64(nil), values...)
	sort.Float64s(sorted)
	if n%2 == 1 {
		return sorted[n/2], true
	}
	return (sorted[n/2-1] + sorted[n/2]) / 2, true
}

// Spread returns the distance between the smallest and the largest value.
func Spread(values []float64) float64 {
	low, high := math.Inf(1), math.Inf(-1)
	for _, v := range values {
		low = math.Min(low, v)
		high = math.Max(high, v)
	}
	if low > high {
		return 0
	}
	return high - low
}
