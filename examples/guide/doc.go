// Package guide has the code of docs/guide, which its tests compile and run. The programs are in first and desk.
package guide
