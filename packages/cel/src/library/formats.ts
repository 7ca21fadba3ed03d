import {
  dns1123LabelProblems,
  dns1123SubdomainProblems,
  FORMATS,
  labelValueProblems,
  qualifiedNameProblems,
} from '@karpenter-ts/kubernetes';
import { ArrayList } from '../runtime/list.ts';
import { CelError, type CelValue, NO_SUCH_OVERLOAD, Opaque, Optional } from '../runtime/value.ts';
import { parseRequestUri } from './go-url.ts';
import { global, member, type Overload } from './overload.ts';

/** Tells what is wrong with a text; an empty list when nothing is. */
type Check = (text: string) => readonly string[];

const CHECKS: Readonly<Record<string, Check>> = {
  dns1123Label: dns1123LabelProblems,
  dns1123Subdomain: dns1123SubdomainProblems,
  dns1035Label: dns1035LabelProblems,
  qualifiedName: qualifiedNameProblems,
  dns1123LabelPrefix: (text) => dns1123LabelProblems(withoutDash(text)),
  dns1123SubdomainPrefix: (text) => dns1123SubdomainProblems(withoutDash(text)),
  dns1035LabelPrefix: (text) => dns1035LabelProblems(withoutDash(text)),
  labelValue: labelValueProblems,
  uri: uriProblems,
  uuid: (text) => (FORMATS.uuid!(text) ? [] : ['does not match the UUID format']),
  byte: (text) => (text !== '' && FORMATS.byte!(text) ? [] : ['invalid base64']),
  date: (text) => (FORMATS.date!(text) ? [] : ['invalid date']),
  datetime: (text) => (FORMATS['date-time']!(text) ? [] : ['invalid datetime']),
};

class Format extends Opaque {
  readonly typeName = 'kubernetes.NamedFormat';
  readonly name: string;

  constructor(name: string) {
    super();
    this.name = name;
  }

  equals(other: CelValue): boolean | CelError {
    return other instanceof Format ? this.name === other.name : NO_SUCH_OVERLOAD;
  }

  toString(): string {
    return this.name;
  }
}

/** Kubernetes' named formats: `format.dns1123Label().validate(text)` gives what is wrong, or nothing. */
export const formats: readonly Overload[] = [
  member('Format', 'validate(string): optional(list(string))', validate),
  global('format.named(string): optional(Format)', (name: string) =>
    Object.hasOwn(CHECKS, name) ? new Optional(new Format(name)) : Optional.NONE,
  ),
  ...Object.keys(CHECKS).map((name) => global(`format.${name}(): Format`, () => new Format(name))),
];

function validate({ name }: Format, text: string): Optional {
  const problems = CHECKS[name]!(text);
  return problems.length === 0 ? Optional.NONE : new Optional(new ArrayList([...problems]));
}

/** A name to be continued may end in a dash. */
function withoutDash(text: string): string {
  return text.length > 1 && text.endsWith('-') ? `${text.slice(0, -2)}a` : text;
}

const DNS_1035_LABEL = '[a-z]([-a-z0-9]*[a-z0-9])?';
const DNS_1035_MESSAGE = `a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for validation is '${DNS_1035_LABEL}')`;

function dns1035LabelProblems(text: string): readonly string[] {
  const isLabel = /^[a-z][-a-z0-9]*$/.test(text) && !text.endsWith('-');
  return [
    ...(Buffer.byteLength(text) > 63 ? ['must be no more than 63 bytes'] : []),
    ...(isLabel ? [] : [DNS_1035_MESSAGE]),
  ];
}

function uriProblems(text: string): readonly string[] {
  const url = parseRequestUri(text);
  return url instanceof CelError ? [url.message] : [];
}
