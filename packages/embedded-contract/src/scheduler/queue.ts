import assert from 'node:assert/strict';
import { type ApiObject, EVENTS, type Pod, PODS, type ResourceType } from '@karpenter-ts/kubernetes';
import { SECOND } from '@karpenter-ts/runtime';
import type { ContractCase } from '../contract-case.ts';
import { type SchedulerEnvironment, schedulerCase } from './scheduler-environment.ts';

const PRIORITY_CLASSES: ResourceType = {
  group: 'scheduling.k8s.io',
  version: 'v1',
  plural: 'priorityclasses',
  kind: 'PriorityClass',
  namespaced: false,
};
/** The longest back-off of a pod, ten seconds, and a second until it is noticed. */
const LONGEST_BACK_OFF = 12 * SECOND;
const GATED = { schedulingGates: [{ name: 'scheduling.test/wait' }] };

/** The order of the queue, and the messages of unschedulable pods. */
export const queueCases: readonly ContractCase[] = [
  schedulerCase('a gated pod is left alone until its last gate is gone', async (env) => {
    await env.node('a');
    const gates = ['x', 'y'].map((name) => ({ name: `scheduling.test/${name}` }));
    await env.pod('pod', { schedulingGates: gates });
    await env.unschedulableMessage('pod', /^Scheduling is blocked due to non-empty scheduling gates$/);
    assert.equal((await scheduledCondition(env, 'pod'))?.reason, 'SchedulingGated');
    await env.change(PODS, 'pod', { spec: { schedulingGates: [gates[0]] } });
    await env.pod('other');
    await env.nodeOf('other');
    assert.equal((await env.get<Pod>(PODS, 'pod')).spec.nodeName, undefined);
    await env.change(PODS, 'pod', { spec: { schedulingGates: [] } });
    assert.equal(await env.nodeOf('pod'), 'a');
  }),
  schedulerCase('pods of another scheduler are left alone', async (env) => {
    await env.node('a');
    await env.pod('foreign', { schedulerName: 'scheduling-test' });
    await env.pod('pod');
    await env.nodeOf('pod');
    const { spec, status } = await env.get<Pod>(PODS, 'foreign');
    assert.equal(spec.nodeName, undefined);
    assert.equal(status?.conditions, undefined);
  }),
  schedulerCase('when room comes up, the pod of higher priority gets it', async (env) => {
    await priorityClass(env, 'high', 1000);
    await env.node('other'); // that takes neither: while there is no node at all, whatever happens has them tried again
    const need = { requests: { cpu: '4' }, nodeSelector: onNode(env, 'a') };
    await env.pod('low', need);
    await env.pod('high', { ...need, priorityClassName: env.context.unique('high') });
    await env.unschedulableMessage('low', /nodes are available/);
    await env.unschedulableMessage('high', /nodes are available/);
    await env.context.clock.sleep(LONGEST_BACK_OFF); // until neither is held back for having just been tried
    await env.node('a');
    assert.equal(await env.nodeOf('high'), 'a');
    await env.unschedulableMessage('low', /1 Insufficient cpu[,.]/);
  }),
  schedulerCase('a pod that may not displace others is told so', async (env) => {
    await priorityClass(env, 'polite', 10);
    await env.node('a');
    await env.pod('pod', { requests: { cpu: '5' }, priorityClassName: env.context.unique('polite') });
    const message = await env.unschedulableMessage('pod', /1 Insufficient cpu[,.]/);
    assert.match(message, /\. no new claims to deallocate, preemption: not eligible due to preemptionPolicy=Never\.$/);
  }),
  schedulerCase('a pod goes to the node promised to it, even if another is better', async (env) => {
    await env.node('a');
    await env.node('b');
    await env.pod('filler', { requests: { cpu: '2' }, nodeSelector: onNode(env, 'a') });
    await env.nodeOf('filler');
    await env.pod('pod', GATED);
    await env.change(PODS, 'pod', { status: { nominatedNodeName: env.context.unique('a') } }, 'status');
    await env.change(PODS, 'pod', { spec: { schedulingGates: [] } });
    assert.equal(await env.nodeOf('pod'), 'a');
  }),
  schedulerCase('a promise that cannot be kept is dropped, and the pod goes elsewhere', async (env) => {
    await env.node('a', { allocatable: { cpu: '1' } });
    await env.node('b');
    await env.pod('pod', { ...GATED, requests: { cpu: '2' } });
    await env.change(PODS, 'pod', { status: { nominatedNodeName: env.context.unique('a') } }, 'status');
    await env.change(PODS, 'pod', { spec: { schedulingGates: [] } });
    assert.equal(await env.nodeOf('pod'), 'b');
  }),
  schedulerCase('a bound pod has its condition and its event', async (env) => {
    await env.node('a');
    await env.pod('pod');
    await env.nodeOf('pod');
    assert.equal((await scheduledCondition(env, 'pod'))?.status, 'True');
    const event = await eventOf(env, 'pod', 'Scheduled');
    assert.equal(event.message, `Successfully assigned ${env.context.namespace}/pod to ${env.context.unique('a')}`);
    assert.equal(event.type, 'Normal');
    assert.equal(event.action, 'Binding');
    assert.equal(event.reportingComponent, 'default-scheduler');
  }),
  schedulerCase('a pod that fits nowhere has its condition and its event', async (env) => {
    await env.node('a');
    await env.pod('pod', { requests: { cpu: '5' } });
    const message = await env.unschedulableMessage('pod', /1 Insufficient cpu[,.]/);
    const condition = await scheduledCondition(env, 'pod');
    assert.equal(condition?.reason, 'Unschedulable');
    assert.equal(condition?.observedGeneration, 1);
    const event = await eventOf(env, 'pod', 'FailedScheduling');
    assert.match(message, /^0\/\d+ nodes are available: /);
    assert.match(event.message, /1 Insufficient cpu[,.]/);
    assert.equal(event.type, 'Warning');
    assert.equal(event.action, 'Scheduling');
  }),
  schedulerCase('a pod that changes so that it fits is tried again', async (env) => {
    await env.node('a', { taints: [{ key: 'special', effect: 'NoSchedule' }] });
    await env.pod('pod');
    await env.unschedulableMessage('pod', /untolerated taint/);
    const { tolerations = [] } = (await env.get<Pod>(PODS, 'pod')).spec;
    const more = [...tolerations, { key: 'special', operator: 'Exists', effect: 'NoSchedule' }];
    await env.change(PODS, 'pod', { spec: { tolerations: more } });
    assert.equal(await env.nodeOf('pod'), 'a');
  }),
];

