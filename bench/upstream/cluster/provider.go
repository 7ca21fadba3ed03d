package cluster

import (
	"context"

	"github.com/awslabs/operatorpkg/status"
	corev1 "k8s.io/api/core/v1"

	kwok "sigs.k8s.io/karpenter/kwok/apis/v1alpha1"
	v1 "sigs.k8s.io/karpenter/pkg/apis/v1"
	"sigs.k8s.io/karpenter/pkg/cloudprovider"
	"sigs.k8s.io/karpenter/pkg/scheduling"
)

// Offered is an instance type as our catalogues describe it.
type Offered struct {
	Name         string        `json:"name"`
	Requirements []requirement `json:"requirements"`
	Offerings    []struct {
		Requirements []requirement `json:"requirements"`
		PricePerHour float64       `json:"pricePerHour"`
		Available    bool          `json:"available"`
	} `json:"offerings"`
	Capacity corev1.ResourceList `json:"capacity"`
	Overhead struct {
		KubeReserved      corev1.ResourceList `json:"kubeReserved"`
		SystemReserved    corev1.ResourceList `json:"systemReserved"`
		EvictionThreshold corev1.ResourceList `json:"evictionThreshold"`
	} `json:"overhead"`
}

type requirement struct {
	Key      string                      `json:"key"`
	Operator corev1.NodeSelectorOperator `json:"operator"`
	Values   []string                    `json:"values"`
}

// Provider offers the same instance types to every NodePool. A simulation asks for nothing else; any other call panics,
// as the embedded interface is nil.
type Provider struct {
	cloudprovider.CloudProvider
	Types []*cloudprovider.InstanceType
}

// NewProvider makes all labels of the instance types well-known, as a provider does when it starts.
func NewProvider(types []Offered) *Provider {
	p := &Provider{}
	for _, one := range types {
		for _, spec := range one.Requirements {
			v1.WellKnownLabels.Insert(spec.Key)
		}
		it := &cloudprovider.InstanceType{
			Name:         one.Name,
			Requirements: requirementsOf(one.Requirements),
			Capacity:     one.Capacity,
			Overhead: &cloudprovider.InstanceTypeOverhead{
				KubeReserved:      one.Overhead.KubeReserved,
				SystemReserved:    one.Overhead.SystemReserved,
				EvictionThreshold: one.Overhead.EvictionThreshold,
			},
		}
		for _, offering := range one.Offerings {
			it.Offerings = append(it.Offerings, &cloudprovider.Offering{
				Requirements: requirementsOf(offering.Requirements),
				Price:        offering.PricePerHour,
				Available:    offering.Available,
			})
		}
		p.Types = append(p.Types, it)
	}
	return p
}

func requirementsOf(specs []requirement) scheduling.Requirements {
	requirements := scheduling.NewRequirements()
	for _, spec := range specs {
		requirements.Add(scheduling.NewRequirement(spec.Key, spec.Operator, spec.Values...))
	}
	return requirements
}

func (p *Provider) GetInstanceTypes(context.Context, *v1.NodePool) ([]*cloudprovider.InstanceType, error) {
	return p.Types, nil
}

func (p *Provider) GetSupportedNodeClasses() []status.Object {
	return []status.Object{&kwok.KWOKNodeClass{}}
}

func (p *Provider) Name() string { return "bench" }
