package main

func Example() {
	main()
	// Output: 750 <nil>
}
