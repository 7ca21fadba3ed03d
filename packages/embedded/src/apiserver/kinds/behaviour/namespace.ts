import { qualifiedNameProblems } from '@karpenter-ts/kubernetes';
import { invalidValue, type Problem } from '../../field-errors.ts';
import { type KubeObject, objectAt, textAt } from '../../object.ts';
import { forbidden } from '../../status.ts';
import { dnsLabelProblems, finalizerNameProblems } from '../metadata.ts';
import type { KindRules } from './kind-rules.ts';

const FINALIZER = 'kubernetes';

/** A namespace is kept by a finalizer in its spec until a controller has deleted its content. */
export const NAMESPACE: KindRules = {
  traits: { returnsDeleted: true, bareDeletion: true },
  nameProblems: dnsLabelProblems,
  selectable: ['status.phase'],
  initialStatus: () => ({ phase: 'Active' }),
  prepareCreate: (namespace) => withFinalizers(namespace, [...new Set([...specFinalizers(namespace), FINALIZER])]),
  prepareUpdate: (namespace, old) => ({ ...namespace, spec: old['spec'] ?? {} }),
  validate: finalizerProblems,
  validateStatus: phaseProblems,
  prepareDelete: terminate,
  isHeld: (namespace) => specFinalizers(namespace).length > 0,
};

function finalizerProblems(namespace: KubeObject): readonly Problem[] {
  return specFinalizers(namespace).flatMap((name) =>
    [...qualifiedNameProblems(name), ...finalizerNameProblems(name)].map((problem) =>
      invalidValue(['spec', 'finalizers'], name, problem),
    ),
  );
}

function phaseProblems(namespace: KubeObject): readonly Problem[] {
  const phase = textAt(namespace, 'status', 'phase');
  const isEnding = Boolean(namespace.metadata.deletionTimestamp);
  if (phase === (isEnding ? 'Terminating' : 'Active')) return [];
  const why = isEnding
    ? "may only be 'Terminating' if `deletionTimestamp` is not empty"
    : "may only be 'Active' if `deletionTimestamp` is empty";
  return [invalidValue(['status', 'Phase'], phase, why)];
}

/** These namespaces cannot be deleted. */
const IMMORTAL: ReadonlySet<string> = new Set(['default', 'kube-system', 'kube-public']);

function terminate(namespace: KubeObject): KubeObject {
  const { name } = namespace.metadata;
  if (IMMORTAL.has(name))
    throw forbidden({ group: '', plural: 'namespaces' }, name, 'this namespace may not be deleted');
  return { ...namespace, status: { ...objectAt(namespace, 'status'), phase: 'Terminating' } };
}

/** What holds a namespace back, beside the finalizers that every object may have. */
export function specFinalizers(namespace: KubeObject): readonly string[] {
  return (objectAt(namespace, 'spec')['finalizers'] ?? []) as readonly string[];
}

/** The namespace held back by these, or by nothing. */
export function withFinalizers(namespace: KubeObject, finalizers: readonly string[]): KubeObject {
  return { ...namespace, spec: finalizers.length > 0 ? { finalizers } : {} };
}
