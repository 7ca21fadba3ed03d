// One workload in a process of its own: planning-process.ts speed|memory INDEX SEED
import { measureMemory, measureSpeed } from './measurement.ts';
import { WORKLOADS } from './workloads.ts';

const [what, index, seed] = process.argv.slice(2);
const workload = WORKLOADS[Number(index)]!;
process.send?.(what === 'memory' ? measureMemory(workload, Number(seed)) : measureSpeed(workload, Number(seed)));
process.disconnect();
