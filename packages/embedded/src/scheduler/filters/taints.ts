import { areTolerated } from '../model/toleration.ts';
import { type Filter, rejection } from './filter.ts';

const UNTOLERATED = rejection('node(s) had untolerated taint(s)', false);

/** Nodes with a NoSchedule or NoExecute taint take only pods that tolerate it. */
export const taintToleration: Filter = {
  name: 'TaintToleration',
  scope: 'node',
  helpedBy: ['node added', 'node changed'],
  prepare: ({ tolerations }) => ({
    kind: 'check',
    check: ({ taints }) => (areTolerated(taints, tolerations) ? undefined : UNTOLERATED),
  }),
};
