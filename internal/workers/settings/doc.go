// Package settings has what a scheduler is configured with, and what it makes of that:
//
//	cfg, err := settings.Config{Workers: 4}.WithDefaults()
//
// It knows nothing of schedulers and workers.
package settings
