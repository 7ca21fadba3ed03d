/**
 * Parses the address of an API server; undefined if it is invalid. Without a scheme it means plain HTTP, as in kubectl.
 */
export function findServerUrl(server: string): URL | undefined {
  const address = /^[a-z][a-z0-9+.-]*:\/\//i.test(server) ? server : `http://${server}`;
  if (/\s/.test(server) || !URL.canParse(address)) return undefined; // URL ignores spaces, Go does not
  const url = new URL(address);
  return url.protocol === 'https:' || url.protocol === 'http:' ? url : undefined;
}
