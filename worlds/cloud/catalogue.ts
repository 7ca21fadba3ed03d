import { fileURLToPath } from 'node:url';
import { type Catalogue, loadCatalogue } from '@karpenter-ts/provider-kwok';

const FILE = fileURLToPath(new URL('./instance-types.json', import.meta.url));

/** What can be bought in a world: three sizes, in three zones, spot and on demand. */
export const CATALOGUE: Catalogue = loadCatalogue({ instanceTypesFilePath: FILE, catalogue: 'kwok' });
