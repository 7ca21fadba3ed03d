import { StructuredError } from '@karpenter-ts/runtime';

const FORMAT = /(.*):\/\/\/(.*)\/(.*)/;

/** The id of the instance that a provider id names. Throws if it names none. */
export function instanceIdOf(providerId: string): string {
  const id = findInstanceId(providerId);
  if (id === undefined) {
    throw new StructuredError('provider id does not match known format', { 'provider-id': providerId });
  }
  return id;
}

/** The id of the instance; undefined for the provider ids of other clouds, and before there is an instance. */
export function findInstanceId(providerId: string | undefined): string | undefined {
  return FORMAT.exec(providerId ?? '')?.[3];
}
