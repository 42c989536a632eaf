#!/bin/sh
# Writes the Go code of the messages into gen/. Needs protoc, and Go 1.24 or later.
set -e
cd "$(dirname "$0")"
protos=${PROTOS:-../../../proto}
rm -rf gen
map() {
  for file in "$@"; do
    package=audit/gen/$(basename "$file" .proto)
    echo "--go_opt=M$file=$package --go-grpc_opt=M$file=$package"
  done
}
files="audit.proto mesh/adapters/model.proto mesh/adapters/values.proto mesh/adapters/templates/logentry.proto"
# shellcheck disable=SC2046,SC2086
protoc -I "$protos" -I . \
  --plugin="protoc-gen-go=$(go tool -n protoc-gen-go)" --go_out=. --go_opt=module=audit \
  --plugin="protoc-gen-go-grpc=$(go tool -n protoc-gen-go-grpc)" --go-grpc_out=. --go-grpc_opt=module=audit \
  $(map $files) $files
