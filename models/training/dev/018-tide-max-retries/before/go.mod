module example.org/tidewatch

go 1.21

require github.com/BurntSushi/toml v1.3.2
