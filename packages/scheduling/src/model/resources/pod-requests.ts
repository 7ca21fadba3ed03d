import {
  addAmounts,
  type AmountReader,
  type Amounts,
  type Container,
  type ContainerStatus,
  largestAmounts,
  NO_AMOUNTS,
  type Pod,
} from '@karpenter-ts/kubernetes';

/** One pod, as every pod asks for it. Printed the way upstream does: a thousand would be `1e3`. */
const ONE_POD: Amounts = new Map([['pods', { nanos: 1_000_000_000n, format: 'DecimalExponent' }]]);

/**
 * What the scheduler sets aside for a pod (spec 02 §11): containers and sidecars together, or more while an init
 * container runs; pod-level requests instead where given; the runtime's overhead; one of `pods`.
 */
export function podRequests(pod: Pod, reader: AmountReader): Amounts {
  const requests = mostAtOnce(pod, (container, staysOn) =>
    staysOn ? effective(pod, container, reader) : reader.read(container.resources?.requests),
  );
  const whole = withPodLevel(requests, reader.read(pod.spec.resources?.requests));
  return withOnePod(addAmounts(whole, reader.read(pod.spec.overhead)));
}

/** What a pod may use at most, reckoned as its requests are; overhead comes on top of what is limited at all. */
export function podLimits(pod: Pod, reader: AmountReader): Amounts {
  const limits = mostAtOnce(pod, ({ resources }) => reader.read(resources?.limits));
  const whole = withPodLevel(limits, reader.read(pod.spec.resources?.limits));
  const isLimited = (name: string): boolean => (whole.get(name)?.nanos ?? 0n) !== 0n;
  const overhead = [...reader.read(pod.spec.overhead)].filter(([name]) => isLimited(name));
  return withOnePod(addAmounts(whole, new Map(overhead)));
}

/** What the containers of a pod come to when it is most. Those that stay on are all but plain init containers. */
function mostAtOnce(pod: Pod, amountsOf: (container: Container, staysOn: boolean) => Amounts): Amounts {
  let running = addAmounts(...(pod.spec.containers ?? []).map((container) => amountsOf(container, true)));
  let sidecars = NO_AMOUNTS;
  let initial = NO_AMOUNTS;
  for (const container of pod.spec.initContainers ?? []) {
    if (isSidecar(container)) {
      const own = amountsOf(container, true);
      running = addAmounts(running, own);
      sidecars = addAmounts(sidecars, own);
      initial = largestAmounts(initial, sidecars);
    } else {
      initial = largestAmounts(initial, addAmounts(amountsOf(container, false), sidecars));
    }
  }
  return largestAmounts(running, initial);
}

/** What several pods ask for together; nothing, not even pods, for none. */
export function sumRequests(requests: readonly Amounts[]): Amounts {
  return requests.length === 0 ? NO_AMOUNTS : addAmounts(...requests);
}

/** A pod cannot ask for `pods` itself: it counts as one, whatever its containers say. */
function withOnePod(requests: Amounts): Amounts {
  return new Map([...requests, ...ONE_POD]);
}

function isSidecar(container: Container): boolean {
  return container.restartPolicy === 'Always';
}

/** While a container is resized in place, the most of what it asks for and what the kubelet holds for it. */
function effective(pod: Pod, container: Container, reader: AmountReader): Amounts {
  const asked = reader.read(container.resources?.requests);
  const status = findStatus(pod, container);
  if (status?.resources === undefined) return asked;
  const held = largestAmounts(reader.read(status.resources.requests), reader.read(status.allocatedResources));
  return isResizeInfeasible(pod) ? held : largestAmounts(asked, held);
}

function findStatus({ status }: Pod, { name }: Container): ContainerStatus | undefined {
  const find = (statuses: readonly ContainerStatus[] | undefined) => statuses?.find((one) => one.name === name);
  return find(status?.initContainerStatuses) ?? find(status?.containerStatuses);
}

function isResizeInfeasible({ status }: Pod): boolean {
  return status?.conditions?.find(({ type }) => type === 'PodResizePending')?.reason === 'Infeasible';
}

function withPodLevel(requests: Amounts, podLevel: Amounts): Amounts {
  const supported = [...podLevel].filter(
    ([name]) => name === 'cpu' || name === 'memory' || name.startsWith('hugepages-'),
  );
  return supported.length === 0 ? requests : new Map([...requests, ...supported]);
}
