import assert from 'node:assert/strict';
import { type ApiObject, EVENTS, type ResourceType } from '@karpenter-ts/kubernetes';
import { SECOND } from '@karpenter-ts/runtime';
import { type Pod, PODS } from '../../scheduler/kinds/pod.ts';
import type { ContractCase } from '../contract-case.ts';
import { type SchedulerFixture, schedulerCase } from './scheduler-fixture.ts';

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
  schedulerCase('a gated pod is left alone until its last gate is gone', async (fixture) => {
    await fixture.node('a');
    const gates = ['x', 'y'].map((name) => ({ name: `scheduling.test/${name}` }));
    await fixture.pod('pod', { schedulingGates: gates });
    await fixture.unschedulableMessage('pod', /^Scheduling is blocked due to non-empty scheduling gates$/);
    assert.equal((await scheduledCondition(fixture, 'pod'))?.reason, 'SchedulingGated');
    await fixture.change(PODS, 'pod', { spec: { schedulingGates: [gates[0]] } });
    await fixture.pod('other');
    await fixture.nodeOf('other');
    assert.equal((await fixture.get<Pod>(PODS, 'pod')).spec.nodeName, undefined);
    await fixture.change(PODS, 'pod', { spec: { schedulingGates: [] } });
    assert.equal(await fixture.nodeOf('pod'), 'a');
  }),
  schedulerCase('pods of another scheduler are left alone', async (fixture) => {
    await fixture.node('a');
    await fixture.pod('foreign', { schedulerName: 'scheduling-test' });
    await fixture.pod('pod');
    await fixture.nodeOf('pod');
    const { spec, status } = await fixture.get<Pod>(PODS, 'foreign');
    assert.equal(spec.nodeName, undefined);
    assert.equal(status?.conditions, undefined);
  }),
  schedulerCase('when room comes up, the pod of higher priority gets it', async (fixture) => {
    await priorityClass(fixture, 'high', 1000);
    await fixture.node('other'); // that takes neither: while there is no node at all, whatever happens has them tried again
    const need = { requests: { cpu: '4' }, nodeSelector: onNode(fixture, 'a') };
    await fixture.pod('low', need);
    await fixture.pod('high', { ...need, priorityClassName: fixture.context.unique('high') });
    await fixture.unschedulableMessage('low', /nodes are available/);
    await fixture.unschedulableMessage('high', /nodes are available/);
    await fixture.context.clock.sleep(LONGEST_BACK_OFF); // until neither is held back for having just been tried
    await fixture.node('a');
    assert.equal(await fixture.nodeOf('high'), 'a');
    await fixture.unschedulableMessage('low', /1 Insufficient cpu[,.]/);
  }),
  schedulerCase('a pod that may not displace others is told so', async (fixture) => {
    await priorityClass(fixture, 'polite', 10);
    await fixture.node('a');
    await fixture.pod('pod', { requests: { cpu: '5' }, priorityClassName: fixture.context.unique('polite') });
    const message = await fixture.unschedulableMessage('pod', /1 Insufficient cpu[,.]/);
    assert.match(message, /\. no new claims to deallocate, preemption: not eligible due to preemptionPolicy=Never\.$/);
  }),
  schedulerCase('a pod goes to the node promised to it, even if another is better', async (fixture) => {
    await fixture.node('a');
    await fixture.node('b');
    await fixture.pod('filler', { requests: { cpu: '2' }, nodeSelector: onNode(fixture, 'a') });
    await fixture.nodeOf('filler');
    await fixture.pod('pod', GATED);
    await fixture.change(PODS, 'pod', { status: { nominatedNodeName: fixture.context.unique('a') } }, 'status');
    await fixture.change(PODS, 'pod', { spec: { schedulingGates: [] } });
    assert.equal(await fixture.nodeOf('pod'), 'a');
  }),
  schedulerCase('a promise that cannot be kept is dropped, and the pod goes elsewhere', async (fixture) => {
    await fixture.node('a', { allocatable: { cpu: '1' } });
    await fixture.node('b');
    await fixture.pod('pod', { ...GATED, requests: { cpu: '2' } });
    await fixture.change(PODS, 'pod', { status: { nominatedNodeName: fixture.context.unique('a') } }, 'status');
    await fixture.change(PODS, 'pod', { spec: { schedulingGates: [] } });
    assert.equal(await fixture.nodeOf('pod'), 'b');
  }),
  schedulerCase('a bound pod has its condition and its event', async (fixture) => {
    await fixture.node('a');
    await fixture.pod('pod');
    await fixture.nodeOf('pod');
    assert.equal((await scheduledCondition(fixture, 'pod'))?.status, 'True');
    const event = await eventOf(fixture, 'pod', 'Scheduled');
    assert.equal(
      event.message,
      `Successfully assigned ${fixture.context.namespace}/pod to ${fixture.context.unique('a')}`,
    );
    assert.equal(event.type, 'Normal');
    assert.equal(event.action, 'Binding');
    assert.equal(event.reportingComponent, 'default-scheduler');
  }),
  schedulerCase('a pod that fits nowhere has its condition and its event', async (fixture) => {
    await fixture.node('a');
    await fixture.pod('pod', { requests: { cpu: '5' } });
    const message = await fixture.unschedulableMessage('pod', /1 Insufficient cpu[,.]/);
    const condition = await scheduledCondition(fixture, 'pod');
    assert.equal(condition?.reason, 'Unschedulable');
    assert.equal(condition?.observedGeneration, 1);
    const event = await eventOf(fixture, 'pod', 'FailedScheduling');
    assert.match(message, /^0\/\d+ nodes are available: /);
    assert.match(event.message, /1 Insufficient cpu[,.]/);
    assert.equal(event.type, 'Warning');
    assert.equal(event.action, 'Scheduling');
  }),
  schedulerCase('a pod that changes so that it fits is tried again', async (fixture) => {
    await fixture.node('a', { taints: [{ key: 'special', effect: 'NoSchedule' }] });
    await fixture.pod('pod');
    await fixture.unschedulableMessage('pod', /untolerated taint/);
    const { tolerations = [] } = (await fixture.get<Pod>(PODS, 'pod')).spec;
    const more = [...tolerations, { key: 'special', operator: 'Exists', effect: 'NoSchedule' }];
    await fixture.change(PODS, 'pod', { spec: { tolerations: more } });
    assert.equal(await fixture.nodeOf('pod'), 'a');
  }),
];

