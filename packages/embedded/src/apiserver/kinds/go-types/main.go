// Go-types writes what Go's encoder and decoder know of the kinds the embedded API server has built in: their fields,
// the types of these, and which of them are left out when empty. In a folder of its own, with this file in it:
//
//	go mod init go-types && go get k8s.io/api@v0.35.4 k8s.io/apiextensions-apiserver@v0.35.4 && go mod tidy
//	go run . > go-types.json
package main

import (
	"encoding/json"
	"os"
	"path"
	"reflect"
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
	apiextensions "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	meta "k8s.io/apimachinery/pkg/apis/meta/v1"
)

var kinds = []any{
	core.Pod{}, core.Node{}, core.Namespace{}, core.Event{}, core.ConfigMap{}, core.Secret{}, core.Service{},
	core.Endpoints{}, core.ServiceAccount{}, core.PersistentVolume{}, core.PersistentVolumeClaim{}, core.PodTemplate{},
	core.ReplicationController{}, core.LimitRange{}, core.ResourceQuota{}, core.Binding{},
	apps.Deployment{}, apps.ReplicaSet{}, apps.StatefulSet{}, apps.DaemonSet{}, apps.ControllerRevision{},
	batch.Job{}, policy.PodDisruptionBudget{}, policy.Eviction{}, autoscaling.Scale{},
	storage.StorageClass{}, storage.CSINode{}, storage.VolumeAttachment{}, storage.CSIDriver{},
	coordination.Lease{}, scheduling.PriorityClass{}, events.Event{}, apiextensions.CustomResourceDefinition{},
	rbac.Role{}, rbac.RoleBinding{}, rbac.ClusterRole{}, rbac.ClusterRoleBinding{}, meta.DeleteOptions{},
}

// Types whose JSON is made by their own code: the reader knows them by name.
var opaque = map[string]bool{
	"resource.Quantity": true, "intstr.IntOrString": true, "meta.Time": true, "meta.MicroTime": true,
	"meta.FieldsV1": true, "runtime.RawExtension": true, "apiextensions.JSON": true,
	"apiextensions.JSONSchemaPropsOrArray": true, "apiextensions.JSONSchemaPropsOrBool": true,
	"apiextensions.JSONSchemaPropsOrStringArray": true,
}

// Types by name: the fields of a struct, or the text of the type that a named scalar, list or map is.
var types = map[string]any{}

func main() {
	for _, kind := range kinds {
		name(reflect.TypeOf(kind))
	}
	encoder := json.NewEncoder(os.Stdout)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", " ")
	if err := encoder.Encode(types); err != nil {
		panic(err)
	}
}

// Name is how fields refer to a type: `*int32`, `[]core.Container`, `map[string]string`.
func name(t reflect.Type) string {
	switch {
	case t.Name() != "" && t.PkgPath() != "":
		return named(t)
	case t.Kind() == reflect.Pointer:
		return "*" + name(t.Elem())
	case t.Kind() == reflect.Slice && t.Elem().Kind() == reflect.Uint8:
		return "[]uint8"
	case t.Kind() == reflect.Slice:
		return "[]" + name(t.Elem())
	case t.Kind() == reflect.Map:
		return "map[" + name(t.Key()) + "]" + name(t.Elem())
	default:
		return t.String()
	}
}

func named(t reflect.Type) string {
	name := group(t.PkgPath()) + "." + t.Name()
	if _, known := types[name]; known || opaque[name] {
		return name
	}
	types[name] = nil // it may refer to itself
	if t.Kind() == reflect.Struct {
		fields := map[string]string{}
		addFields(fields, t)
		types[name] = fields
	} else {
		types[name] = underlying(t)
	}
	return name
}

func underlying(t reflect.Type) string {
	switch t.Kind() {
	case reflect.Slice:
		return "[]" + name(t.Elem())
	case reflect.Map:
		return "map[" + name(t.Key()) + "]" + name(t.Elem())
	default:
		return t.Kind().String()
	}
}

// A field's text is its type, with a question mark when an empty value is left out.
func addFields(fields map[string]string, t reflect.Type) {
	for field := range t.Fields() {
		tag, options, _ := strings.Cut(field.Tag.Get("json"), ",")
		switch {
		case tag == "" && field.Anonymous:
			addFields(fields, field.Type)
		case tag != "" && tag != "-":
			text := name(field.Type)
			isStruct := field.Type.Kind() == reflect.Struct // omitempty means nothing to those
			if strings.Contains(options, "omitzero") || strings.Contains(options, "omitempty") && !isStruct {
				text += "?"
			}
			fields[tag] = text
		}
	}
}

// Group is the part of a package's path that tells it from others: `core` of k8s.io/api/core/v1.
func group(pkg string) string {
	if base := path.Base(pkg); base != "v1" {
		return base
	}
	return path.Base(path.Dir(pkg))
}
