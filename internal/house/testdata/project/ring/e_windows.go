package ring

func system() int { return a(nil) }
