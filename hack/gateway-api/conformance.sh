#!/usr/bin/env bash
# conformance.sh [flags of the suite]: runs the conformance suite of the Gateway API (go.mod has its version) against this
# build of navigator-discovery, in a test cluster whose pods are processes. Run by hand, as root, after `npm run build` and
# `node scripts/obtain-testcluster.mjs`, `obtain-envoy.mjs` and `obtain-gateway-api.mjs`. Example:
#   hack/gateway-api/conformance.sh -supported-features=Gateway,HTTPRoute,ReferenceGrant
# All Gateways share one router, and the router gets no certificates: tests of several Gateways and of HTTPS fail here.
set -eu
HERE=$(cd "$(dirname "$0")" && pwd); ROOT=$(cd "$HERE/../.." && pwd)
W=${WORK:-$(mktemp -d)}; B=${BIN:-$W}; NODE=10.0.0.1
ENVOY=$(readlink -f "$ROOT/.cache")/envoy/envoy/_bin/envoy
cd "$HERE"
# Containers do not inherit variables.
printf '#!/bin/sh\nENVOY=%s NODE=%s exec %s\n' "$ENVOY" "$NODE" "$HERE/router.sh" >"$W/router.sh"; chmod +x "$W/router.sh"
[ -x "$B/conformance.test" ] || go test -c -o "$B/conformance.test" .
[ -x "$B/echo-basic" ] || go build -o "$B/echo-basic" sigs.k8s.io/gateway-api/conformance/echo-basic
"$ROOT/hack/testcluster/up.sh" "$ROOT/.cache/testcluster" "$W/cluster" \
  --image echo-basic="$B/echo-basic" --image gateway-api-router="$W/router.sh" --image coredns="$(readlink -f "$ROOT/.cache")/testcluster/testdns" >"$W/up.log" 2>&1 &
UP=$!
trap 'kill $UP; wait $UP || true' EXIT
for _ in $(seq 1200); do [ -e "$W/cluster/ready" ] && break; kill -0 $UP; sleep 0.1; done
export KUBECONFIG=$W/cluster/kubeconfig
in_node() { nsenter -t "$(cat "$W/cluster/pid")" -n -m "$@"; }
# A function in the background is a shell of its own: `exec` puts the program in its place, so that $! is the program.
start_in_node() { exec nsenter -t "$(cat "$W/cluster/pid")" -n -m "$@"; }
in_node kubectl apply --server-side -f "$ROOT/.cache/gateway-api/config/crd/standard" >"$W/apply.log"
in_node kubectl apply --server-side -f "$ROOT/crds" >>"$W/apply.log"
in_node kubectl wait --for condition=established --timeout 60s crd --all >>"$W/apply.log"
in_node kubectl apply -f "$HERE/cluster.yaml" >>"$W/apply.log"
NAV_ENABLED_SERVICE_APIS=true NAV_USE_ENDPOINT_SLICE=true POD_NAME=meshd-0 start_in_node node "$ROOT/build/programs/navigator-discovery.js" discovery \
  --orchconfig "$KUBECONFIG" --grpcAddr "$NODE:15010" >"$W/meshd.log" 2>&1 &
MESHD=$!
trap 'kill $MESHD $UP; wait || true' EXIT
in_node "$B/conformance.test" -test.v -test.timeout "${LIMIT:-60m}" -gateway-class=navigator "$@" | tee "$W/suite.log" |
  grep -E '^ *--- (PASS|FAIL|SKIP)' || true
echo "logs: $W"
