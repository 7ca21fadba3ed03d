import type { Filter } from '@aws-sdk/client-ec2';

/** The filters of EC2 for the tags of a selector term, by the names of the tags; `*` stands for any value (spec 08 §4). */
export function tagFilters(tags: Readonly<Record<string, string>> | undefined): Filter[] {
  const sorted = Object.entries(tags ?? {}).sort(([a], [b]) => (a < b ? -1 : 1));
  return sorted.map(([key, value]) =>
    value === '*' ? { Name: 'tag-key', Values: [key] } : { Name: `tag:${key}`, Values: [value] },
  );
}
