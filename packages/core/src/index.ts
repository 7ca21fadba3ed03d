// The cluster model, the controllers, and the process made of them. What is not here is private.
export { type CacheDeps, type Caches, createCaches, type InformerCaches, listCaches } from './state/caches.ts';
export type { ControllerDeps } from './state/controller-deps.ts';
export { createOperator, type Operator, type OperatorSettings } from './operator/operator.ts';
export { refuseUnbuiltSettings } from './operator/unbuilt-settings.ts';
export { coreOptions } from './options/core-options.ts';
export { type ExtensionOptions, extensionOptions } from './options/extension-options.ts';
export { operatorOptions } from './options/operator-options.ts';
