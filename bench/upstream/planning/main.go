// Command planning measures upstream's planner on a given snapshot.
//
//	planning RUNS < SNAPSHOT.json
//
// Each run makes a scheduler of upstream's, as its provisioner does for every batch of pods, and lets it solve. The
// figures of all runs are printed as one JSON object.
package main

import (
	"context"
	"encoding/json"
	"log"
	"os"
	"strconv"
	"time"

	"github.com/go-logr/logr"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/tools/record"
	"k8s.io/utils/clock"
	ctrllog "sigs.k8s.io/controller-runtime/pkg/log"

	v1 "sigs.k8s.io/karpenter/pkg/apis/v1"
	"sigs.k8s.io/karpenter/pkg/cloudprovider"
	"sigs.k8s.io/karpenter/pkg/controllers/provisioning/scheduling"
	"sigs.k8s.io/karpenter/pkg/controllers/state"
	"sigs.k8s.io/karpenter/pkg/events"
	"sigs.k8s.io/karpenter/pkg/operator/options"

	"karpenter-ts.dev/bench/upstream/cluster"
)

// figures is what the program prints.
type figures struct {
	Nodes    int `json:"nodes"`
	Unplaced int `json:"unplaced"`
	// SetUpSeconds and SolveSeconds are those of each run.
	SetUpSeconds []float64 `json:"setUpSeconds"`
	SolveSeconds []float64 `json:"solveSeconds"`
}

// concurrency is that of upstream's own benchmark.
const concurrency = 5

func main() {
	ctrllog.SetLogger(logr.Discard())
	runs, err := strconv.Atoi(os.Args[1])
	must(err)
	var objects cluster.Objects
	must(json.NewDecoder(os.Stdin).Decode(&objects))
	result := figures{}
	for run := 0; run < runs; run++ {
		measure(objects, &result)
	}
	must(json.NewEncoder(os.Stdout).Encode(result))
}

func measure(objects cluster.Objects, result *figures) {
	ctx := options.ToContext(context.Background(), &options.Options{
		PreferencePolicy:  options.PreferencePolicyRespect,
		MinValuesPolicy:   options.MinValuesPolicyStrict,
		IgnoreDRARequests: true,
		FeatureGates:      options.FeatureGates{ReservedCapacity: true},
	})
	cloud := cluster.NewProvider(objects.InstanceTypes)
	pods := make([]*corev1.Pod, 0, len(objects.Pods))
	for i := range objects.Pods {
		pods = append(pods, objects.Pods[i].DeepCopy())
	}
	nodePools := make([]*v1.NodePool, 0, len(objects.NodePools))
	instanceTypes := map[string][]*cloudprovider.InstanceType{}
	for i := range objects.NodePools {
		nodePools = append(nodePools, &objects.NodePools[i])
		instanceTypes[objects.NodePools[i].Name] = cloud.Types
	}
	clk := clock.RealClock{}
	reader := cluster.NewReader(cluster.Objects{NodePools: objects.NodePools})
	model := state.NewCluster(clk, reader, cloud)
	recorder := events.NewRecorder(&record.FakeRecorder{})
	concurrently := scheduling.NumConcurrentReconciles(concurrency)

	started := time.Now()
	topology, err := scheduling.NewTopology(ctx, reader, model, nil, nodePools, instanceTypes, pods, concurrently)
	must(err)
	scheduler := scheduling.NewScheduler(ctx, reader, nodePools, model, nil, topology, instanceTypes, nil, recorder, clk, nil, nil,
		concurrently)
	result.SetUpSeconds = append(result.SetUpSeconds, time.Since(started).Seconds())
	started = time.Now()
	results, err := scheduler.Solve(ctx, pods)
	must(err)
	result.SolveSeconds = append(result.SolveSeconds, time.Since(started).Seconds())
	result.Nodes, result.Unplaced = len(results.NewNodeClaims), len(results.PodErrors)
}

func must(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