interface Event extends ApiObject {
  readonly reason: string;
  readonly message: string;
  readonly type: string;
  readonly action: string;
  readonly reportingComponent: string;
}

async function eventOf({ context }: SchedulerFixture, pod: string, reason: string): Promise<Event> {
  const { client, namespace } = context;
  const fieldSelector = `involvedObject.name=${pod},reason=${reason}`;
  return context.until(`pod ${pod} has an event ${reason}`, async () => {
    const { items } = await client.listAll<Event>(EVENTS, { namespace, fieldSelector });
    return items.at(-1);
  });
}

async function scheduledCondition(fixture: SchedulerFixture, pod: string) {
  const { status } = await fixture.get<Pod>(PODS, pod);
  return status?.conditions?.find(({ type }) => type === 'PodScheduled');
}

function onNode(fixture: SchedulerFixture, name: string): Readonly<Record<string, string>> {
  return { 'kubernetes.io/hostname': fixture.context.unique(name) };
}

/** A priority class whose pods displace nobody. Resolves when pods may have it: the API server takes a moment. */
async function priorityClass(fixture: SchedulerFixture, name: string, value: number): Promise<void> {
  const { client, namespace, unique, until } = fixture.context;
  const priorityClassName = unique(name);
  await fixture.create(PRIORITY_CLASSES, {
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
