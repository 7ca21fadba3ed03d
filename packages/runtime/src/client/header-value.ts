import { validateHeaderValue } from 'node:http';

/** Whether a header may have this value: no line breaks, no control characters, nothing beyond Latin-1. */
export function isHeaderValue(text: string): boolean {
  try {
    validateHeaderValue('x', text);
    return true;
  } catch {
    return false;
  }
}
