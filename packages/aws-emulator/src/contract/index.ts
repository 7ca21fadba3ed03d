// What we rely on of AWS, to be run against anything that claims to be it.
export type { ContractCase, ContractContext } from './contract-case.ts';
export { type ContractClients, contractClients, CONTRACT_REGION } from './clients.ts';
export { CONTRACT } from './contract.ts';
export { type ContractTarget, runContract } from './contract-run.ts';
