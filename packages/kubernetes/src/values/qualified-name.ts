// What Kubernetes lets pass as a name, a label key and a label value, with its complaints to the letter: users search
// for them, and the API server prints them. Each function answers with a list that is empty when nothing is wrong.

const DNS_LABEL = '[a-z0-9]([-a-z0-9]*[a-z0-9])?';
const DNS_SUBDOMAIN = `${DNS_LABEL}(\\.${DNS_LABEL})*`;
const NAME = '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]';

const DNS_LABEL_MESSAGE = `a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '${DNS_LABEL}')`;
const DNS_SUBDOMAIN_MESSAGE = `a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '${DNS_SUBDOMAIN}')`;
const NAME_MESSAGE = `must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '${NAME}')`;
const LABEL_VALUE_MESSAGE = `a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '(${NAME})?')`;

/** Problems of a label, annotation, taint or resource key: an optional DNS prefix and `/`, then a name of up to 63. */
export function qualifiedNameProblems(key: string): readonly string[] {
  const parts = key.split('/', 3);
  if (parts.length === 3) {
    return [
      `a valid label key ${NAME_MESSAGE} with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')`,
    ];
  }
  const problems: string[] = [];
  const name = parts.at(-1)!;
  if (parts.length === 2) problems.push(...prefixProblems(parts[0]!));
  if (name === '') problems.push('name part must be non-empty');
  else if (isLonger(name, 63)) problems.push('name part must be no more than 63 bytes');
  if (!isName(name)) problems.push(`name part ${NAME_MESSAGE}`);
  return problems;
}

/** Problems of a label value: empty, or a name of up to 63. */
export function labelValueProblems(value: string): readonly string[] {
  const problems: string[] = [];
  if (isLonger(value, 63)) problems.push('must be no more than 63 bytes');
  if (value !== '' && !isName(value)) problems.push(LABEL_VALUE_MESSAGE);
  return problems;
}

/** Problems of a DNS name of up to 253 characters, which is also what most kinds ask of `metadata.name`. */
export function dns1123SubdomainProblems(value: string): readonly string[] {
  return subdomainProblems(value, 'must be no more than 253 characters');
}

/** Problems of one part of a DNS name, such as a namespace. */
export function dns1123LabelProblems(value: string): readonly string[] {
  const problems: string[] = [];
  if (isLonger(value, 63)) problems.push('must be no more than 63 characters');
  if (!isDnsLabel(value)) problems.push(isDnsSubdomain(value) ? 'must not contain dots' : DNS_LABEL_MESSAGE);
  return problems;
}

/**
 * Problems of `metadata.generateName`: as of a name, but it may end in a dash, since more is appended to it. The server
 * looks past the dash and the byte before it, whatever that is.
 */
export function generateNameProblems(prefix: string): readonly string[] {
  return dns1123SubdomainProblems(prefix.replace(/[\0-\x7f]-$/, 'a'));
}

function prefixProblems(prefix: string): string[] {
  if (prefix === '') return ['prefix part must be non-empty'];
  // The server counts bytes in both places, and says so in one.
  return subdomainProblems(prefix, 'must be no more than 253 bytes').map((problem) => `prefix part ${problem}`);
}

function subdomainProblems(value: string, tooLong: string): string[] {
  const problems: string[] = [];
  if (isLonger(value, 253)) problems.push(tooLong);
  if (!isDnsSubdomain(value)) problems.push(DNS_SUBDOMAIN_MESSAGE);
  return problems;
}

// The patterns of the messages in a form that takes linear time in a backtracking engine.

function isDnsLabel(value: string): boolean {
  return /^(?!-)[-a-z0-9]+$/.test(value) && !value.endsWith('-');
}

function isDnsSubdomain(value: string): boolean {
  return /^[-a-z0-9.]+$/.test(value) && !/^[-.]|[-.]\.|\.-|[-.]$/.test(value); // no label is empty or has a dash at an end
}

function isName(value: string): boolean {
  return /^[A-Za-z0-9][-A-Za-z0-9_.]*$/.test(value) && /[A-Za-z0-9]$/.test(value.slice(-1));
}

/** In bytes of UTF-8, as Go counts. */
function isLonger(value: string, limit: number): boolean {
  return Buffer.byteLength(value) > limit;
}
