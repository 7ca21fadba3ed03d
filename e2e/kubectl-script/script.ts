import type { JsonObject } from '@karpenter-ts/kubernetes';
import {
  CLAIM,
  CRD,
  configMap,
  DAEMON_SET,
  deployment,
  JOB,
  list,
  manifest,
  node,
  POD,
  pool,
  STEADY,
  STATEFUL_SET,
  SUITE,
} from './manifests.ts';
import { kubectl, type Step } from './step.ts';

const input = (...items: readonly JsonObject[]) => ({ input: manifest(...items) });

const NOTHING = /^$/; // only the exit code counts
const ONLY_OURS = new RegExp(`^${SUITE}$`); // no taint for not being ready any more

const NODES: readonly Step[] = [
  kubectl(`create namespace ${SUITE}`),
  kubectl(`get namespace ${SUITE}`),
  kubectl('create -f -', input(node('script-a'), node('script-b'))),
  kubectl(`wait --for=condition=Ready node -l suite=${SUITE} --timeout=180s`),
  kubectl('wait --for=create lease/script-a --namespace kube-node-lease --timeout=180s'),
  kubectl(`get nodes -l suite=${SUITE}`),
  kubectl(`get nodes -l suite=${SUITE} -o wide`),
  ...['script-a', 'script-b'].map((name) =>
    kubectl(`get node ${name} -o jsonpath={.spec.taints[*].key}`, { until: ONLY_OURS }),
  ),
  kubectl('describe node script-a --show-events=false', {
    keep: /^(?!Lease|  (HolderIdentity|RenewTime|AcquireTime)|.*\.kubernetes\.io\/ttl)/,
  }),
  kubectl('label node script-a disk=ssd'),
  kubectl('label node script-a disk=hdd'),
  kubectl('label node script-a disk=hdd --overwrite'),
  kubectl(`get nodes -l suite=${SUITE} -L disk`),
  kubectl('label node script-a disk-'),
  kubectl('annotate node script-a note={}', 'a b'),
  kubectl('taint node script-b dedicated=web:NoSchedule'),
  kubectl('taint node script-b dedicated=web:NoSchedule'),
  kubectl('get node script-b -o jsonpath={.spec.taints[*].key}'),
  kubectl('taint node script-b dedicated-'),
  kubectl('cordon script-b'),
  kubectl('cordon script-b'),
  kubectl('get node script-b'),
  kubectl('uncordon script-b'),
];

const CONFIG: readonly Step[] = [
  kubectl('create configmap settings --from-literal=a=1 --from-literal=b=2'),
  kubectl('create configmap settings'),
  kubectl('get configmap settings -o yaml'),
  kubectl('get configmap settings -o jsonpath={.data.a}'),
  kubectl('get configmap settings -o go-template={}', '{{range $k, $v := .data}}{{$k}}={{$v}} {{end}}'),
  kubectl('get configmap settings -o custom-columns=NAME:.metadata.name,A:.data.a'),
  kubectl('describe configmap settings'),
  kubectl('patch configmap settings -p {}', '{"data":{"c":"3"}}'),
  kubectl('patch configmap settings --type=merge -p {}', '{"data":{"a":null}}'),
  kubectl('patch configmap settings --type=json -p {}', '[{"op":"test","path":"/data/b","value":"9"}]'),
  kubectl('patch configmap settings --type=json -p {}', '[{"op":"add","path":"/data/d","value":"4"}]'),
  kubectl('patch configmap settings -p {}', '{"data":{"c":"3"}}'),
  kubectl('edit configmap settings', { edit: 's/"4"/"four"/' }),
  kubectl('edit configmap settings', { edit: 's/none/NONE/' }),
  kubectl('edit configmap settings', { edit: 's/name: settings/name: other/' }),
  kubectl('get configmap settings -o jsonpath={.data}'),
  kubectl('apply -f -', input(configMap({ a: '1', b: '2' }))),
  kubectl('apply -f -', input(configMap({ a: '1', b: '2' }))),
  kubectl('diff -f -', { ...input(configMap({ a: '1', b: '3' })), keep: /^[-+] / }),
  kubectl('apply -f -', input(configMap({ a: '1', c: '3' }))),
  kubectl('get configmap applied -o jsonpath={.data}'),
  kubectl('create -f -', input(configMap({}, { unknown: 1 }))),
  kubectl('create -f -', { ...input(list(configMap({}, { unknown: 1 }))), keep: NOTHING }), // kubectl's own words
  kubectl('apply -f -', input(list(configMap({ a: '1', c: '3' })))),
  kubectl(
    'create --validate=ignore --dry-run=server -f -',
    input({ ...configMap({}, { unknown: 1 }), metadata: { name: 'x' } }),
  ),
  kubectl('replace -f -', input(configMap({ z: '26' }))),
  kubectl('create secret generic key --from-literal=k=v'),
  kubectl('get secret key -o jsonpath={.data.k}'),
  kubectl('get configmaps -l none=such'),
  kubectl('get configmap --watch --output-watch-events', {
    keep: /^(?!.*kube-root-ca)/, // every namespace has one on a real cluster
    during: {
      steps: [kubectl('annotate configmap applied note=x'), kubectl('delete configmap applied')],
      end: /^DELETED/m,
    },
  }),
  kubectl('get configmap missing'),
  kubectl('get nosuchkind'),
  kubectl('create configmap Wrong_Name'),
];

