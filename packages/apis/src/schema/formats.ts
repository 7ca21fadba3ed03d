/** Checks of string formats, by name. A name that is not here is an annotation and never refuses a value. */
export const FORMATS: Readonly<Record<string, (text: string) => boolean>> = {
  'date-time': isDateTime,
  date: isDate,
  byte: (text) => /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/.test(text),
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
