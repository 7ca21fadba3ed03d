import { type FoundProgram, findUpstreamProgram, type UpstreamProgram } from '../upstream-program.ts';
import type { Cluster } from './cluster.ts';

/** What our program over upstream's packages has measured: bench/upstream/consolidation. */
export interface UpstreamScan {
  readonly candidates: number;
  /** How many of the candidates were simulated; the time of the others is estimated from them. */
  readonly simulations: number;
  readonly candidateSeconds: number;
  readonly scanSeconds: number;
  /** Of the simulations: all pods fit on other nodes, or need one new node. */
  readonly removable: number;
  readonly replaceable: number;
}

/** Runs upstream's what-if for the candidates of a cluster until all are done or so many seconds have passed. */
export type UpstreamScanner = UpstreamProgram<Cluster, UpstreamScan>;

export function findUpstreamScanner(): Promise<FoundProgram<Cluster, UpstreamScan>> {
  return findUpstreamProgram('consolidation');
}
