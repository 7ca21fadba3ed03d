import type { QueueSettings } from './queue.ts';
import { checkRange, refusal } from './sqs-errors.ts';

const RULES: Readonly<Record<keyof QueueSettings, readonly [usual: number, least: number, most: number]>> = {
  VisibilityTimeout: [30, 0, 43_200],
  MessageRetentionPeriod: [345_600, 60, 1_209_600],
  ReceiveMessageWaitTimeSeconds: [0, 0, 20],
  DelaySeconds: [0, 0, 900],
};

/** Taken and without effect here: permissions, encryption, the size of messages. */
const WITHOUT_EFFECT: ReadonlySet<string> = new Set([
  'KmsDataKeyReusePeriodSeconds',
  'KmsMasterKeyId',
  'MaximumMessageSize',
  'Policy',
  'SqsManagedSseEnabled',
]);

/** Reads the attributes of CreateQueue. Throws an ApiError for those that SQS would not take. */
export function queueSettings(attributes: Readonly<Partial<Record<string, string>>>): QueueSettings {
  const settings: Record<string, number> = {};
  for (const [name, [usual]] of Object.entries(RULES)) settings[name] = usual;
  for (const [name, text] of Object.entries(attributes)) {
    if (WITHOUT_EFFECT.has(name)) continue;
    if (!Object.hasOwn(RULES, name)) throw refusal('InvalidAttributeName', `Unknown Attribute ${name}.`);
    const [, least, most] = RULES[name as keyof QueueSettings];
    const value = Number(text);
    if (!Number.isInteger(value)) throw refusal('InvalidAttributeValue', `Invalid value for the parameter ${name}.`);
    checkRange(name, value, least, most);
    settings[name] = value;
  }
  return settings as unknown as QueueSettings;
}
