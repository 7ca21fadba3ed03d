/**
 * Decodes the transfer encoding quoted-printable (RFC 2045 §6.7) the way Go does: blanks at the end of a line go, a `=`
 * that begins no code stands for itself. Input and output are bytes, one character each. Throws on other faults.
 */
export function decodeQuotedPrintable(encoded: string): string {
  return (encoded.match(/[^\n]*\n|[^\n]+$/g) ?? []).map(decodeLine).join('');
}

function decodeLine(line: string): string {
  const text = line.replace(/[\n\r \t]+$/, '');
  if (!text.endsWith('=')) return decodeCodes(text) + (/\r?\n$/.exec(line)?.[0] ?? '');
  const rest = line.slice(text.length).replace(/^[ \t]+/, '');
  const isSoftBreak = rest.startsWith('\n') || rest.startsWith('\r\n') || (rest === '' && text.length > 1);
  if (!isSoftBreak) throw new Error(`quotedprintable: invalid bytes after =: ${JSON.stringify(rest)}`);
  return decodeCodes(text.slice(0, -1));
}

function decodeCodes(text: string): string {
  return text.replace(/=([0-9A-Fa-f]{2})|[^\t\r\n -~\x80-\xff]|=$/g, (match, code: string | undefined) => {
    if (code !== undefined) return String.fromCharCode(Number.parseInt(code, 16));
    if (match === '=') throw new Error('unexpected EOF');
    throw new Error(`quotedprintable: invalid unescaped byte 0x${match.charCodeAt(0).toString(16).padStart(2, '0')}`);
  });
}
