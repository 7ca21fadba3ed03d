// Field-numbers writes how the kinds the embedded API server has built in number their fields in protobuf. In a folder
// of its own, with this file in it:
//
//	go mod init field-numbers && go get k8s.io/api@v0.35.4 && go mod tidy
//	go run . > field-numbers.json
package main

import (
	"encoding/json"
	"os"
	"path"
	"reflect"
	"strconv"
	"strings"

	apps "k8s.io/api/apps/v1"
	autoscaling "k8s.io/api/autoscaling/v1"
	batch "k8s.io/api/batch/v1"
	coordination "k8s.io/api/coordination/v1"
	core "k8s.io/api/core/v1"
	events "k8s.io/api/events/v1"
	policy "k8s.io/api/policy/v1"
	rbac "k8s.io/api/rbac/v1"
	scheduling "k8s.io/api/scheduling/v1"
	storage "k8s.io/api/storage/v1"
	meta "k8s.io/apimachinery/pkg/apis/meta/v1"
)

var kinds = []any{
	core.Pod{}, core.Node{}, core.Namespace{}, core.Event{}, core.ConfigMap{}, core.Secret{}, core.Service{},
	core.Endpoints{}, core.ServiceAccount{}, core.PersistentVolume{}, core.PersistentVolumeClaim{}, core.PodTemplate{},
	core.ReplicationController{}, core.LimitRange{}, core.ResourceQuota{}, core.Binding{},
	apps.Deployment{}, apps.ReplicaSet{}, apps.StatefulSet{}, apps.DaemonSet{}, apps.ControllerRevision{},
	batch.Job{}, policy.PodDisruptionBudget{}, policy.Eviction{}, autoscaling.Scale{},
	storage.StorageClass{}, storage.CSINode{}, storage.VolumeAttachment{}, storage.CSIDriver{},
	coordination.Lease{}, scheduling.PriorityClass{}, events.Event{},
	rbac.Role{}, rbac.RoleBinding{}, rbac.ClusterRole{}, rbac.ClusterRoleBinding{}, meta.DeleteOptions{},
}

// Types whose messages the reader knows by name.
var opaque = map[string]bool{
	"resource.Quantity": true, "intstr.IntOrString": true, "meta.Time": true, "meta.MicroTime": true,
	"meta.FieldsV1": true, "runtime.RawExtension": true,
}

// By struct: the JSON names of its fields, numbered from 1; `-` is a number without a field. `=core.VolumeSource` is a
// message whose fields JSON has among the others.
var numbers = map[string]string{}

func main() {
	for _, kind := range kinds {
		walk(reflect.TypeOf(kind))
	}
	encoder := json.NewEncoder(os.Stdout)
	encoder.SetIndent("", " ")
	if err := encoder.Encode(numbers); err != nil {
		panic(err)
	}
}

func walk(t reflect.Type) {
	switch t.Kind() {
	case reflect.Pointer, reflect.Slice, reflect.Map:
		walk(t.Elem())
	case reflect.Struct:
		addStruct(t)
	}
}

func addStruct(t reflect.Type) {
	name := nameOf(t)
	if _, known := numbers[name]; known || opaque[name] {
		return
	}
	numbers[name] = "" // it may refer to itself
	names := []string{}
	for field := range t.Fields() {
		tag := strings.Split(field.Tag.Get("protobuf"), ",")
		if len(tag) < 2 {
			continue
		}
		number, err := strconv.Atoi(tag[1])
		if err != nil {
			panic(err)
		}
		for len(names) < number {
			names = append(names, "-")
		}
		names[number-1], _, _ = strings.Cut(field.Tag.Get("json"), ",")
		if names[number-1] == "" {
			names[number-1] = "=" + nameOf(field.Type)
		}
		walk(field.Type)
	}
	numbers[name] = strings.Join(names, " ")
}

func nameOf(t reflect.Type) string {
	base := path.Base(t.PkgPath())
	if base == "v1" {
		base = path.Base(path.Dir(t.PkgPath()))
	}
	return base + "." + t.Name()
}
