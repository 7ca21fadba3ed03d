import assert from 'node:assert/strict';
import { type ApiObject, type ResourceType, SECOND } from '@karpenter-ts/runtime';
import { EVENTS } from '@karpenter-ts/runtime/kinds';
import { type Pod, PODS } from '../../scheduler/kinds/pod.ts';
import type { ContractCase } from '../contract-case.ts';
import { type Arena, inArena } from './arena.ts';

const PRIORITY_CLASSES: ResourceType = {
  group: 'scheduling.k8s.io',
  version: 'v1',
  plural: 'priorityclasses',
  kind: 'PriorityClass',
  namespaced: false,
};
/** How long a pod is held back that has been tried often, ten seconds, and until that is noticed, a second. */
const LONGEST_BACK_OFF = 12 * SECOND;
const GATED = { schedulingGates: [{ name: 'scheduling.test/wait' }] };

/** Whose turn it is, and what pods are told. */
export const queueCases: readonly ContractCase[] = [
  inArena('a gated pod is left alone until its last gate is gone', async (arena) => {
    await arena.node('a');
    const gates = ['x', 'y'].map((name) => ({ name: `scheduling.test/${name}` }));
    await arena.pod('pod', { schedulingGates: gates });
    await arena.complaintOf('pod', /^Scheduling is blocked due to non-empty scheduling gates$/);
    assert.equal((await scheduledCondition(arena, 'pod'))?.reason, 'SchedulingGated');
    await arena.change(PODS, 'pod', { spec: { schedulingGates: [gates[0]] } });
    await arena.pod('other');
    await arena.placeOf('other');
    assert.equal((await arena.get<Pod>(PODS, 'pod')).spec.nodeName, undefined);
    await arena.change(PODS, 'pod', { spec: { schedulingGates: [] } });
    assert.equal(await arena.placeOf('pod'), 'a');
  }),
  inArena('pods of another scheduler are left alone', async (arena) => {
    await arena.node('a');
    await arena.pod('foreign', { schedulerName: 'scheduling-test' });
    await arena.pod('pod');
    await arena.placeOf('pod');
    const { spec, status } = await arena.get<Pod>(PODS, 'foreign');
    assert.equal(spec.nodeName, undefined);
    assert.equal(status?.conditions, undefined);
  }),
  inArena('when room comes up, the pod of higher priority gets it', async (arena) => {
    await priorityClass(arena, 'high', 1000);
    await arena.node('other'); // that takes neither: while there is no node at all, whatever happens has them tried again
    const need = { requests: { cpu: '4' }, nodeSelector: onNode(arena, 'a') };
    await arena.pod('low', need);
    await arena.pod('high', { ...need, priorityClassName: arena.context.unique('high') });
    await arena.complaintOf('low', /nodes are available/);
    await arena.complaintOf('high', /nodes are available/);
    await arena.context.clock.sleep(LONGEST_BACK_OFF); // until neither is held back for having just been tried
    await arena.node('a');
    assert.equal(await arena.placeOf('high'), 'a');
    await arena.complaintOf('low', /1 Insufficient cpu[,.]/);
  }),
  inArena('a pod that may not displace others is told so', async (arena) => {
    await priorityClass(arena, 'polite', 10);
    await arena.node('a');
    await arena.pod('pod', { requests: { cpu: '5' }, priorityClassName: arena.context.unique('polite') });
    const message = await arena.complaintOf('pod', /1 Insufficient cpu[,.]/);
    assert.match(message, /\. no new claims to deallocate, preemption: not eligible due to preemptionPolicy=Never\.$/);
  }),
  inArena('a pod goes to the node promised to it, even if another is better', async (arena) => {
    await arena.node('a');
    await arena.node('b');
    await arena.pod('filler', { requests: { cpu: '2' }, nodeSelector: onNode(arena, 'a') });
    await arena.placeOf('filler');
    await arena.pod('pod', GATED);
    await arena.change(PODS, 'pod', { status: { nominatedNodeName: arena.context.unique('a') } }, 'status');
    await arena.change(PODS, 'pod', { spec: { schedulingGates: [] } });
    assert.equal(await arena.placeOf('pod'), 'a');
  }),
  inArena('a promise that cannot be kept is dropped, and the pod goes elsewhere', async (arena) => {
    await arena.node('a', { allocatable: { cpu: '1' } });
    await arena.node('b');
    await arena.pod('pod', { ...GATED, requests: { cpu: '2' } });
    await arena.change(PODS, 'pod', { status: { nominatedNodeName: arena.context.unique('a') } }, 'status');
    await arena.change(PODS, 'pod', { spec: { schedulingGates: [] } });
    assert.equal(await arena.placeOf('pod'), 'b');
  }),
  inArena('a bound pod has its condition and its event', async (arena) => {
    await arena.node('a');
    await arena.pod('pod');
    await arena.placeOf('pod');
    assert.equal((await scheduledCondition(arena, 'pod'))?.status, 'True');
    const event = await eventOf(arena, 'pod', 'Scheduled');
    assert.equal(event.message, `Successfully assigned ${arena.context.namespace}/pod to ${arena.context.unique('a')}`);
    assert.equal(event.type, 'Normal');
    assert.equal(event.action, 'Binding');
    assert.equal(event.reportingComponent, 'default-scheduler');
  }),
  inArena('a pod that fits nowhere has its condition and its event', async (arena) => {
    await arena.node('a');
    await arena.pod('pod', { requests: { cpu: '5' } });
    const message = await arena.complaintOf('pod', /1 Insufficient cpu[,.]/);
    const condition = await scheduledCondition(arena, 'pod');
    assert.equal(condition?.reason, 'Unschedulable');
    assert.equal(condition?.observedGeneration, 1);
    const event = await eventOf(arena, 'pod', 'FailedScheduling');
    assert.match(message, /^0\/\d+ nodes are available: /);
    assert.match(event.message, /1 Insufficient cpu[,.]/);
    assert.equal(event.type, 'Warning');
    assert.equal(event.action, 'Scheduling');
  }),
  inArena('a pod that changes so that it fits is tried again', async (arena) => {
    await arena.node('a', { taints: [{ key: 'special', effect: 'NoSchedule' }] });
    await arena.pod('pod');
    await arena.complaintOf('pod', /untolerated taint/);
    const { tolerations = [] } = (await arena.get<Pod>(PODS, 'pod')).spec;
    const more = [...tolerations, { key: 'special', operator: 'Exists', effect: 'NoSchedule' }];
    await arena.change(PODS, 'pod', { spec: { tolerations: more } });
    assert.equal(await arena.placeOf('pod'), 'a');
  }),
];

