package api

import "time"

// Address is where a parcel goes to or comes from.
type Address struct {
	Name    string `json:"name"`
	Street  string `json:"street"`
	City    string `json:"city"`
	Country string `json:"country"`
}

// Depot is a place where parcels are sorted.
type Depot struct {
	Code    string `json:"code"`
	City    string `json:"city"`
	Country string `json:"country"`
}

// Parcel is one parcel on its way.
type Parcel struct {
	ID      string    `json:"id"`
	From    Address   `json:"from"`
	To      Address   `json:"to"`
	Grams   int       `json:"grams"`
	Created time.Time `json:"created"`
}
