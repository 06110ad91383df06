module example.com/ferryd

go 1.22
