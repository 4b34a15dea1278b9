package planted

const Variable = variable

var NameOf = nameOf
