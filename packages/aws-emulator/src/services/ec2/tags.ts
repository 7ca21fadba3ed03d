import type { Tag, TagSpecification } from '@aws-sdk/client-ec2';
import { ApiError } from '../../wire/api-error.ts';
import { invalidValue } from './refusals.ts';

export type Tags = Map<string, string>;

const MOST_TAGS = 50;
const LONGEST_KEY = 128;
const LONGEST_VALUE = 256;

/** As an answer has them. */
export function tagSet(tags: ReadonlyMap<string, string>): Tag[] {
  return [...tags].map(([Key, Value]) => ({ Key, Value }));
}

/** The tags that a request gives to one kind of resource. Throws an ApiError for tags that EC2 does not take. */
export function specifiedTags(specifications: readonly TagSpecification[] | undefined, resourceType: string): Tags {
  const tags: Tags = new Map();
  for (const { ResourceType, Tags: given } of specifications ?? []) {
    if (ResourceType === resourceType) addTags(tags, given ?? []);
  }
  return tags;
}

/** Adds tags to those of a resource, or replaces their values. Changes nothing if EC2 would not take all of them. */
export function addTags(tags: Tags, given: readonly Tag[]): void {
  const seen = new Set<string>();
  for (const { Key = '', Value = '' } of given) {
    if (seen.has(Key)) throw invalidValue(`Duplicate tag key '${Key}' specified.`);
    seen.add(Key);
    checkTag(Key, Value);
  }
  const own = [...new Set([...tags.keys(), ...seen])].filter((key) => !key.startsWith('aws:'));
  if (own.length > MOST_TAGS) {
    throw new ApiError('TagLimitExceeded', 'The maximum number of Tags for a resource has been reached.');
  }
  for (const { Key = '', Value = '' } of given) tags.set(Key, Value);
}

function checkTag(key: string, value: string): void {
  if (key.toLowerCase().startsWith('aws:')) {
    throw invalidValue(`Tag keys starting with 'aws:' are reserved for internal use`);
  }
  if (key === '' || key.length > LONGEST_KEY) {
    throw invalidValue(`Tag key '${key}' is not valid: it must have 1 to ${LONGEST_KEY} characters`);
  }
  if (value.length > LONGEST_VALUE) {
    throw invalidValue(`Tag value of the key '${key}' exceeds the maximum length of ${LONGEST_VALUE} characters`);
  }
}

/** Removes tags: of a tag with a value only if the value is the same. */
export function removeTags(tags: Tags, given: readonly Tag[] | undefined): void {
  const keys = given ?? [...tags.keys()].filter((key) => !key.startsWith('aws:')).map((Key): Tag => ({ Key }));
  for (const { Key = '', Value } of keys) {
    if (Value === undefined || tags.get(Key) === Value) tags.delete(Key);
  }
}
