import type { ContractCase } from '../contract-case.ts';
import { createCases } from './create.ts';
import { customCases } from './custom.ts';
import { deleteCases } from './delete.ts';
import { discoveryCases } from './discovery.ts';
import { evictionCases } from './eviction.ts';
import { namespaceCases } from './namespaces.ts';
import { patchCases } from './patch.ts';
import { podCases } from './pods.ts';
import { readCases } from './read.ts';
import { subresourceCases } from './subresources.ts';
import { updateCases } from './update.ts';
import { watchCases } from './watch.ts';

/** What an API server does, request by request. */
export const apiCases: readonly ContractCase[] = [
  ...createCases,
  ...readCases,
  ...watchCases,
  ...updateCases,
  ...patchCases,
  ...deleteCases,
  ...subresourceCases,
  ...evictionCases,
  ...podCases,
  ...namespaceCases,
  ...customCases,
  ...discoveryCases,
];
