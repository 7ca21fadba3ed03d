import { DurationError, parseDuration } from '@karpenter-ts/kubernetes';
import { fnv1 } from './fnv1.ts';
import { int64As, list, map, object, pointer, type Shape, text, value, wrapped } from './structure.ts';

/** An invalid duration counts as 0: validation refuses the object, and hashing must not stop its controller. */
const nanos = int64As((written) => {
  try {
    return parseDuration(written as string);
  } catch (error) {
    if (error instanceof DurationError) return 0n;
    throw error;
  }
});

/** Go's `metav1.Duration`: `0s` is its zero, so it then hashes to its bare type name. */
export const duration: Shape = wrapped('Duration', (inner) => value('Duration', inner, nanos));

/** `Never` is no duration at all and counts as absent; `0s` is one. */
const nillableDuration = object('NillableDuration', [pointer('Duration', 'duration', nanos)]);
const expireAfter: Shape = {
  hash: (written) => nillableDuration.hash({ duration: written }),
  isZero: (written) => written === 'Never',
};

/**
 * Go's binary form of an instant: version, seconds since the year 1, nanoseconds, zone offset in minutes. The offset is
 * that of the controller's own zone; containers run in UTC, where it is 0.
 */
const time: Shape = {
  hash: (written) => {
    const [, fraction = ''] = /\.(\d+)/.exec(written as string) ?? [];
    const seconds = Math.floor((Date.parse(written as string) || 0) / 1000);
    const bytes = new DataView(new ArrayBuffer(15));
    bytes.setUint8(0, 1);
    bytes.setBigInt64(1, BigInt(seconds) + SECONDS_UNTIL_1970);
    bytes.setUint32(9, Number(fraction.slice(0, 9).padEnd(9, '0')));
    return fnv1(new Uint8Array(bytes.buffer));
  },
  isZero: () => false,
};
const SECONDS_UNTIL_1970 = 62_135_596_800n; // from 0001-01-01

const taint = object('Taint', [
  value('Key', 'key', text),
  value('Value', 'value', text),
  value('Effect', 'effect', text),
  pointer(
    'TimeAdded',
    'timeAdded',
    wrapped('Time', (inner) => value('Time', inner, time)),
  ),
]);

/** `spec.template` of a NodePool as version v3 hashes it: requirements are compared with the Node instead. */
export const nodeClaimTemplate = object('NodeClaimTemplate', [
  value(
    'ObjectMeta',
    'metadata',
    object('ObjectMeta', [pointer('Labels', 'labels', map(text)), pointer('Annotations', 'annotations', map(text))]),
  ),
  value(
    'Spec',
    'spec',
    object('NodeClaimTemplateSpec', [
      pointer('Taints', 'taints', list(taint)),
      pointer('StartupTaints', 'startupTaints', list(taint)),
      pointer(
        'NodeClassRef',
        'nodeClassRef',
        object('NodeClassReference', [
          value('Kind', 'kind', text),
          value('Name', 'name', text),
          value('Group', 'group', text),
        ]),
      ),
      pointer('TerminationGracePeriod', 'terminationGracePeriod', duration),
      value('ExpireAfter', 'expireAfter', expireAfter),
    ]),
  ),
]);
