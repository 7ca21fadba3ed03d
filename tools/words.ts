// Words that this project once used for things Kubernetes and Karpenter have names for. docs/glossary.md has ours.
import type { SourceFile } from './layers.ts';

/** What each word that is given up stood for. */
const GIVEN_UP: ReadonlyMap<string, string> = new Map([
  ['machine', 'state node, instance or node option'],
  ['lot', 'pod group'],
  ['tender', 'packing problem'],
  ['shelf', 'node options'],
  ['seating', 'assignment'],
  ['auction', 'price search'],
  ['census', 'domain counts'],
  ['rulebook', 'topology rules'],
  ['lexicon', 'intern tables'],
  ['unheard', 'unacknowledged'],
  ['homeless', 'displaced'],
  ['sick', 'unhealthy'],
  ['leaving', 'deleting'],
]);

/** Those of them that nobody needs for anything else, so that comments, messages and names of tests do without them, too. */
const NOWHERE: ReadonlySet<string> = new Set([
  'tender',
  'seating',
  'auction',
  'census',
  'rulebook',
  'lexicon',
  'homeless',
]);

/** Identifiers that others define: fields of the Kubernetes API, of AWS and of V8. */
const NOT_OURS: ReadonlySet<string> = new Set(['machineID', 'machineId', 'getMachineId']);

/** One line for each identifier, file name and text that uses a word we have given up. */
export function findGivenUpWords(files: readonly SourceFile[]): readonly string[] {
  return files.flatMap((file) => [...inPath(file), ...inIdentifiers(file), ...inTexts(file)]);
}

function inPath({ path }: SourceFile): readonly string[] {
  return givenUpIn(path).map((word) => `${path}: the name uses '${word}'; say ${GIVEN_UP.get(word)}`);
}

function inIdentifiers({ path, text }: SourceFile): readonly string[] {
  const found: string[] = [];
  for (const [index, line] of withoutTexts(text).split('\n').entries()) {
    for (const [identifier] of line.matchAll(/[\p{L}_$][\p{L}\p{N}_$]*/gu)) {
      if (NOT_OURS.has(identifier)) continue;
      for (const word of givenUpIn(identifier)) {
        found.push(`${path}:${index + 1}: '${identifier}' uses '${word}'; say ${GIVEN_UP.get(word)}`);
      }
    }
  }
  return found;
}

function inTexts({ path, text }: SourceFile): readonly string[] {
  return [...text.matchAll(TEXTS)].flatMap(({ 0: part, index }) =>
    part.split('\n').flatMap((line, i) =>
      givenUpIn(line)
        .filter((word) => NOWHERE.has(word))
        .map((word) => `${path}:${lineAt(text, index) + i}: the text uses '${word}'; say ${GIVEN_UP.get(word)}`),
    ),
  );
}

function lineAt(text: string, index: number): number {
  return text.slice(0, index).split('\n').length;
}

/** A word may be written as one or as two: `rulebook`, `ruleBook`, `rule-book`. */
function givenUpIn(name: string): readonly string[] {
  const words = name.split(/[^\p{L}]+|(?<=\p{Ll})(?=\p{Lu})|(?<=\p{Lu})(?=\p{Lu}\p{Ll})/u);
  const pairs = words.slice(1).map((word, i) => `${words[i]}${word}`);
  return [...words, ...pairs].map(singular).filter((word) => GIVEN_UP.has(word));
}

function singular(word: string): string {
  const lower = word.toLowerCase();
  if (GIVEN_UP.has(lower)) return lower;
  return lower === 'shelves' ? 'shelf' : lower.replace(/s$/, '');
}

/** Comments, strings and regular expressions do not count; line breaks stay, so that positions do too. */
const TEXTS = /\/\*[\s\S]*?\*\/|\/\/[^\n]*|'(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*"|`(?:[^`\\]|\\[\s\S])*`/g;

function withoutTexts(text: string): string {
  return text.replace(TEXTS, (match) => match.replace(/[^\n]/g, ' '));
}
