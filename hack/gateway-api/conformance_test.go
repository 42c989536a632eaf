// Package gatewayapi runs the conformance suite of the Gateway API against a cluster (conformance.sh).
package gatewayapi

import (
	"testing"

	"sigs.k8s.io/gateway-api/conformance"
)

func TestConformance(t *testing.T) {
	conformance.RunConformance(t)
}