const REVISION = '.metadata.annotations.deployment\\.kubernetes\\.io/revision';
const ROLLOUT = kubectl('rollout status deployment/web --timeout=180s', { keep: /successfully|error/ });

const DEPLOYMENTS: readonly Step[] = [
  kubectl('apply --dry-run=server -f -', input(deployment(2))),
  kubectl('apply -f -', input(deployment(2))),
  ROLLOUT,
  kubectl('get deployment web -o wide'),
  kubectl('get replicasets -o wide'),
  kubectl('get pods -l app=web -o wide', { sorted: true }),
  kubectl('describe deployment web', { until: /ScalingReplicaSet/ }),
  kubectl('wait deployment/web --for=condition=Available'),
  kubectl('wait deployment/web --for=jsonpath={.status.readyReplicas}=2 --timeout=180s'),
  kubectl('scale deployment web --replicas=4'),
  ROLLOUT,
  kubectl('scale deployment web --current-replicas=9 --replicas=1'),
  kubectl('apply -f -', input(deployment(3))),
  ROLLOUT,
  kubectl('set image deployment/web app=registry.example/app:2'),
  ROLLOUT,
  kubectl('set env deployment/web MODE=fast'),
  kubectl(`wait deployment/web --for=jsonpath={${REVISION}}=3 --timeout=180s`), // or the next change would be part of it
  kubectl('set resources deployment web --requests=cpu=200m'),
  ROLLOUT,
  kubectl('get deployment web -o jsonpath={.spec.template.spec.containers[0]}'),
  kubectl('rollout restart deployment/web'),
  ROLLOUT,
  kubectl('rollout history deployment/web'),
  kubectl('rollout undo deployment/web --to-revision=1'),
  ROLLOUT,
  kubectl('get deployment web -o jsonpath={.spec.template.spec.containers[0].image}'),
  kubectl('rollout pause deployment/web'),
  kubectl('rollout resume deployment/web'),
  kubectl('get replicasets', { sorted: true }),
  kubectl('create poddisruptionbudget web --selector=app=web --min-available=1'),
  kubectl('wait pdb/web --for=jsonpath={.status.disruptionsAllowed}=2 --timeout=180s'),
  kubectl('get pdb'),
  kubectl('describe pdb web'),
];

const PODS: readonly Step[] = [
  kubectl('create -f -', input(POD)),
  kubectl('wait pod/solo --for=condition=Ready --timeout=180s'),
  kubectl('get pod solo -o wide'),
  kubectl('describe pod solo', { keep: /^(?!Service Account)/ }), // the lab has none
  kubectl('label pod solo tier=one'),
  kubectl('label pods --all checked=yes', { sorted: true }),
  kubectl('get pods -l checked,tier=one -o name'),
  kubectl('get pods --field-selector spec.nodeName=script-a,metadata.name=solo -o name'),
  kubectl('set image pod/solo app=registry.example/app:9'),
  kubectl('patch pod solo -p {}', '{"spec":{"nodeName":"elsewhere"}}', { keep: /^The Pod/ }),
  kubectl('run extra --image=x --dry-run=client -o yaml'),
  kubectl('drain script-a --timeout=2s'),
  kubectl('create poddisruptionbudget solo --selector=app=solo --min-available=1'),
  kubectl('wait pdb/solo --for=jsonpath={.status.currentHealthy}=1 --timeout=180s'),
  kubectl('drain script-a --force --pod-selector=app=solo --timeout=3s', { keep: /^(?!There are pending)/ }),
  kubectl('delete pdb solo'),
  kubectl('drain script-a --force --pod-selector=app=solo --timeout=180s'),
  kubectl('uncordon script-a'),
  kubectl('create -f -', input(POD)),
  kubectl('wait pod/solo --for=condition=Ready --timeout=180s'),
  kubectl('apply -f -', input(STEADY)),
  kubectl('rollout status deployment/steady --timeout=180s', { keep: /successfully|error/ }),
  kubectl('drain script-b --pod-selector=app=steady --timeout=180s', { sorted: true }),
  kubectl('get pods -l app=steady', { sorted: true, until: /Pending/ }), // that takes the place of the evicted one
  kubectl('uncordon script-b'),
  kubectl('rollout status deployment/steady --timeout=180s', { keep: /successfully|error/ }),
  kubectl('get pods -l app=steady -o wide', { sorted: true, until: /Running[\s\S]*Running/ }),
  kubectl('delete deployment steady --cascade=foreground'),
  kubectl('delete pod solo'),
  kubectl('delete pod solo'),
  kubectl('delete pod solo --ignore-not-found'),
];

