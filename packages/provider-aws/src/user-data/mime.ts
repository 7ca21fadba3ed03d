// Archives of several files, as cloud-init and nodeadm read them. Everything that passes through is bytes: one character
// of a text stands for one byte, so that what users have encoded in their own way comes out unchanged.

/** A file of an archive: its headers, as they are to be written, and its content in bytes. */
export interface MimePart {
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body: string;
}

export const SHELL_SCRIPT = 'text/x-shellscript; charset="us-ascii"';
export const NODE_CONFIG = 'application/node.eks.aws';

/** Always this one, whatever boundary the user's own archive has. */
const BOUNDARY = '//';

/** The text as bytes, one character each. */
export function toBytes(text: string): string {
  return Buffer.from(text).toString('latin1');
}

/** Whether user data is meant as an archive. Blanks in front do not count here, but the reader does not take them. */
export function looksLikeMime(text: string): boolean {
  return /^(?:MIME-Version:|Content-Type:)/.test(text.trim());
}

/** The archive in base64. All carriage returns are removed, those of the parts too, as upstream does. */
export function writeMime(parts: readonly MimePart[]): string {
  const head = `MIME-Version: 1.0\nContent-Type: multipart/mixed; boundary="${BOUNDARY}"\n\n`;
  const written = parts.map(({ headers, body }) => {
    const lines = headers.map(([name, value]) => `${name}: ${value}\n`);
    return `--${BOUNDARY}\n${lines.join('')}\n${body}\n`;
  });
  const archive = `${head}${written.join('')}--${BOUNDARY}--\n`;
  return Buffer.from(archive.replaceAll('\r', ''), 'latin1').toString('base64');
}
