import { CustomStrategy } from '../custom/custom-strategy.ts';
import type { Strategy } from '../strategy.ts';

/** The places that are not named after their resource. */
const PLACES: Readonly<Record<string, string>> = {
  nodes: 'minions',
  services: 'services/specs',
  endpoints: 'services/endpoints',
  customresourcedefinitions: 'apiextensions.k8s.io/customresourcedefinitions',
};

/** Where the real server keeps an object in its database, which it tells in some refusals. */
export function registryKey(strategy: Strategy, key: string): string {
  const { group, plural } = strategy.resource;
  const place = strategy instanceof CustomStrategy ? `${group}/${plural}` : (PLACES[plural] ?? plural);
  return `/registry/${place}/${key}`;
}
