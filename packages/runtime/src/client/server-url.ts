/** The address of an API server; undefined for what is none. Without a scheme it is plain HTTP, as kubectl has it. */
export function findServerUrl(server: string): URL | undefined {
  const address = /^[a-z][a-z0-9+.-]*:\/\//i.test(server) ? server : `http://${server}`;
  if (/\s/.test(server) || !URL.canParse(address)) return undefined; // URL passes over spaces, Go does not
  const url = new URL(address);
  return url.protocol === 'https:' || url.protocol === 'http:' ? url : undefined;
}
