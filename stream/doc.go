// Package stream has topics: typed names under which programs publish and consume messages.
package stream
