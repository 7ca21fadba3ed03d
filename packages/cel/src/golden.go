// Golden reads a table of CEL expressions and rules, evaluates each as kube-apiserver 1.35 does, and writes the table
// back with what came out. In a folder of its own, with this file in it:
//
//	go mod init golden && go get k8s.io/apiextensions-apiserver@v0.35.4 && go mod tidy
//	go run . cel.golden.jsonl <karpenter> <karpenter-provider-aws>
//
// The last two are the sources of v1.14.1, as `go mod download -json sigs.k8s.io/karpenter@v1.14.1` finds them: their
// CRDs hold the rules of the table's third part.
package main

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
	"github.com/google/cel-go/common/types/traits"
	"github.com/google/cel-go/interpreter"
	apiext "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	apiextv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
	schemacel "k8s.io/apiextensions-apiserver/pkg/apiserver/schema/cel"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/cel/model"
	utiljson "k8s.io/apimachinery/pkg/util/json"
	"k8s.io/apimachinery/pkg/util/version"
	celconfig "k8s.io/apiserver/pkg/apis/cel"
	"k8s.io/apiserver/pkg/cel/environment"
	"sigs.k8s.io/yaml"
)

// Line is one of the table's: the schema of typed rows, an expression that sees `self` as dyn, a typed rule, or a rule
// at a place of an upstream CRD with values to try it on.
type Line struct {
	Schema  json.RawMessage `json:"schema,omitempty"`
	Flavour string          `json:"flavour,omitempty"` // whose CRD: core or aws
	Place   []string        `json:"place,omitempty"`   // kind, then properties; [] is an item, {} a value
	Row
	Cases []*Row `json:"cases,omitempty"`
}

type Row struct {
	Expr    string          `json:"expr,omitempty"`
	Typed   bool            `json:"typed,omitempty"`
	Root    bool            `json:"root,omitempty"`
	Old     string          `json:"old,omitempty"`   // "optional" for optionalOldSelf
	Gives   string          `json:"gives,omitempty"` // "string" for a messageExpression
	Self    json.RawMessage `json:"self,omitempty"`
	OldSelf json.RawMessage `json:"oldSelf,omitempty"`
	Out     map[string]any  `json:"out,omitempty"`
}

func main() {
	envs := environment.MustBaseEnvSet(version.MajorMinor(1, 35))
	env := must(envs.StoredExpressionsEnv().Extend(cel.Variable("self", cel.DynType)))
	places := map[string]*apiextv1.JSONSchemaProps{}
	for i, flavour := range []string{"core", "aws"} {
		loadCRDs(places, flavour, filepath.Join(os.Args[2+i], "pkg/apis/crds"))
	}
	var table bytes.Buffer
	var typed apiextv1.JSONSchemaProps
	for raw := range bytes.Lines(must(os.ReadFile(os.Args[1]))) {
		var line Line
		check(json.Unmarshal(raw, &line))
		switch {
		case line.Schema != nil:
			check(json.Unmarshal(line.Schema, &typed))
		case line.Typed:
			line.Out = evaluateRule(envs, &typed, line.Expr, &line.Row)
		case line.Cases == nil:
			line.Out = evaluate(env, &line.Row)
		}
		for _, row := range line.Cases {
			row.Out = evaluateRule(envs, places[line.Flavour+" "+strings.Join(line.Place, ".")], line.Expr, row)
		}
		encoder := json.NewEncoder(&table)
		encoder.SetEscapeHTML(false)
		check(encoder.Encode(line))
	}
	check(os.WriteFile(os.Args[1], table.Bytes(), 0o644))
}

func evaluate(env *cel.Env, row *Row) map[string]any {
	ast, issues := env.Compile(row.Expr)
	if issues.Err() != nil {
		return map[string]any{"compile": issues.String()}
	}
	out := map[string]any{"type": ast.OutputType().String()}
	program, err := env.Program(ast)
	if err != nil {
		out["program"] = err.Error()
		return out
	}
	vars := map[string]any{}
	if row.Self != nil {
		vars["self"] = decode(row.Self)
	}
	value, _, err := program.Eval(vars)
	if err != nil {
		out["error"] = err.Error()
	} else {
		out["value"] = show(value)
	}
	return out
}

