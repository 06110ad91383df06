package main

import (
	"encoding/json"
	"fmt"
	"os"

	"example.com/parcels/api"
)

func main() {
	var parcel api.Parcel
	if err := json.NewDecoder(os.Stdin).Decode(&parcel); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	for _, line := range parcel.To.Lines() {
		fmt.Println(line)
	}
}
