module example.org/tidestation

go 1.22
