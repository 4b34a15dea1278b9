module example.com/suburb

go 1.26

require example.com/project v0.1.0
