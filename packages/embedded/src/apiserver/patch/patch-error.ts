/**
 * A patch that cannot be read or does not fit the object. Code and message are those of the real server:
 * 400 (reason BadRequest) when it is malformed, 413 (RequestEntityTooLarge), 422 (Invalid, with empty details) when it
 * does not apply. Some mistakes in strategic patches the real server takes for its own, and answers 500; they are 400.
 */
export class PatchError extends Error {
  override readonly name = 'PatchError';
  readonly code: 400 | 413 | 422;

  constructor(code: PatchError['code'], message: string) {
    super(message);
    this.code = code;
  }
}
