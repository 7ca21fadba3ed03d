// Package cluster holds the objects of a cluster in memory, as upstream's packages read them.
package cluster

import (
	"context"

	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	"k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "sigs.k8s.io/karpenter/pkg/apis/v1"
)

// Objects is the input: objects as the API server holds them, and what the provider offers.
type Objects struct {
	NodePools            []v1.NodePool                  `json:"nodePools"`
	Nodes                []corev1.Node                  `json:"nodes"`
	NodeClaims           []v1.NodeClaim                 `json:"nodeClaims"`
	Pods                 []corev1.Pod                   `json:"pods"`
	PodDisruptionBudgets []policyv1.PodDisruptionBudget `json:"podDisruptionBudgets"`
	InstanceTypes        []Offered                      `json:"instanceTypes"`
}

// Reader answers like the cached client of a controller: from memory, pods by an index on their node, with a deep copy of
// every object it returns. It implements the reads that a simulation makes; any other call panics, as the embedded
// interface is nil.
type Reader struct {
	client.Client
	Objects
	nodes      map[string]*corev1.Node
	podsByNode map[string][]*corev1.Pod
	pods       []*corev1.Pod
}

func NewReader(objects Objects) *Reader {
	r := &Reader{Objects: objects, nodes: map[string]*corev1.Node{}, podsByNode: map[string][]*corev1.Pod{}}
	for i := range objects.Nodes {
		r.nodes[objects.Nodes[i].Name] = &objects.Nodes[i]
	}
	for i := range objects.Pods {
		pod := &objects.Pods[i]
		r.pods = append(r.pods, pod)
		r.podsByNode[pod.Spec.NodeName] = append(r.podsByNode[pod.Spec.NodeName], pod)
	}
	return r
}

func (r *Reader) Get(_ context.Context, key client.ObjectKey, object client.Object, _ ...client.GetOption) error {
	if node, isNode := object.(*corev1.Node); isNode {
		if known := r.nodes[key.Name]; known != nil {
			known.DeepCopyInto(node)
			return nil
		}
	}
	return errors.NewNotFound(schema.GroupResource{}, key.Name)
}

func (r *Reader) List(_ context.Context, list client.ObjectList, opts ...client.ListOption) error {
	var options client.ListOptions
	options.ApplyOptions(opts)
	switch list := list.(type) {
	case *corev1.PodList:
		list.Items = r.findPods(options)
	case *v1.NodePoolList:
		for i := range r.NodePools {
			list.Items = append(list.Items, *r.NodePools[i].DeepCopy())
		}
	case *policyv1.PodDisruptionBudgetList:
		for i := range r.PodDisruptionBudgets {
			list.Items = append(list.Items, *r.PodDisruptionBudgets[i].DeepCopy())
		}
	}
	return nil
}

func (r *Reader) findPods(options client.ListOptions) []corev1.Pod {
	pods := r.pods
	if options.FieldSelector != nil {
		if node, isByNode := options.FieldSelector.RequiresExactMatch("spec.nodeName"); isByNode {
			pods = r.podsByNode[node]
		}
	}
	var found []corev1.Pod
	for _, pod := range pods {
		inNamespace := options.Namespace == "" || options.Namespace == pod.Namespace
		if inNamespace && (options.LabelSelector == nil || options.LabelSelector.Matches(labels.Set(pod.Labels))) {
			found = append(found, *pod.DeepCopy())
		}
	}
	return found
}
