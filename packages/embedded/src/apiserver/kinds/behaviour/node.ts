import { duplicate, forbiddenField, type Problem } from '../../field-errors.ts';
import { isSameJson } from '../../json-value.ts';
import { type KubeObject, listAt, objectAt, textAt } from '../../object.ts';
import { amountProblems } from '../rules/pod-rules.ts';
import { taintProblems } from '../rules/scheduling-rules.ts';
import type { KindRules } from './kind-rules.ts';

const NOT_READY = { effect: 'NoSchedule', key: 'node.kubernetes.io/not-ready' };

/** A node is created with its status, and tainted not-ready until it is found ready. */
export const NODE: KindRules = {
  selectable: ['spec.unschedulable'],
  initialStatus: 'sent',
  admit: (node, old) => (old ? node : withNotReadyTaint(node)),
  validate: (node) => [...taintProblems(listAt(node, 'spec', 'taints')), ...resourceProblems(node)],
  validateStatus: statusProblems,
  validateUpdate,
};

function withNotReadyTaint(node: KubeObject): KubeObject {
  const spec = objectAt(node, 'spec');
  const taints = listAt(spec, 'taints');
  const isThere = taints.some(({ key, effect }) => key === NOT_READY.key && effect === NOT_READY.effect);
  return isThere ? node : { ...node, spec: { ...spec, taints: [...taints, NOT_READY] } };
}

function resourceProblems(node: KubeObject): readonly Problem[] {
  return ['capacity', 'allocatable'].flatMap((field) =>
    Object.entries(objectAt(node, 'status', field)).flatMap(([name, amount]) =>
      amountProblems(name, amount as string, ['status', field, name]),
    ),
  );
}

function statusProblems(node: KubeObject): readonly Problem[] {
  const addresses = listAt(node, 'status', 'addresses');
  const texts = addresses.map((address) => JSON.stringify([address['type'], address['address']]));
  return [
    ...resourceProblems(node),
    ...addresses.flatMap((address, index) =>
      texts.indexOf(texts[index]!) < index ? [duplicate(['status', 'addresses', index], address)] : [],
    ),
  ];
}

function validateUpdate(node: KubeObject, old: KubeObject): readonly Problem[] {
  const problems: Problem[] = [];
  const change = (what: string) => `node updates may not change ${what} except from "" to valid`;
  const { podCIDRs: before } = objectAt(old, 'spec');
  if (before !== undefined && !isSameJson(before, objectAt(node, 'spec')['podCIDRs'])) {
    problems.push(forbiddenField(['spec', 'podCIDRs'], change('podCIDR')));
  }
  const provider = textAt(old, 'spec', 'providerID');
  if (provider !== '' && provider !== textAt(node, 'spec', 'providerID')) {
    problems.push(forbiddenField(['spec', 'providerID'], change('providerID')));
  }
  return problems;
}
