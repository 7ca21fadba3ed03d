// The KWOK provider. What is not here is private.
export { type Catalogue, loadCatalogue } from './catalogue/catalogue.ts';
export { CatalogueError } from './catalogue/catalogue-file.ts';
export { type KwokDeps, KwokProvider } from './kwok-provider.ts';
export { kwokModule } from './module.ts';
export { apiReader, cacheReader, type KwokCaches, type KwokReader } from './reader.ts';
export { KWOK_NODE_CLASSES } from './resource-types.ts';
export { type SweepDeps, sweepController } from './sweep.ts';