const WORKLOADS: readonly Step[] = [
  kubectl('apply -f -', input(STATEFUL_SET, DAEMON_SET, JOB, CLAIM)),
  kubectl('rollout status statefulset/db --timeout=180s', { keep: /complete|error/ }),
  kubectl('rollout status daemonset/agent --timeout=180s', { keep: /successfully|error/ }),
  kubectl('wait job/once --for=condition=Complete --timeout=180s'),
  kubectl('get statefulset,daemonset,job,pvc -o wide'),
  kubectl('get pods -l app=db'),
  kubectl('describe statefulset db', { until: /SuccessfulCreate[\s\S]*SuccessfulCreate/ }),
  kubectl('describe daemonset agent', { sorted: true, until: /SuccessfulCreate[\s\S]*SuccessfulCreate/ }),
  kubectl('describe job once', { sorted: true, keep: /^(?!Duration)/, until: /Job completed/ }),
  kubectl('describe pvc data', { keep: /^(?!Events| )/ }),
  kubectl('scale statefulset db --replicas=1'),
  kubectl('get pod db-1', { until: /NotFound/ }), // wait says nothing of what is gone already
  kubectl('wait pod/db-1 --for=delete --timeout=180s'),
  kubectl('rollout restart statefulset/db'),
  kubectl('rollout status statefulset/db --timeout=180s', { keep: /complete|error/ }),
  kubectl('create priorityclass script --value=7 --description=none'),
  kubectl('get priorityclass script'),
  kubectl('delete priorityclass script'),
];

const CUSTOM: readonly Step[] = [
  kubectl('apply -f -', input(CRD)),
  kubectl('wait crd/pools.script.example.com --for=condition=Established --timeout=180s'),
  kubectl('api-resources --api-group=script.example.com', { until: /Pool/ }), // told of, and served, later than it says
  kubectl('get pools', { until: /No resources found/ }),
  kubectl('apply -f -', input(pool({}))),
  kubectl('apply -f -', { ...input(pool({ weight: 500, disruption: { consolidateAfter: 'soon' } })), sorted: true }),
  kubectl('apply -f -', input(pool({ wieght: 5 }))),
  kubectl('apply -f -', input(pool({ weight: 5 }))),
  kubectl('patch pool general --type=merge -p {}', '{"spec":{"weight":6}}'),
  kubectl('patch pool general -p {}', '{"spec":{"weight":7}}'),
  kubectl('get pools'),
  kubectl('get pools -o wide'),
  kubectl('get pool general -o yaml'),
  kubectl('describe pool general'),
  kubectl('edit pool general', { edit: 's/weight: .*/weight: 9/' }),
  kubectl('explain pool.spec.disruption', { keep: /^(GROUP|KIND|VERSION|FIELD)/, until: /^FIELD/m }),
  kubectl('explain pod.spec.containers', { keep: /^(GROUP|KIND|VERSION|FIELD)/ }),
  kubectl('explain deployment.spec.replicas', { keep: /^(GROUP|KIND|VERSION|FIELD)/ }),
  kubectl('explain pod.spec.nothing'),
  kubectl('delete pool general'),
  kubectl('delete crd pools.script.example.com'),
];

const CLEAN_UP: readonly Step[] = [
  kubectl('get all', { sorted: true, keep: /^(?!service\/)/ }),
  kubectl('delete deployment web --cascade=foreground'),
  kubectl('get replicasets,pods -l app=web'),
  kubectl('delete statefulset db --cascade=orphan'),
  kubectl('get pod db-0 -o jsonpath={.status.phase}'),
  kubectl('delete daemonset,job,pdb --all', { sorted: true }),
  kubectl('delete pvc data --wait=false', { keep: /deleted/ }),
  kubectl(`delete namespace ${SUITE} --timeout=240s`),
  kubectl(`get namespace ${SUITE}`),
  kubectl('delete node script-a script-b'),
  kubectl(`get nodes -l suite=${SUITE}`),
];

/** A typical session with a cluster. Every step builds on the previous ones. */
export const SCRIPT: readonly Step[] = [
  ...NODES,
  ...CONFIG,
  ...DEPLOYMENTS,
  ...PODS,
  ...WORKLOADS,
  ...CUSTOM,
  ...CLEAN_UP,
];

/** Removes what an aborted run has left. */
export const LEFTOVERS: readonly Step[] = [
  kubectl(`delete namespace ${SUITE} --ignore-not-found`),
  kubectl('delete crd pools.script.example.com --ignore-not-found'),
  kubectl('delete priorityclass script --ignore-not-found'),
  kubectl('delete node script-a script-b --ignore-not-found'),
];
