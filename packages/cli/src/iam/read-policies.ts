import { type PolicyStatement, readPolicy } from '@karpenter-ts/aws-emulator/policies';
import { parseDocument } from 'yaml';
import { findSyntaxError } from '../fleet/json-position.ts';
import type { ReadFile } from '../io.ts';

/** The statements of the policies that files hold, and what is wrong with the files. */
export interface ReadPolicies {
  readonly statements: readonly PolicyStatement[];
  readonly problems: readonly string[];
}

/**
 * Reads policies as people have them: a document, a list of documents, what `aws iam get-policy-version` prints, or a
 * CloudFormation template. Policies of resources and of trust, which name principals, are passed over.
 */
export function readPolicies(files: readonly ReadFile[]): ReadPolicies {
  const read = files.map((file): ReadPolicies => {
    if ('problem' in file) return { statements: [], problems: [`${file.name}: ${file.problem}`] };
    const parsed = parse(file.text);
    if ('problem' in parsed) return { statements: [], problems: [`${file.name}${parsed.problem}`] };
    const found: Found = { statements: [], problems: [], count: 0 };
    collect(parsed.content, '', found, MOST_DEPTH);
    if (found.count === 0) found.problems.push('holds no policy: an object with the member Statement is expected');
    return { statements: found.statements, problems: found.problems.map((problem) => `${file.name}: ${problem}`) };
  });
  const statements = read.flatMap((one) => one.statements);
  const problems = read.flatMap((one) => one.problems);
  if (statements.length === 0 && problems.length === 0) {
    problems.push('only policies that name principals are there: those of the role of the controller are expected');
  }
  return { statements, problems };
}

type Parsed = { readonly content: unknown } | { readonly problem: string };

function parse(text: string): Parsed {
  if (/^\s*[[{]/.test(text)) return parseJson(text);
  const document = parseDocument(text, { logLevel: 'silent' });
  const [error] = document.errors;
  if (error !== undefined) {
    const { line, col } = error.linePos?.[0] ?? { line: 1, col: 1 };
    return { problem: `:${line}:${col}: ${error.message.split('\n')[0]!.replace(/ at line \d+.*$/, '')}` };
  }
  return { content: document.toJS() };
}

function parseJson(text: string): Parsed {
  try {
    return { content: JSON.parse(text) };
  } catch {
    const { line, column } = findSyntaxError(text) ?? { line: 1, column: 1 };
    return { problem: `:${line}:${column}: is not JSON from here on` };
  }
}

interface Found {
  readonly statements: PolicyStatement[];
  readonly problems: string[];
  count: number;
}

/** Templates are not nested deeper. */
const MOST_DEPTH = 50;

/** Members whose text is a policy, where it is one. */
const TEXTS: ReadonlySet<string> = new Set(['PolicyDocument', 'Document', 'Policy', 'policy']);

function collect(value: unknown, place: string, found: Found, depth: number): void {
  if (typeof value !== 'object' || value === null || depth === 0) return;
  if (!Array.isArray(value) && 'Statement' in value) {
    found.count++;
    if (namesPrincipals(value.Statement)) return;
    const { statements, problems } = readPolicy(value, place);
    found.statements.push(...statements);
    found.problems.push(...problems);
    return;
  }
  for (const [name, member] of Object.entries(value)) {
    const at = Array.isArray(value) ? `${place}[${name}]` : place === '' ? name : `${place}.${name}`;
    collect(TEXTS.has(name) && typeof member === 'string' ? policyIn(member, at, found) : member, at, found, depth - 1);
  }
}

/** A policy that is a text within the file, as CloudFormation and the API of IAM have them. */
function policyIn(text: string, place: string, found: Found): unknown {
  const decoded = text.startsWith('%7B') ? decodeURIComponent(text) : text;
  if (!decoded.trimStart().startsWith('{')) return undefined;
  const parsed = parseJson(decoded);
  if ('content' in parsed) return parsed.content;
  found.count++;
  found.problems.push(`${place}${parsed.problem}`);
  return undefined;
}

function namesPrincipals(statements: unknown): boolean {
  const all: readonly unknown[] = Array.isArray(statements) ? statements : [statements];
  return all.some((one) => typeof one === 'object' && one !== null && ('Principal' in one || 'NotPrincipal' in one));
}
