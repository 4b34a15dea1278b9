package wide

func inTest() {}