interface Event extends ApiObject {
  readonly reason: string;
  readonly message: string;
  readonly type: string;
  readonly action: string;
  readonly reportingComponent: string;
}

async function eventOf({ context }: SchedulerEnvironment, pod: string, reason: string): Promise<Event> {
  const { client, namespace } = context;
  const fieldSelector = `involvedObject.name=${pod},reason=${reason}`;
  return context.until(`pod ${pod} has an event ${reason}`, async () => {
    const { items } = await client.listAll<Event>(EVENTS, { namespace, fieldSelector });
    return items.at(-1);
  });
}

async function scheduledCondition(env: SchedulerEnvironment, pod: string) {
  const { status } = await env.get<Pod>(PODS, pod);
  return status?.conditions?.find(({ type }) => type === 'PodScheduled');
}

function onNode(env: SchedulerEnvironment, name: string): Readonly<Record<string, string>> {
  return { 'kubernetes.io/hostname': env.context.unique(name) };
}

/** A priority class whose pods displace nobody. Resolves when pods may have it: the API server takes a moment. */
async function priorityClass(env: SchedulerEnvironment, name: string, value: number): Promise<void> {
  const { client, namespace, unique, until } = env.context;
  const priorityClassName = unique(name);
  await env.create(PRIORITY_CLASSES, {
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
