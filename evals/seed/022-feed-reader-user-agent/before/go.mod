module example.org/gleaner

go 1.22
