import type { Tag } from '@aws-sdk/client-iam';
import { ApiError } from '../../wire/api-error.ts';

const NAME = /^[\w+=,.@-]+$/;
const PATH = /^(\/|\/[\u0021-\u007e]+\/)$/;
const LONGEST_PATH = 512;
const MOST_TAGS = 50;

export function checkName(name: string, member: string, longest: number): void {
  if (NAME.test(name) && name.length <= longest) return;
  const rule = NAME.test(name)
    ? `Member must have length less than or equal to ${longest}`
    : 'Member must satisfy regular expression pattern: [\\w+=,.@-]+';
  throw invalid(`1 validation error detected: Value '${name}' at '${member}' failed to satisfy constraint: ${rule}`);
}

export function checkPath(path: string): void {
  if (!PATH.test(path) || path.length > LONGEST_PATH) {
    throw invalid(
      'The specified value for path is invalid. It must begin and end with / and contain only alphanumeric characters and/or / characters.',
    );
  }
}

export function checkTags(tags: readonly Tag[]): void {
  const keys = new Set(tags.map(({ Key = '' }) => Key.toLowerCase()));
  if (keys.size < tags.length) {
    throw new ApiError('InvalidInput', 'Duplicate tag keys found. Please note that Tag keys are case insensitive.');
  }
  if (tags.length > MOST_TAGS) throw limitExceeded('TagsPerInstanceProfile', MOST_TAGS);
  for (const { Key = '', Value = '' } of tags) {
    if (Key.length === 0 || Key.length > 128)
      throw invalid(`Value '${Key}' at 'tags' failed to satisfy constraint: the key has 1 to 128 characters`);
    if (Value.length > 256)
      throw invalid(`Value '${Value}' at 'tags' failed to satisfy constraint: the value has at most 256 characters`);
    if (Key.toLowerCase().startsWith('aws:')) {
      throw new ApiError('InvalidInput', 'aws: prefixed tag key names are not allowed for external use.');
    }
  }
}

export function checkTrustPolicy(document: string): void {
  try {
    const policy: unknown = JSON.parse(document);
    if (typeof policy === 'object' && policy !== null && 'Statement' in policy) return;
  } catch {
    // said below
  }
  throw new ApiError('MalformedPolicyDocument', 'This policy contains invalid Json');
}

export function noSuchRole(name: string): ApiError {
  return new ApiError('NoSuchEntity', `The role with name ${name} cannot be found.`, { status: 404 });
}

export function noSuchProfile(name: string): ApiError {
  return new ApiError('NoSuchEntity', `Instance Profile ${name} cannot be found.`, { status: 404 });
}

export function alreadyExists(what: string): ApiError {
  return new ApiError('EntityAlreadyExists', `${what} already exists.`, { status: 409 });
}

export function deleteConflict(): ApiError {
  const message = 'Cannot delete entity, must remove roles from instance profile first.';
  return new ApiError('DeleteConflict', message, { status: 409 });
}

export function limitExceeded(quota: string, most: number): ApiError {
  return new ApiError('LimitExceeded', `Cannot exceed quota for ${quota}: ${most}`, { status: 409 });
}

function invalid(message: string): ApiError {
  return new ApiError('ValidationError', message);
}
