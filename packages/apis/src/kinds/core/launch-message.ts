const MAX_BYTES = 300; // upstream's cut

/**
 * An error's text as the Launched condition and the events of a failed launch show it: 300 bytes or longer are cut to
 * the first 300 and `...`. A character that does not fit whole is dropped, where upstream leaves half of it.
 */
export function truncateLaunchMessage(message: string): string {
  const bytes = new TextEncoder().encode(message);
  if (bytes.length < MAX_BYTES) return message;
  const kept = new TextDecoder().decode(bytes.subarray(0, MAX_BYTES), { stream: true }); // leaves out a partial one
  return `${kept}...`;
}
