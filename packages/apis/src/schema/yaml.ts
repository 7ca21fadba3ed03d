import { Document, Scalar, visit } from 'yaml';
import type { Json } from '@karpenter-ts/kubernetes';

/**
 * YAML that YAML 1.1 readers (kubectl, Helm) and 1.2 readers understand alike, keys sorted, one line per string so
 * that patterns and rules can be searched for.
 */
export function toYaml(value: Json): string {
  const document = new Document(value, { version: '1.1', sortMapEntries: true, aliasDuplicateObjects: false });
  visit(document, {
    Scalar: (_, node) => {
      if (typeof node.value === 'string' && node.value.includes('\n')) node.type = Scalar.BLOCK_LITERAL;
    },
  });
  return document.toString({ directives: false, lineWidth: 0, singleQuote: true });
}
