/** What an AWS service answers in place of a result. Handlers throw it; the protocol of the service writes it. */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  readonly code: string;
  readonly status: number;
  /** The code that SQS had when it spoke the query protocol, which it sends along in a header. */
  readonly queryCode: string | undefined;

  constructor(
    code: string,
    message: string,
    { status = 400, queryCode }: { status?: number; queryCode?: string } = {},
  ) {
    super(message);
    this.code = code;
    this.status = status;
    this.queryCode = queryCode;
  }
}
