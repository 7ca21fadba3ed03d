import { type Infer, integer, list, object, oneOf, required, type Schema, string } from '../schema/schema.ts';
import { CONDITION_TYPE } from './patterns.ts';

const type = string('What the condition is about, in CamelCase or as domain/CamelCase.', {
  maxLength: 316,
  pattern: CONDITION_TYPE,
});
const status = oneOf('True, False or Unknown.', ['True', 'False', 'Unknown']);
const lastTransitionTime = string('When the status last changed.', { format: 'date-time' });
const message = string('Details for people; may be empty.', { maxLength: 32768 });
const observedGeneration = integer('The generation of the object this condition was computed from.', {
  format: 'int64',
  minimum: 0,
});

const condition = object('One signal about the state of the object.', {
  lastTransitionTime: required(lastTransitionTime),
  message: required(message),
  observedGeneration,
  reason: required(
    string('A CamelCase word for programs that says why the status is what it is.', {
      maxLength: 1024,
      minLength: 1,
      pattern: '^[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?$',
    }),
  ),
  status: required(status),
  type: required(type),
});

/** NodeClaims written by old releases carry conditions without reason or message; they must stay readable. */
const laxCondition = object('One signal about the state of the object.', {
  lastTransitionTime: required(lastTransitionTime),
  message,
  observedGeneration,
  reason: string('A CamelCase word for programs that says why the status is what it is; may be empty.', {
    maxLength: 1024,
    pattern: '^([A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?|)$',
  }),
  status: required(status),
  type: required(type),
});

const DESCRIPTION = 'Signals of health and readiness.';

export const conditions = list(DESCRIPTION, condition, { mapKeys: ['type'] });

export const laxConditions = list(DESCRIPTION, laxCondition, { mapKeys: ['type'] });

/** The node classes keep theirs as a plain list, as upstream does. */
export const unkeyedConditions: Schema<readonly Infer<typeof condition>[]> = list(DESCRIPTION, condition);
