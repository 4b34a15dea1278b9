package ring

type list[T any] struct{ all []T }

func (l *list[T]) length() int { return len(l.all) + a(nil) }
