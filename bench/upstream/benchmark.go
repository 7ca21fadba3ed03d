//go:build tools

// Package upstream pins what upstream's planner benchmark is compiled from.
package upstream

import _ "sigs.k8s.io/karpenter/pkg/controllers/provisioning/scheduling"
