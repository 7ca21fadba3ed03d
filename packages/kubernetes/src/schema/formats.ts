/**
 * The formats Kubernetes 1.35 reads in CRDs, dashes left out (apiextensions, `formats.go`). It ignores all others, int32
 * and int64 among them.
 */
const KNOWN: ReadonlySet<string> = new Set(
  (
    'bsonobjectid uri email hostname ipv4 ipv6 cidr mac uuid uuid3 uuid4 uuid5 isbn isbn10 isbn13 creditcard ssn ' +
    'hexcolor rgbcolor byte password date duration datetime k8sshortname k8slongname'
  ).split(' '),
);

/** True for a format that the server takes into account. */
export function isKnownFormat(format: string): boolean {
  return KNOWN.has(format.replaceAll('-', ''));
}

/** Checks of the formats our kinds and most others use; a known format without a check here refuses no string. */
export const FORMATS: Readonly<Record<string, (text: string) => boolean>> = {
  'date-time': isDateTime,
  date: isDate,
  byte: (text) => text !== '' && /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/.test(text),
  uuid: (text) => /^[0-9a-f]{8}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{12}$/i.test(text),
};

const TIME = /^(\d{2}):(\d{2}):(\d{2})(?:.\d+)?(?:z|[+-]\d{2}:\d{2})$/;

/** RFC 3339 as the API server reads it: any case, leap seconds refused, anything after a second `T` ignored. */
function isDateTime(text: string): boolean {
  const [date, time] = text.toLowerCase().split('t');
  const match = time === undefined ? null : TIME.exec(time);
  if (match === null || !isDate(date!)) return false;
  return match[1]! <= '23' && match[2]! <= '59' && match[3]! <= '59';
}

function isDate(text: string): boolean {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(text)) return false;
  const parsed = new Date(`${text}T00:00:00Z`);
  return !Number.isNaN(parsed.getTime()) && parsed.toISOString().startsWith(text);
}
