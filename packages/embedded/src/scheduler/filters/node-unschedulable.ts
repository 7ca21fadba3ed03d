import { isTolerated } from '../model/toleration.ts';
import { type Filter, NOTHING_TO_CHECK, rejection } from './filter.ts';

const UNSCHEDULABLE = rejection('node(s) were unschedulable', false);
const CORDON = { key: 'node.kubernetes.io/unschedulable', effect: 'NoSchedule' };

/** Cordoned nodes take only pods that tolerate the taint which comes with it. */
export const nodeUnschedulable: Filter = {
  name: 'NodeUnschedulable',
  scope: 'node',
  helpedBy: ['node added', 'node changed'],
  prepare: ({ tolerations }) =>
    isTolerated(CORDON, tolerations)
      ? NOTHING_TO_CHECK
      : { kind: 'check', check: (node) => (node.isUnschedulable ? UNSCHEDULABLE : undefined) },
};
