package ring

func system() int { return 1 }
