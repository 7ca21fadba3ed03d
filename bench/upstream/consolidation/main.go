// Command consolidation measures upstream's what-if of single-node consolidation on a given cluster.
//
//	consolidation SECONDS < CLUSTER.json
//
// It builds upstream's candidates and simulates the removal of each of them, as single-node consolidation does until it
// finds a command. When the simulations take longer than SECONDS, the rest are estimated from the mean of those that
// have run; they are spread evenly over the candidates. It prints its figures as one JSON object.
package main

import (
	"context"
	"encoding/json"
	"log"
	"os"
	"strconv"
	"time"

	"github.com/go-logr/logr"
	"k8s.io/client-go/tools/record"
	"k8s.io/utils/clock"
	ctrllog "sigs.k8s.io/controller-runtime/pkg/log"

	"sigs.k8s.io/karpenter/pkg/controllers/disruption"
	"sigs.k8s.io/karpenter/pkg/controllers/dynamicresources/deviceallocation"
	"sigs.k8s.io/karpenter/pkg/controllers/provisioning"
	"sigs.k8s.io/karpenter/pkg/controllers/provisioning/scheduling"
	"sigs.k8s.io/karpenter/pkg/controllers/state"
	"sigs.k8s.io/karpenter/pkg/events"
	"sigs.k8s.io/karpenter/pkg/operator/options"
	"sigs.k8s.io/karpenter/pkg/state/virtualpods"

	"karpenter-ts.dev/bench/upstream/cluster"
)

// figures is what the program prints.
type figures struct {
	Candidates       int     `json:"candidates"`
	Simulations      int     `json:"simulations"`
	CandidateSeconds float64 `json:"candidateSeconds"`
	ScanSeconds      float64 `json:"scanSeconds"`
	// Removable counts simulations whose pods all fit on other nodes, Replaceable those that need one new node.
	Removable   int `json:"removable"`
	Replaceable int `json:"replaceable"`
}

func main() {
	ctrllog.SetLogger(logr.Discard())
	seconds, err := strconv.ParseFloat(os.Args[1], 64)
	must(err)
	var objects cluster.Objects
	must(json.NewDecoder(os.Stdin).Decode(&objects))
	must(json.NewEncoder(os.Stdout).Encode(measure(objects, time.Duration(seconds*float64(time.Second)))))
}

func measure(objects cluster.Objects, limit time.Duration) figures {
	ctx := options.ToContext(context.Background(), &options.Options{
		BatchMaxDuration:  10 * time.Second,
		CPURequests:       1000,
		PreferencePolicy:  options.PreferencePolicyRespect,
		MinValuesPolicy:   options.MinValuesPolicyStrict,
		IgnoreDRARequests: true,
		FeatureGates:      options.FeatureGates{ReservedCapacity: true},
	})
	clk := clock.RealClock{}
	reader := cluster.NewReader(objects)
	cloud := cluster.NewProvider(objects.InstanceTypes)
	recorder := events.NewRecorder(&record.FakeRecorder{})
	model := state.NewCluster(clk, reader, cloud)
	for i := range objects.NodeClaims {
		model.UpdateNodeClaim(&objects.NodeClaims[i])
	}
	for i := range objects.Nodes {
		must(model.UpdateNode(ctx, &objects.Nodes[i]))
	}
	for i := range objects.Pods {
		must(model.UpdatePod(ctx, &objects.Pods[i]))
	}
	provisioner := provisioning.NewProvisioner(reader, recorder, cloud, model, clk,
		deviceallocation.NewController(reader), virtualpods.NewVirtualPodCache(reader))
	queue := disruption.NewQueue(reader, recorder, model, clk, provisioner)
	method := disruption.NewSingleNodeConsolidation(
		disruption.MakeConsolidation(clk, model, reader, provisioner, cloud, recorder, queue))

	started := time.Now()
	candidates, err := disruption.GetCandidates(ctx, model, reader, recorder, clk, cloud, method.ShouldDisrupt, method.Class(), queue)
	must(err)
	result := figures{Candidates: len(candidates), CandidateSeconds: time.Since(started).Seconds()}
	if len(candidates) == 0 {
		return result
	}
	opts := []scheduling.Options{scheduling.IsConsolidationSimulation}
	started = time.Now()
	for _, index := range spread(len(candidates)) {
		if result.Simulations > 0 && time.Since(started) > limit {
			break
		}
		results, err := disruption.SimulateScheduling(ctx, reader, model, provisioner, clk, recorder, opts, candidates[index])
		must(err)
		result.Simulations++
		switch {
		case !results.AllNonPendingPodsScheduled():
		case len(results.NewNodeClaims) == 0:
			result.Removable++
		case len(results.NewNodeClaims) == 1:
			result.Replaceable++
		}
	}
	perSimulation := time.Since(started).Seconds() / float64(result.Simulations)
	result.ScanSeconds = result.CandidateSeconds + perSimulation*float64(len(candidates))
	return result
}

// spread lists the indexes 0 to count-1 in an order in which every prefix is spread evenly: those that are a multiple of
// the largest power of two come first, and then the ones halfway between them.
func spread(count int) []int {
	order := make([]int, 0, count)
	step := 1
	for step*2 < count {
		step *= 2
	}
	for index := 0; index < count; index += step {
		order = append(order, index)
	}
	for ; step > 1; step /= 2 {
		for index := step / 2; index < count; index += step {
			order = append(order, index)
		}
	}
	return order
}

func must(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
