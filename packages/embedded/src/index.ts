// A cluster in one process: for `karpenter up`, tests and simulations. What is not here is private. The contract that
// it keeps with a real one is the package embedded-contract.
export { type Random, xorshift32 } from './apiserver/identity.ts';
export { ApiServer, type ApiServerOptions } from './apiserver/server.ts';
export { type Cluster, type ClusterAccess, type ClusterOptions, startCluster } from './cluster.ts';
export type { Fault, Faults } from './kubelet/faults.ts';
export type { KubeletSettings } from './kubelet/settings.ts';
export { type SimulatedNode, simulatedNode } from './simulated-node.ts';
