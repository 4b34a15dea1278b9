package wide

func (w *wide) onSystem() {}