interface Event extends ApiObject {
  readonly reason: string;
  readonly message: string;
  readonly type: string;
  readonly action: string;
  readonly reportingComponent: string;
}

async function eventOf({ context }: Arena, pod: string, reason: string): Promise<Event> {
  const { client, namespace } = context;
  const fieldSelector = `involvedObject.name=${pod},reason=${reason}`;
  return context.until(`pod ${pod} has an event ${reason}`, async () => {
    const { items } = await client.listAll<Event>(EVENTS, { namespace, fieldSelector });
    return items.at(-1);
  });
}

async function scheduledCondition(arena: Arena, pod: string) {
  const { status } = await arena.get<Pod>(PODS, pod);
  return status?.conditions?.find(({ type }) => type === 'PodScheduled');
}

function onNode(arena: Arena, name: string): Readonly<Record<string, string>> {
  return { 'kubernetes.io/hostname': arena.context.unique(name) };
}

/** A priority class whose pods displace nobody. Resolves when pods may have it: the API server takes a moment. */
async function priorityClass(arena: Arena, name: string, value: number): Promise<void> {
  const { client, namespace, unique, until } = arena.context;
  const priorityClassName = unique(name);
  await arena.create(PRIORITY_CLASSES, {
    metadata: { name: priorityClassName },
    value,
    preemptionPolicy: 'Never',
  } as ApiObject);
  const pod = {
    metadata: { name: 'asks', namespace },
    spec: { priorityClassName, containers: [{ name: 'main', image: 'none' }] },
  };
  await until(`pods may be of class ${name}`, () => client.create<ApiObject>(PODS, pod, { dryRun: true }));
}
