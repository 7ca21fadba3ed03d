import { goQuote } from '@karpenter-ts/kubernetes';
import { doubtful, lineAt, type TextRemark } from './remark.ts';

/** What guides write where the reader is to put something of their own, before a shell or a template has filled it in. */
const PLACEHOLDER = /\$\{[^}\n]*\}|\$\([A-Za-z_]\w*\)|\$[A-Z][A-Z0-9_]*|\{\{[^}\n]*\}\}|<[A-Za-z][^<>\n]*>/;

/** The placeholder in a text that nobody expands. */
export function findPlaceholder(text: string): string | undefined {
  return PLACEHOLDER.exec(text)?.[0];
}

export function placeholderText(placeholder: string): string {
  return `${goQuote(placeholder)} looks like a placeholder that nobody has filled in`;
}

/** Of a text that nobody expands, line by line. Comments do not count. */
export function reviewPlaceholders(text: string): readonly TextRemark[] {
  return text.split('\n').flatMap((line, index) => {
    const placeholder = /^\s*#/.test(line) ? undefined : findPlaceholder(line);
    if (placeholder === undefined) return [];
    return [doubtful(placeholderText(placeholder), { hint: LITERAL, textLine: index + 1 })];
  });
}

export const LITERAL = 'write the value: nobody expands it, and AWS gets it as it is written';

/** Variables of guides, which exist on the reader's computer and not on the instance. */
const GUIDE_VARIABLE = /\$\{?((?:CLUSTER|KARPENTER|K8S|EKS)_[A-Z0-9_]+|AWS_(?:ACCOUNT_ID|PARTITION))\b\}?/g;
/** `<cluster-name>` and the like: other brackets of a script redirect. */
const GUIDE_BRACKETS = /<(?:your|my|cluster|role|account|region|aws|node|ami)[-_ A-Za-z0-9]*>/gi;

/** Of a script, which has variables of its own. Those that it sets do not count. */
export function reviewScriptPlaceholders(script: string): readonly TextRemark[] {
  const isSet = (name: string): boolean =>
    new RegExp(`(?:^|[\\s;&|(])${name}=|\\bread\\b[^\\n]*\\b${name}\\b`).test(script);
  const variables = [...script.matchAll(GUIDE_VARIABLE)].filter(([, name]) => !isSet(name!));
  return [...variables, ...script.matchAll(GUIDE_BRACKETS)].map(({ 0: found, index }) =>
    doubtful(placeholderText(found), {
      hint: 'write the value, or set the variable in the script: the instance does not know it',
      textLine: lineAt(script, index),
    }),
  );
}
