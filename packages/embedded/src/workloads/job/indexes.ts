import type { Job, Pod, PodSpec, PodTemplate } from '@karpenter-ts/kubernetes';

const INDEX = 'batch.kubernetes.io/job-completion-index';
const INDEX_VARIABLE = 'JOB_COMPLETION_INDEX';
const MAX_GENERATED_NAME = 58; // what the server leaves of a name to which it appends five characters

export function isIndexed({ spec }: Job): boolean {
  return spec.completionMode === 'Indexed';
}

/** The completion index of a pod of an indexed Job; undefined if it has none. */
export function indexOf({ spec }: Job, { metadata }: Pod): number | undefined {
  const text = metadata.annotations?.[INDEX] ?? '';
  return /^\d+$/.test(text) && Number(text) < (spec.completions ?? 0) ? Number(text) : undefined;
}

/** Parses what `formatIndexes` wrote, without indexes beyond the Job's completions. */
export function parseIndexes({ spec, status }: Job): ReadonlySet<number> {
  const indexes = new Set<number>();
  for (const part of (status?.completedIndexes ?? '').split(',')) {
    if (part === '') continue;
    const [first = 0, last = first] = part.split('-').map(Number);
    for (let index = first; index <= Math.min(last, (spec.completions ?? 0) - 1); index++) indexes.add(index);
  }
  return indexes;
}

/** Such as `0-2,5,7-9`. Two in a row are not a range. */
export function formatIndexes(indexes: ReadonlySet<number>): string {
  const ranges: [first: number, last: number][] = [];
  for (const index of [...indexes].toSorted((a, b) => a - b)) {
    const range = ranges.at(-1);
    if (range !== undefined && range[1] === index - 1) range[1] = index;
    else ranges.push([index, index]);
  }
  return ranges.map(formatRange).join(',');
}

function formatRange([first, last]: readonly [first: number, last: number]): string {
  if (first === last) return String(first);
  return last === first + 1 ? `${first},${last}` : `${first}-${last}`;
}

/** The lowest indexes without an active or succeeded pod. */
export function pendingIndexes({ spec }: Job, taken: ReadonlySet<number>, count: number): readonly number[] {
  const pending: number[] = [];
  for (let index = 0; index < (spec.completions ?? 0) && pending.length < count; index++) {
    if (!taken.has(index)) pending.push(index);
  }
  return pending;
}

/** The pod template for an index, which it gets as annotation, label, environment variable and hostname. */
export function templateForIndex(
  { metadata: { name } }: Job,
  template: PodTemplate,
  index: number,
): PodTemplate & { readonly generateName: string } {
  const suffix = `-${index}-`;
  const { metadata } = template;
  return {
    metadata: {
      ...metadata,
      labels: { ...metadata?.labels, [INDEX]: String(index) },
      annotations: { ...metadata?.annotations, [INDEX]: String(index) },
    },
    spec: { ...withVariable(template.spec), hostname: `${name}-${index}` },
    generateName: name.slice(0, MAX_GENERATED_NAME - suffix.length) + suffix,
  };
}

function withVariable(spec: PodSpec): PodSpec {
  const valueFrom = { fieldRef: { fieldPath: `metadata.labels['${INDEX}']` } };
  const add = (containers: PodSpec['containers']): PodSpec['containers'] =>
    containers?.map((container) =>
      container.env?.some(({ name }) => name === INDEX_VARIABLE)
        ? container
        : { ...container, env: [...(container.env ?? []), { name: INDEX_VARIABLE, valueFrom }] },
    );
  return {
    ...spec,
    containers: add(spec.containers),
    ...(spec.initContainers && { initContainers: add(spec.initContainers) }),
  };
}
