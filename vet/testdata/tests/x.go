// Package tests has a mistake in its test alone.
package tests
