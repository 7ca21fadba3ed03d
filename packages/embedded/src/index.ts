// A cluster in one process: for `karpenter up`, tests and simulations. What is not here is private; the contract that it
// keeps with a real one is its own entry (./contract).
export { ApiServer, type ApiServerOptions } from './apiserver/server.ts';
export { type Cluster, type ClusterAccess, type ClusterOptions, startCluster } from './cluster.ts';
export type { Fault, Faults } from './kubelet/faults.ts';
export type { KubeletSettings } from './kubelet/settings.ts';
export { type SimulatedNode, simulatedNode } from './simulated-node.ts';