func evaluateRule(envs *environment.EnvSet, props *apiextv1.JSONSchemaProps, expr string, row *Row) map[string]any {
	var internal apiext.JSONSchemaProps
	check(apiextv1.Convert_v1_JSONSchemaProps_To_apiextensions_JSONSchemaProps(props.DeepCopy(), &internal, nil))
	structural := must(schema.NewStructural(&internal))
	optional := row.Old == "optional"
	rule := apiextv1.ValidationRule{Rule: expr, OptionalOldSelf: &optional}
	if row.Gives == "string" {
		rule = apiextv1.ValidationRule{Rule: "true", MessageExpression: expr, OptionalOldSelf: &optional}
	}
	structural.XValidations = apiextv1.ValidationRules{rule}
	loader := schemacel.NewExpressionsEnvLoader()
	results := must(schemacel.Compile(structural, model.SchemaDeclType(structural, row.Root), celconfig.PerCallLimit, envs, loader))
	program, failure := results[0].Program, results[0].Error
	if row.Gives == "string" {
		program, failure = results[0].MessageExpression, results[0].MessageExpressionError
	}
	if failure != nil {
		return map[string]any{"compile": selfType.ReplaceAllString(failure.Error(), "object")}
	}
	if row.Root {
		structural = model.WithTypeAndObjectMeta(structural)
	}
	vars := &variables{self: schemacel.UnstructuredToVal(decode(row.Self), structural), hasOld: optional, old: types.OptionalNone}
	if row.OldSelf != nil {
		vars.hasOld, vars.old = true, schemacel.UnstructuredToVal(decode(row.OldSelf), structural)
		if optional {
			vars.old = types.OptionalOf(vars.old)
		}
	}
	out := map[string]any{}
	if results[0].UsesOldSelf {
		out["usesOldSelf"] = true
	}
	value, _, err := program.Eval(vars)
	if err != nil {
		out["error"] = err.Error()
	} else {
		out["value"] = show(value)
	}
	return out
}

// The type of `self` has a name that is new each time.
var selfType = regexp.MustCompile(`selfType\d+`)

type variables struct {
	self, old ref.Val
	hasOld    bool
}

func (v *variables) ResolveName(name string) (any, bool) {
	switch name {
	case "self":
		return v.self, true
	case "oldSelf":
		return v.old, v.hasOld
	}
	return nil, false
}

func (v *variables) Parent() interpreter.Activation { return nil }

// show writes a value as JSON that tells CEL's types apart.
func show(value ref.Val) any {
	switch v := value.(type) {
	case types.Null:
		return nil
	case types.Bool:
		return bool(v)
	case types.Int:
		return fmt.Sprintf("int:%d", int64(v))
	case types.Uint:
		return fmt.Sprintf("uint:%d", uint64(v))
	case types.Double:
		return fmt.Sprintf("double:%v", float64(v))
	case types.String:
		return "string:" + string(v)
	case types.Bytes:
		return "bytes:" + base64.StdEncoding.EncodeToString(v)
	case types.Timestamp, types.Duration:
		return fmt.Sprintf("%s:%s", value.Type().TypeName(), value.ConvertToType(types.StringType))
	case *types.Type:
		return "type:" + v.TypeName()
	case *types.Optional:
		if v.HasValue() {
			return map[string]any{"optional": show(v.GetValue())}
		}
		return map[string]any{"optional": "nothing"}
	case traits.Lister:
		list := []any{}
		for it := v.Iterator(); it.HasNext() == types.True; {
			list = append(list, show(it.Next()))
		}
		return list
	case traits.Mapper:
		entries := map[string]any{}
		for it := v.Iterator(); it.HasNext() == types.True; {
			key := it.Next()
			entries[fmt.Sprint(show(key))] = show(v.Get(key))
		}
		return map[string]any{"map": entries}
	}
	return fmt.Sprintf("%s:%v", value.Type().TypeName(), value.Value())
}

func loadCRDs(places map[string]*apiextv1.JSONSchemaProps, flavour, dir string) {
	for _, file := range must(filepath.Glob(filepath.Join(dir, "*.yaml"))) {
		var crd apiextv1.CustomResourceDefinition
		check(yaml.Unmarshal(must(os.ReadFile(file)), &crd))
		for _, served := range crd.Spec.Versions {
			addPlaces(places, flavour+" "+crd.Spec.Names.Kind, served.Schema.OpenAPIV3Schema)
		}
	}
}

func addPlaces(places map[string]*apiextv1.JSONSchemaProps, path string, props *apiextv1.JSONSchemaProps) {
	places[path] = props
	for name, property := range props.Properties {
		addPlaces(places, path+"."+name, &property)
	}
	if props.Items != nil && props.Items.Schema != nil {
		addPlaces(places, path+".[]", props.Items.Schema)
	}
	if props.AdditionalProperties != nil && props.AdditionalProperties.Schema != nil {
		addPlaces(places, path+".{}", props.AdditionalProperties.Schema)
	}
}

func decode(raw json.RawMessage) (value any) {
	check(utiljson.Unmarshal(raw, &value))
	return value
}

func must[T any](value T, err error) T {
	check(err)
	return value
}

func check(err error) {
	if err != nil {
		panic(err)
	}
}
