#!/bin/sh
# Copies programs, and the libraries that they are linked with, into a folder, to be added to an image that has the C
# library and little else:  collect-programs.sh FOLDER PROGRAM...
# Names of programs stay what they are: some are one file that looks at how it is called. What is loaded by name
# (extensions of iptables) is copied along.
set -eu
folder=$1
shift
# Paths without links: /lib is one in some images, and a folder cannot be copied over it.
copy() {
  target="$folder$(realpath "$(dirname "$1")")"
  mkdir -p "$target"
  cp -L "$1" "$target/"
}
for name in "$@"; do
  program=$(command -v "$name") || { echo "collect-programs.sh: $name not found" >&2; exit 1; }
  copy "$program"
  ldd "$program" | sed -n 's|.*=> \(/[^ ]*\) .*|\1|p' | while read -r library; do
    case ${library##*/} in
      ld-linux*|libc.so.*|libm.so.*|libdl.so.*|libpthread.so.*|libresolv.so.*|librt.so.*) ;;
      *) copy "$library" ;;
    esac
  done
done
for extensions in /usr/lib/*/xtables; do
  [ -d "$extensions" ] || continue
  mkdir -p "$folder$extensions"
  cp -L "$extensions"/*.so "$folder$extensions/"
done
