import { isMap, parseAllDocuments } from 'yaml';
import { readMime } from './mime-reader.ts';
import { looksLikeMime, type MimePart, NODE_CONFIG, SHELL_SCRIPT, toBytes, writeMime } from './mime.ts';
import { nodeConfigYaml } from './node-config.ts';
import type { UserDataInput } from './user-data-input.ts';

/**
 * A MIME archive: what the user brings, then our NodeConfig (spec 08 §16.4). The last value counts in nodeadm, so ours
 * prevail.
 */
export function al2023UserData(input: UserDataInput): string {
  const nodeConfig = naming('generating NodeConfig', () => nodeConfigYaml(input));
  const custom = naming('parsing custom UserData', () => customParts(input.custom));
  return writeMime([...custom, part(NODE_CONFIG, toBytes(nodeConfig))]);
}

function naming<T>(step: string, work: () => T): T {
  try {
    return work();
  } catch (cause) {
    throw new Error(`${step}, ${(cause as Error).message}`, { cause });
  }
}

/** The parts of the user, of whose headers only the type is kept. */
function customParts(custom: string | undefined): readonly MimePart[] {
  if (!custom) return [];
  if (!looksLikeMime(custom)) return [part(isNodeConfig(custom) ? NODE_CONFIG : SHELL_SCRIPT, toBytes(custom))];
  return readMime(custom).map(({ headers, body }) =>
    part(headers.find(([name]) => name === 'Content-Type')?.[1] ?? '', body),
  );
}

function part(contentType: string, body: string): MimePart {
  return { headers: [['Content-Type', contentType]], body };
}

/** Whether the text is a map in YAML or JSON, or says nothing at all. Only the first document counts, as upstream has it. */
export function isNodeConfig(text: string): boolean {
  const documents = parseAllDocuments(text, { version: '1.1', uniqueKeys: false, logLevel: 'silent' });
  if ('empty' in documents) return true;
  const [first] = documents;
  return (
    first !== undefined && first.errors.length === 0 && (first.contents === null || isMapOrNothing(first.contents))
  );
}

function isMapOrNothing(contents: unknown): boolean {
  return isMap(contents) || (contents as { readonly value?: unknown }).value === null;
}
