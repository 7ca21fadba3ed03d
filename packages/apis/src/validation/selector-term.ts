import { goQuote } from '@karpenter-ts/kubernetes';
import { error, type Problem, warning } from './problem.ts';

/** A selector term of an EC2NodeClass: tags, and fields that hold one text each. */
export interface SelectorTerm {
  readonly tags?: Readonly<Record<string, string>> | undefined;
  readonly id?: string | undefined;
  readonly [field: string]: string | Readonly<Record<string, string>> | undefined;
}

/** What one list of terms may hold. */
export interface SelectorRules {
  readonly field: string;
  /** Fields that select something by themselves; the others only narrow down. */
  readonly selecting: readonly string[];
  /** What an id of this kind looks like in full; the CRD's pattern is not anchored. */
  readonly id: RegExp;
  /** Upstream's text for a field that must stand alone. The CRD only sees it when every term is wrong. */
  readonly alone: Readonly<Record<string, string>>;
}

/**
 * Problems of selector terms that the CRD lets pass (spec 01 §14, 1–3). A term that selects by nothing but an empty tag
 * map is an error, since upstream takes it for "everything there is". The rest are warnings: such terms run, but the
 * fields beside an id or name are ignored, and an id with a typing error matches nothing.
 */
export function validateSelectorTerms(terms: readonly SelectorTerm[], rules: SelectorRules): readonly Problem[] {
  return terms.flatMap((term, index) => {
    const path = `spec.${rules.field}[${index}]`;
    const fields = Object.keys(term).filter((field) => isSet(term[field]));
    const problems: Problem[] = [];
    if (!rules.selecting.some((field) => fields.includes(field))) {
      problems.push(
        error(path, `${rules.field}[${index}] has no criterion but empty tags, which would select everything`),
      );
    }
    for (const [field, message] of Object.entries(rules.alone)) {
      if (fields.includes(field) && fields.length > 1) problems.push(warning(`${path}.${field}`, message));
    }
    if (term.id !== undefined && !rules.id.test(term.id)) {
      problems.push(
        warning(`${path}.id`, `id ${goQuote(term.id)} matches nothing, it is not of the form ${rules.id.source}`),
      );
    }
    return problems;
  });
}

function isSet(value: SelectorTerm[string]): boolean {
  return typeof value === 'object' ? Object.keys(value).length > 0 : value !== undefined && value !== '';
}
