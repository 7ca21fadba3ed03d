/**
 * A patch that cannot be read or does not fit the object. Code and message are those of the real server:
 * 400 (reason BadRequest) when it is malformed, 413 (RequestEntityTooLarge), 422 (Invalid, with empty details) when it
 * does not apply, and 500 (no reason) for the mistakes in strategic patches that the real server takes for its own.
 */
export class PatchError extends Error {
  override readonly name = 'PatchError';
  readonly code: 400 | 413 | 422 | 500;

  constructor(code: PatchError['code'], message: string) {
    super(message);
    this.code = code;
  }
}
