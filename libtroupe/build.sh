#!/bin/sh
# Builds the library into a folder: libtroupe.a, libtroupe.so (libtroupe.dylib on macOS), troupe.h and troupe.pc.
#
#   build.sh FOLDER [static|shared]   both, unless one is named
#
# CGO_CFLAGS, CGO_LDFLAGS and GOFLAGS are those of go build.
set -eu
go=${GO:-go}
mkdir -p "$1"
out=$(cd "$1" && pwd)
here=$(cd "$(dirname "$0")" && pwd)
what=${2:-all}
cd "$here"
export CGO_ENABLED=1

case $(uname -s) in
Darwin) shared=libtroupe.dylib flags="-Wl,-install_name,@rpath/libtroupe.dylib" ;;
*) shared=libtroupe.so.1 flags="-Wl,-soname,libtroupe.so.1 -Wl,--version-script=$here/troupe.map" ;;
esac

if [ "$what" != shared ]; then
	"$go" build -buildvcs=false -buildmode=c-archive -ldflags=-w -o "$out/libtroupe.a" .
fi
if [ "$what" != static ]; then
	"$go" build -buildvcs=false -buildmode=c-shared -ldflags="-w -extldflags '$flags'" -o "$out/$shared" .
	if [ "$shared" = libtroupe.so.1 ]; then
		ln -sf libtroupe.so.1 "$out/libtroupe.so"
	fi
fi
rm -f "$out"/libtroupe*.h # What cgo makes; users have troupe.h.
cp include/troupe.h "$out/troupe.h"
cat > "$out/troupe.pc" <<PC
libdir=$out
includedir=$out

Name: troupe
Description: Processes, messages and links on a work-stealing scheduler
Version: 0.1.0
Cflags: -I\${includedir}
Libs: -L\${libdir} -ltroupe
Libs.private: -lpthread
PC
