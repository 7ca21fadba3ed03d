import { forbiddenField, invalidValue, type Problem } from '../../field-errors.ts';
import { isSameJson } from '../../json-value.ts';
import type { KubeObject } from '../../object.ts';
import type { KindRules } from './kind-rules.ts';

/** Once declared immutable, neither the data nor that declaration changes. */
function sealedProblems(object: KubeObject, old: KubeObject): readonly Problem[] {
  if (old['immutable'] !== true) return [];
  const why = 'field is immutable when `immutable` is set';
  const changed = ['data', 'binaryData'].filter((field) => !isSameJson(object[field], old[field]));
  const opened = object['immutable'] === true ? [] : ['immutable'];
  return [...opened, ...changed].map((field) => forbiddenField([field], why));
}

export const CONFIG_MAP: KindRules = { validateUpdate: sealedProblems };

export const SECRET: KindRules = {
  selectable: ['type'],
  validateUpdate: (secret, old) => [
    ...(secret['type'] === old['type'] ? [] : [invalidValue(['type'], secret['type'] ?? '', 'field is immutable')]),
    ...sealedProblems(secret, old),
  ],
};
