// What NodeClaims and the template of a NodePool have in common.
import {
  defaulted,
  type Infer,
  integer,
  list,
  object,
  oneOf,
  required,
  type Schema,
  string,
} from '../../schema/schema.ts';
import type { ValidationRule } from '@karpenter-ts/kubernetes';
import { DURATION, DURATION_OR_NEVER, LABEL_VALUE, QUALIFIED_NAME } from '../patterns.ts';

const taint = object('Keeps pods off the node unless they tolerate it.', {
  effect: required(
    oneOf('What happens to pods that do not tolerate it.', ['NoSchedule', 'PreferNoSchedule', 'NoExecute']),
  ),
  key: required(string('The key of the taint.', { minLength: 1, pattern: QUALIFIED_NAME })),
  timeAdded: string('When the taint was added.', { format: 'date-time' }),
  value: string('The value of the taint.', { pattern: QUALIFIED_NAME }),
});

export type Taint = Infer<typeof taint>;

const OPERATORS = ['Gte', 'Lte', 'In', 'NotIn', 'Exists', 'DoesNotExist', 'Gt', 'Lt'] as const;

const operator = oneOf('How the key relates to the values.', OPERATORS);

export type RequirementOperator = Infer<typeof operator>;

/** Upstream's bounds for one value stand on the array, where OpenAPI ignores them; the runtime check enforces them. */
const values = list(
  'Values to compare with: one or more for In and NotIn, one integer for Gt, Lt, Gte and Lte, none for the others.',
  string('One label value.'),
  { listType: 'atomic', misplaced: { maxLength: 63, pattern: LABEL_VALUE } },
);

const key = (rules: readonly ValidationRule[]): Schema<string> =>
  string('The label key the requirement is about.', { maxLength: 316, pattern: QUALIFIED_NAME, rules });

const plainRequirement = (rules: readonly ValidationRule[]) =>
  object('A condition on one label.', { key: required(key(rules)), operator: required(operator), values });

const requirement = (rules: readonly ValidationRule[]) =>
  object('A condition on one label, with an optional demand for variety.', {
    key: required(key(rules)),
    minValues: integer('Alpha. At least so many different values must stay possible.', { minimum: 1, maximum: 50 }),
    operator: required(operator),
    values,
  });

export type NodeRequirement = Infer<ReturnType<typeof requirement>>;

const IN_NEEDS_VALUES: ValidationRule = {
  message: "requirements with operator 'In' must have a value defined",
  rule: "self.all(x, x.operator == 'In' ? x.values.size() != 0 : true)",
};

const BOUND_TEST =
  "self.all(x, (x.operator == 'Gt' || x.operator == 'Lt' || x.operator == 'Gte' || x.operator == 'Lte') ? (x.values.size() == 1 && int(x.values[0]) >= 0) : true)";

export function requirements(keyRules: readonly ValidationRule[]): Schema<readonly NodeRequirement[]> {
  return list('Conditions on the labels of the nodes; all must hold.', requirement(keyRules), {
    listType: 'atomic',
    maxItems: 100,
    rules: [
      IN_NEEDS_VALUES,
      {
        message: "requirements operator 'Gt', 'Lt', 'Gte', or 'Lte' must have a single positive integer value",
        rule: BOUND_TEST,
      },
      {
        message: "requirements with 'minValues' must have at least that many values specified in the 'values' field",
        rule: "self.all(x, (x.operator == 'In' && has(x.minValues)) ? x.values.size() >= x.minValues : true)",
      },
    ],
  });
}

/** Those of a NodeOverlay: no minValues, values needed for NotIn too, and one comma less in a message. */
export function overlayRequirements(keyRules: readonly ValidationRule[]) {
  return list('Conditions on the labels of instance types; all must hold.', plainRequirement(keyRules), {
    listType: 'atomic',
    maxItems: 100,
    rules: [
      {
        message: "requirements with operator 'NotIn' must have a value defined",
        rule: "self.all(x, x.operator == 'NotIn' ? x.values.size() != 0 : true)",
      },
      IN_NEEDS_VALUES,
      {
        message: "requirements operator 'Gt', 'Lt', 'Gte' or 'Lte' must have a single positive integer value",
        rule: BOUND_TEST,
      },
    ],
  });
}

const nonEmpty = (field: string): readonly ValidationRule[] => [
  { message: `${field} may not be empty`, rule: "self != ''" },
];

export function nodeClassRef(rules?: readonly ValidationRule[]) {
  return object(
    'The node class that says how instances are made.',
    {
      group: required(string('API group of the node class.', { pattern: '^[^/]*$', rules: nonEmpty('group') })),
      kind: required(string('Kind of the node class.', { rules: nonEmpty('kind') })),
      name: required(string('Name of the node class.', { rules: nonEmpty('name') })),
    },
    rules,
  );
}

export type NodeClassRef = Infer<ReturnType<typeof nodeClassRef>>;

export const nodeSettings = {
  expireAfter: defaulted(
    string('How long a node lives before it is replaced; Never turns that off.', { pattern: DURATION_OR_NEVER }),
    '720h',
  ),
  startupTaints: list(
    'Taints a node starts with and something else removes; they do not keep pods from being planned.',
    taint,
    {
      listType: 'atomic',
    },
  ),
  taints: list('Taints the node keeps.', taint, { listType: 'atomic' }),
  terminationGracePeriod: string(
    'The longest a node may take to drain, counted from its deletion. Pods still there are then deleted, whatever their budgets or annotations say. Without it, draining may wait for ever.',
    { pattern: DURATION },
  ),
};
