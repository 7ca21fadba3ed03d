import type { RepairPolicy } from '@karpenter-ts/cloudprovider';
import { MINUTE } from '@karpenter-ts/runtime';

/** Conditions that the EKS node monitoring agent sets, besides that of accelerators, which fail sooner for good. */
const AGENT_CONDITIONS = ['StorageReady', 'NetworkingReady', 'KernelReady', 'ContainerRuntimeReady'];

/** Which conditions of Nodes mean that an instance cannot recover, and after what time (spec 07 §21). */
export const REPAIR_POLICIES: readonly RepairPolicy[] = [
  { conditionType: 'Ready', conditionStatus: 'False', toleration: 30 * MINUTE },
  { conditionType: 'Ready', conditionStatus: 'Unknown', toleration: 30 * MINUTE },
  { conditionType: 'AcceleratedHardwareReady', conditionStatus: 'False', toleration: 10 * MINUTE },
  ...AGENT_CONDITIONS.map((conditionType): RepairPolicy => {
    return { conditionType, conditionStatus: 'False', toleration: 30 * MINUTE };
  }),
];
