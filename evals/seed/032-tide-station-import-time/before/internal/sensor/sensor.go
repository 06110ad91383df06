// Package sensor talks to the pressure sensor.
package sensor

import (
	"bufio"
	"fmt"
	"os"
	"strconv"
	"strings"
)

const (
	pascalPerMetre = 10055.0
	air            = 101325.0
)

// Sensor is an open serial port.
type Sensor struct {
	port  *os.File
	lines *bufio.Scanner
}

// Open opens the port, which must have been set to 9600 baud.
func Open(path string) (*Sensor, error) {
	port, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		return nil, err
	}
	return &Sensor{port: port, lines: bufio.NewScanner(port)}, nil
}

// Level measures once.
func (s *Sensor) Level() (float64, error) {
	if _, err := s.port.WriteString("P?\r"); err != nil {
		return 0, err
	}
	if !s.lines.Scan() {
		return 0, fmt.Errorf("sensor: no answer: %w", s.lines.Err())
	}
	pascal, err := strconv.ParseFloat(strings.TrimSpace(s.lines.Text()), 64)
	if err != nil {
		return 0, err
	}
	return (pascal - air) / pascalPerMetre, nil
}
