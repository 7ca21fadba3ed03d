import { type JsonObject, memberOf } from '@karpenter-ts/kubernetes';

import { type KubeObject, listAt, objectAt, textAt } from '../object.ts';
import { AGE, type Column, column, NAME, numberAt, wide } from './column.ts';
import { ageOf } from './human-duration.ts';

/** The columns of pods. */
export const POD_COLUMNS: readonly Column[] = [
  NAME,
  column('Ready', (pod) => {
    const { ready, total } = summarize(pod);
    return `${ready}/${total}`;
  }),
  column('Status', (pod) => summarize(pod).status),
  column('Restarts', (pod, now) => {
    const { restarts, lastRestart } = summarize(pod);
    return restarts > 0 && lastRestart !== '' ? `${restarts} (${ageOf(lastRestart, now)} ago)` : String(restarts);
  }),
  AGE,
  wide('IP', (pod) => textAt(listAt(pod, 'status', 'podIPs')[0] ?? {}, 'ip') || '<none>'),
  wide('Node', (pod) => textAt(pod, 'spec', 'nodeName') || '<none>'),
  wide('Nominated Node', (pod) => textAt(pod, 'status', 'nominatedNodeName') || '<none>'),
  wide('Readiness Gates', readinessGates),
];

function readinessGates(pod: KubeObject): string {
  const gates = listAt(pod, 'spec', 'readinessGates');
  const open = gates.filter((gate) => hasCondition(pod, textAt(gate, 'conditionType')));
  return gates.length === 0 ? '<none>' : `${open.length}/${gates.length}`;
}

/** True when the first condition of this type is True. */
function hasCondition(pod: KubeObject, type: string): boolean {
  const condition = listAt(pod, 'status', 'conditions').find((candidate) => candidate['type'] === type);
  return condition?.['status'] === 'True';
}

/** What the containers of a pod come to. */
interface Summary {
  readonly ready: number;
  readonly total: number;
  readonly status: string;
  readonly restarts: number;
  /** When a container last ended; '' when none did. */
  readonly lastRestart: string;
}

function summarize(pod: KubeObject): Summary {
  const init = summarizeInit(pod);
  const isInitialized = init.status === undefined || hasCondition(pod, 'Initialized');
  const main = isInitialized ? summarizeMain(pod, init.status ?? baseStatus(pod)) : undefined;
  const counted = main ? [...init.sidecars, ...main.containers] : init.visited;
  return {
    ready: init.ready + (main?.ready ?? 0),
    total: listAt(pod, 'spec', 'containers').length + listAt(pod, 'spec', 'initContainers').filter(isSidecar).length,
    status: terminatingStatus(pod) ?? main?.status ?? init.status!,
    restarts: counted.reduce((sum, container) => sum + numberAt(container, 'restartCount'), 0),
    lastRestart: counted.map(lastEnd).reduce((latest, end) => (end > latest ? end : latest), ''),
  };
}

function baseStatus(pod: KubeObject): string {
  const isGated = listAt(pod, 'status', 'conditions').some(
    ({ type, reason }) => type === 'PodScheduled' && reason === 'SchedulingGated',
  );
  return isGated ? 'SchedulingGated' : textAt(pod, 'status', 'reason') || textAt(pod, 'status', 'phase');
}

/** What a deletion makes of the status. */
function terminatingStatus(pod: KubeObject): string | undefined {
  if (!pod.metadata.deletionTimestamp) return undefined;
  if (textAt(pod, 'status', 'reason') === 'NodeLost') return 'Unknown';
  return ['Succeeded', 'Failed'].includes(textAt(pod, 'status', 'phase')) ? undefined : 'Terminating';
}

interface InitSummary {
  /** Sidecars that are up. */
  readonly ready: number;
  /** Why initialization is not over; undefined when it is. */
  readonly status: string | undefined;
  /** Up to the one that is not through. */
  readonly visited: readonly JsonObject[];
  readonly sidecars: readonly JsonObject[];
}

function summarizeInit(pod: KubeObject): InitSummary {
  const specs = listAt(pod, 'spec', 'initContainers');
  const sidecarNames = new Set(specs.filter(isSidecar).map(({ name }) => name));
  const isOfSidecar = ({ name }: JsonObject): boolean => sidecarNames.has(name);
  const visited: JsonObject[] = [];
  let ready = 0;
  let status: string | undefined;
  for (const [i, container] of listAt(pod, 'status', 'initContainerStatuses').entries()) {
    visited.push(container);
    if (isOver(container)) continue;
    if (isOfSidecar(container) && container['started'] === true) {
      if (container['ready'] === true) ready++;
      continue;
    }
    status = `Init:${initProblem(container) ?? `${i}/${specs.length}`}`;
    break;
  }
  return { ready, status, visited, sidecars: visited.filter(isOfSidecar) };
}

function initProblem(container: JsonObject): string | undefined {
  const terminated = memberOf(objectAt(container, 'state'), 'terminated');
  if (terminated) return endReason(objectAt(container, 'state', 'terminated'));
  const waiting = textAt(container, 'state', 'waiting', 'reason');
  return waiting === '' || waiting === 'PodInitializing' ? undefined : waiting;
}

interface MainSummary {
  readonly ready: number;
  readonly status: string;
  readonly containers: readonly JsonObject[];
}

/** The first container with a reason gives the status; a pod that has something running is not Completed. */
function summarizeMain(pod: KubeObject, initial: string): MainSummary {
  const containers = listAt(pod, 'status', 'containerStatuses');
  let status = initial;
  let errorStatus = '';
  let ready = 0;
  for (const container of containers.toReversed()) {
    const { terminated, running } = objectAt(container, 'state');
    const waiting = textAt(container, 'state', 'waiting', 'reason');
    if (waiting !== '') {
      status = waiting;
    } else if (terminated) {
      status = endReason(objectAt(container, 'state', 'terminated'));
      if (!isOver(container)) errorStatus = status;
    } else if (running && container['ready'] === true) {
      ready++;
    }
  }
  if (status === 'Completed') status = completedStatus(pod, ready > 0, errorStatus);
  return { ready, status, containers };
}

function completedStatus(pod: KubeObject, isRunning: boolean, errorStatus: string): string {
  if (isRunning && hasCondition(pod, 'Ready')) return 'Running';
  return errorStatus || (isRunning ? 'NotReady' : 'Completed');
}

const isSidecar = (container: JsonObject): boolean => container['restartPolicy'] === 'Always';

/** True for a container that ended well. */
function isOver(container: JsonObject): boolean {
  const terminated = memberOf(objectAt(container, 'state'), 'terminated');
  return Boolean(terminated) && numberAt(objectAt(container, 'state', 'terminated'), 'exitCode') === 0;
}

function endReason(terminated: JsonObject): string {
  const signal = numberAt(terminated, 'signal');
  const code = signal === 0 ? `ExitCode:${numberAt(terminated, 'exitCode')}` : `Signal:${signal}`;
  return textAt(terminated, 'reason') || code;
}

const lastEnd = (container: JsonObject): string => textAt(container, 'lastState', 'terminated', 'finishedAt');
